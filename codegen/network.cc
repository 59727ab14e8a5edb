#include "codegen/network.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "codegen/c_writer.h"
#include "codegen/kernel_set.h"
#include "codegen/layout.h"
#include "codegen/memory_plan.h"
#include "codegen/network_memory.h"
#include "codegen/network_parts.h"
#include "codegen/operator_emitter.h"
#include "codegen/storage.h"
#include "models/integer_op.h"

namespace tinytune {
namespace {

// From a graph to its parts, in the order the decisions depend on each other: which tensors share
// memory, then kernels (whose scratch needs memory too), then offsets, then C.
class Generation {
 public:
  Generation(const IntegerNetwork& network, const LaidOutGraph& laid_out, const Device& device,
             const ScheduleSource& schedules, const NetworkOptions& options)
      : parts_{options.name, laid_out.graph, device, {}, {}, {}, {}, {}, {}, 0, {}},
        executed_(network),
        graph_(laid_out.graph),
        forms_(laid_out.ops),
        layout_of_(laid_out.layout_of),
        options_(options),
        kernels_(device, schedules, options.name) {}

  Result<GeneratedNetwork> run() {
    storage_ = assign_storage(graph_, forms_);
    for (const int t : graph_.outputs)
      if (!storage_.buffer_of[static_cast<size_t>(t)])
        return Error(ErrorCode::kUnsupported,
                     "output t" + std::to_string(t) + " is a constant: no operator writes it");
    network_.arena_lower_bound = peak_live_bytes(storage_.buffers);  // tensors, without scratch
    TT_TRY(choose_kernels());
    list_absorbed_layers();
    plan();
    emit_layers();
    describe_tensors();
    parts_.kernels = kernels_.kernels();
    network_.placeable = parts_.placeable = placeable_parts(parts_);
    network_.fast.resize(parts_.placeable.size());
    network_.name = parts_.name;
    network_.invoke_symbol = parts_.name + "_invoke";
    network_.arena_symbol = parts_.name + "_arena";
    network_.arena_bytes = parts_.arena_bytes = plan_.arena_bytes;
    for (const ConstantPool::Array& array : parts_.constants.arrays())
      network_.constant_bytes += array.bytes.size();
    network_.warnings = kernels_.warnings();
    print_files();
    return std::move(network_);
  }

 private:
  std::string layer_symbol(size_t step) const {
    const Operator& op = graph_.operators[step];
    if (op.index == kTransformIndex)
      return parts_.name + "_transform_" + std::to_string(op.inputs[0]) + "_" +
             std::to_string(op.outputs[0]);
    return parts_.name + "_layer_" + std::to_string(op.index);
  }

  Status choose_kernels() {
    calls_.resize(forms_.size());
    scratch_.resize(forms_.size());
    for (size_t step = 0; step < forms_.size(); ++step) {
      const Operator& op = graph_.operators[step];
      GeneratedLayer layer;
      layer.index = op.index;
      layer.op = std::string(name_of(op.kind));
      layer.layout = layout_of_[static_cast<size_t>(op.outputs[0])];
      layer.macs_executed = macs_of(forms_[step]);
      if (op.index != kTransformIndex) layer.macs = model_macs(op.index);
      if (const auto* kernel = std::get_if<KernelOp>(&forms_[step])) {
        auto call = kernels_.add(*kernel, op.index, parts_.constants);
        if (!call)
          return call.error().within("operator " + std::to_string(op.index) + " (" + layer.op +
                                     ")");
        calls_[step] = std::move(call).value();
        layer.tuned = calls_[step]->tuned;
        layer.schedule = calls_[step]->schedule;
        if (const uint32_t bytes = calls_[step]->scratch_bytes; bytes > 0) {
          scratch_[step] = storage_.buffers.size();
          const int at = static_cast<int>(step);
          storage_.buffers.push_back({bytes, at, at});
        }
      } else if (!storage_.is_alias[step] && find_emitter(forms_[step]) == nullptr) {
        return Error(ErrorCode::kUnsupported, "operator " + std::to_string(op.index) + " (" +
                                                  layer.op + "): no code generator takes it");
      }
      if (!storage_.is_alias[step]) layer.symbol = layer_symbol(step);
      network_.layers.push_back(std::move(layer));
    }
    for (size_t step = 0; step < forms_.size(); ++step)
      if (storage_.is_alias[step]) network_.layers[step].fused_into = producer_of_input(step);
    return ok_status();
  }

  int64_t model_macs(int index) const { return executed_.model_macs[static_cast<size_t>(index)]; }

  // After those that execute, so that a layer's place stays its step.
  void list_absorbed_layers() {
    for (const AbsorbedOperator& op : executed_.absorbed) {
      GeneratedLayer layer;
      layer.index = op.index;
      layer.op = std::string(name_of(op.kind));
      layer.fused_into = op.into;
      layer.macs = model_macs(op.index);
      network_.layers.push_back(std::move(layer));
    }
    for (GeneratedLayer& layer : network_.layers)
      while (const auto next = carrier_of(layer.fused_into)) layer.fused_into = next;
  }

  // Where a layer that others were fused into was itself fused into; nothing if it has code.
  std::optional<int> carrier_of(std::optional<int> index) const {
    for (const GeneratedLayer& layer : network_.layers)
      if (index && layer.index == *index) return layer.fused_into;
    return std::nullopt;
  }

  // The operator whose output an alias renames; nothing when that is an input of the network.
  std::optional<int> producer_of_input(size_t step) const {
    int tensor = graph_.operators[step].inputs[0];
    for (size_t s = step; s-- > 0;) {
      const Operator& op = graph_.operators[s];
      if (std::find(op.outputs.begin(), op.outputs.end(), tensor) == op.outputs.end()) continue;
      if (!storage_.is_alias[s] && op.index != kTransformIndex) return op.index;
      tensor = op.inputs[0];
    }
    return std::nullopt;
  }

  void plan() {
    plan_ = plan_memory(storage_.buffers);
    for (const int t : graph_.inputs) parts_.inputs.push_back({t, offset_of(t)});
    for (const int t : graph_.outputs) parts_.outputs.push_back({t, offset_of(t)});
  }

  uint32_t offset_of(int tensor) const {
    const auto& buffer = storage_.buffer_of[static_cast<size_t>(tensor)];
    TT_CHECK(buffer.has_value(), "tensor " + std::to_string(tensor) + " is not in the arena");
    return plan_.offsets[*buffer];
  }

  static std::string in_arena(const std::string& type, uint32_t offset) {
    return "(" + type + " *)" +
           (offset == 0 ? "arena" : "(arena + " + std::to_string(offset) + ")");
  }

  // An expression for the address of an operand, and its type: "const int8_t".
  std::string operand(int tensor) {
    const Tensor& t = graph_.tensor(tensor);
    const std::string type = std::string("const ") + c_type_of(t.type);
    if (!t.is_constant) return in_arena(type, offset_of(tensor));
    return parts_.constants.add(parts_.name + "_tensor_" + std::to_string(tensor),
                                array_type(t.type), t.data);
  }

  static CType array_type(ElementType type) {
    switch (type) {
      case ElementType::kInt8:
        return CType::kInt8;
      case ElementType::kUint8:
        return CType::kUint8;
      case ElementType::kInt32:
        return CType::kInt32;
      case ElementType::kFloat32:
        break;
    }
    return CType::kFloat;
  }

  std::string kernel_body(size_t step) {
    const Operator& op = graph_.operators[step];
    const KernelCall& call = *calls_[step];
    std::string arguments = operand(op.inputs[0]);
    for (const std::string& constant : call.constants) arguments += ", " + constant;
    if (scratch_[step]) arguments += ", " + in_arena("void", plan_.offsets[*scratch_[step]]);
    arguments += ", " + in_arena("int8_t", offset_of(op.outputs[0]));
    return CWriter(1).line(call.symbol + "(" + arguments + ");").text();
  }

  static std::string numbered(const char* pointer, size_t i) {
    return std::string(pointer) + (i == 0 ? "" : std::to_string(i));
  }

  std::string emitted_body(size_t step) {
    const Operator& op = graph_.operators[step];
    const OperatorEmitter* emitter = find_emitter(forms_[step]);
    TT_CHECK(emitter != nullptr, "choose_kernels() refuses operators without an emitter");
    EmitContext context{parts_.name, layer_symbol(step), {}, parts_.constants, parts_.shared};
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (op.inputs[i] >= 0 && !graph_.tensor(op.inputs[i]).is_constant)
        context.activations.push_back("input" + std::to_string(i));
    const std::string statements = emitter->emit(forms_[step], context);
    CWriter w(1);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const std::string pointer = "input" + std::to_string(i);
      if (!mentions(statements, pointer)) continue;  // folded into the text
      w.line(std::string("const ") + c_type_of(graph_.tensor(op.inputs[i]).type) + " *" + pointer +
             " = " + operand(op.inputs[i]) + ";");
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const std::string type = c_type_of(graph_.tensor(op.outputs[i]).type);
      w.line(type + " *" + numbered("output", i) + " = " +
             in_arena(type, offset_of(op.outputs[i])) + ";");
    }
    return w.text() + statements;
  }

  // Whether `word` stands in the text as a whole word.
  static bool mentions(const std::string& text, const std::string& word) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if (at + word.size() == text.size() || std::isdigit(text[at + word.size()]) == 0) return true;
    return false;
  }

  std::string comment(size_t step) const {
    const Operator& op = graph_.operators[step];
    std::string text = op.index == kTransformIndex
                           ? "layout transform "
                           : std::to_string(op.index) + ": " + std::string(name_of(op.kind)) + " ";
    text +=
        shape_text(graph_.tensor(op.inputs[0])) + " -> " + shape_text(graph_.tensor(op.outputs[0]));
    if (calls_[step]) text += (calls_[step]->tuned ? ", tuned" : ", default schedule");
    return text;
  }

  void emit_layers() {
    for (size_t step = 0; step < forms_.size(); ++step) {
      if (storage_.is_alias[step]) continue;
      const std::string body = calls_[step] ? kernel_body(step) : emitted_body(step);
      parts_.functions.push_back({layer_symbol(step), comment(step), body});
    }
  }

  void describe_tensors() {
    for (size_t t = 0; t < executed_.graph.tensors.size(); ++t)
      if (storage_.buffer_of[t] && !executed_.altered[t])
        network_.tensors.push_back({static_cast<int>(t), plan_.offsets[*storage_.buffer_of[t]],
                                    static_cast<uint32_t>(graph_.tensors[t].bytes()),
                                    storage_.first_step[t], storage_.last_step[t], layout_of_[t]});
  }

  void print_files() {
    const std::string& name = parts_.name;
    std::vector<GeneratedFile>& files = network_.files;
    files.push_back({name + ".h", print_header(parts_)});
    files.push_back({name + "_internal.h", print_internal_header(parts_)});
    if (!parts_.placeable.empty())
      files.push_back({name + "_placement.h",
                       print_placement(name, parts_.device, parts_.placeable, network_.fast)});
    files.push_back({name + ".c", print_source(parts_)});
    if (!parts_.constants.arrays().empty())
      files.push_back({name + "_weights.c", print_weights(parts_)});
    if (!parts_.kernels.empty()) files.push_back({name + "_kernels.S", print_kernels(parts_)});
    if (options_.smoke)
      files.push_back({"test/" + name + "_smoke.c", print_smoke_test(parts_, *options_.smoke)});
    files = arrange_package(parts_, options_.format, std::move(files));
    files.push_back({"README.md", print_readme(parts_, files)});
  }

  NetworkParts parts_;
  const IntegerNetwork& executed_;
  const Graph& graph_;  // with layout transforms, whose tensors come after the model's
  const std::vector<IntegerOp>& forms_;
  const std::vector<Layout>& layout_of_;
  const NetworkOptions& options_;
  KernelSet kernels_;
  Storage storage_;
  MemoryPlan plan_;
  std::vector<std::optional<KernelCall>> calls_;  // by step
  std::vector<std::optional<size_t>> scratch_;    // buffer, by step
  GeneratedNetwork network_;
};

}  // namespace

LaidOutGraph laid_out(const IntegerNetwork& network, const NetworkOptions& options) {
  const auto layouts =
      options.layouts ? options.layouts(network.graph, network.ops) : std::vector<Layout>();
  return lay_out(network.graph, network.ops, layouts);
}

Result<GeneratedNetwork> generate_network(const IntegerNetwork& network, const Device& device,
                                          const ScheduleSource& schedules,
                                          const NetworkOptions& options) {
  if (!is_c_identifier(options.name))
    return Error(ErrorCode::kInvalidInput, "\"" + options.name + "\" is not a C identifier");
  const LaidOutGraph executed = laid_out(network, options);
  return Generation(network, executed, device, schedules, options).run();
}

}  // namespace tinytune
