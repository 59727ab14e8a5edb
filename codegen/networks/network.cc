#include "codegen/networks/network.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/check.h"
#include "codegen/networks/arriving_layers.h"
#include "codegen/networks/carriers.h"
#include "codegen/networks/executed_graph.h"
#include "codegen/networks/kernel_set.h"
#include "codegen/networks/layer_names.h"
#include "codegen/networks/layer_printer.h"
#include "codegen/networks/layout.h"
#include "codegen/networks/library_parts.h"
#include "codegen/networks/memory_plan.h"
#include "codegen/networks/names.h"
#include "codegen/networks/network_memory.h"
#include "codegen/networks/network_parts.h"
#include "codegen/networks/placed_text.h"
#include "codegen/networks/split_layers.h"
#include "codegen/networks/storage.h"
#include "codegen/networks/strip_printer.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"
#include "devices/core_table.h"
#include "models/control_flow.h"
#include "models/integer_op.h"

namespace tinytune {
namespace {

// From a graph to its parts, in the order the decisions depend on each other: which tensors share
// memory, then kernels (whose scratch needs memory too), then offsets, then C.
class Generation {
 public:
  Generation(const IntegerNetwork& network, const LaidOutGraph& laid_out,
             const std::vector<StripFlow>& flows,
             const std::vector<std::optional<SplitLayer>>& splits, const Device& device,
             const ScheduleSource& schedules, const NetworkOptions& options)
      : parts_{options.name, device},
        executed_(network),
        graph_(laid_out.graph),
        forms_(laid_out.ops),
        layout_of_(laid_out.layout_of),
        flows_(flows),
        splits_(splits),
        kernels_(device, schedules, options.name, options.builds),
        shares_layers_(!options.splits.empty()),
        compresses_(options.compress_weights),
        share_(options.share),
        arriving_(options, laid_out.ops.size()) {
    parts_.cores = network_.cores = options.cores;
    if (!arriving_.empty()) network_.arrivals = options.arrivals;
  }

  Result<GeneratedNetwork> run() {
    storage_ = assign_storage(graph_, forms_, flows_,
                              share_ ? std::optional(share_->state) : std::nullopt);
    for (const int t : graph_.outputs)
      if (!storage_.buffer_of[static_cast<size_t>(t)])
        return Error(ErrorCode::kUnsupported,
                     "output t" + std::to_string(t) + " is a constant: no operator writes it");
    network_.arena_lower_bound = peak_live_bytes(storage_.buffers);  // tensors, without scratch
    if (shares_layers_) {
      core_words_ = storage_.buffers.size();
      storage_.buffers.push_back(core_words(forms_.size()));
    }
    TT_TRY(choose_kernels());
    arriving_.add_buffers(storage_.buffers);
    list_absorbed(executed_, network_.layers);
    plan();
    emit_layers();
    describe_stream();
    describe_tensors();
    parts_.externals = graph_.externals;
    parts_.kernels = kernels_.kernels();
    arriving_.describe(parts_);
    network_.placeable = parts_.placeable = placeable_parts(parts_);
    network_.homes.resize(parts_.placeable.size());
    network_.name = parts_.name;
    network_.in_strips = !flows_.empty();
    network_.invoke_symbol =
        parts_.name + (parts_.stream ? "_push_" + rows_word(*parts_.stream) : "_invoke");
    network_.stream = parts_.stream;
    if (!parts_.state.empty() || parts_.stream) network_.reset_symbol = parts_.name + "_reset";
    network_.arena_symbol = parts_.name + "_arena";
    network_.arena_bytes = parts_.arena_bytes =
        std::max(plan_.arena_bytes, share_ ? share_->arena_bytes : 0);
    for (const ConstantPool::Array& array : parts_.constants.arrays())
      network_.constant_bytes += array.bytes.size();
    network_.warnings = kernels_.warnings();
    for (const KernelSet::Kernel& kernel : parts_.kernels)
      network_.assembly_lines += kernel.assembly.lines;
    network_.files = files_of(parts_, network_.homes);
    network_.parts = std::make_shared<const LibraryParts>(
        LibraryParts{parts_.kernels, parts_.constants.arrays()});
    network_.stubs = print_stubs(parts_);
    network_.inputs = std::move(parts_.inputs);
    network_.outputs = std::move(parts_.outputs);
    network_.functions = std::move(parts_.functions);
    return std::move(network_);
  }

 private:
  std::string layer_symbol(size_t step) const {
    return symbol_of_layer(parts_.name, graph_.operators[step]);
  }

  Status choose_kernels() {
    calls_.resize(forms_.size());
    scratch_.resize(forms_.size());
    halves_.resize(forms_.size());
    for (const StripFlow& flow : flows_) strip_calls_.emplace_back(flow.variants.size());
    for (size_t step = 0; step < forms_.size(); ++step) {
      const Operator& op = graph_.operators[step];
      GeneratedLayer layer;
      layer.index = op.index;
      layer.op = std::string(name_of(op.kind));
      if (!op.outputs.empty()) layer.layout = layout_of_[static_cast<size_t>(op.outputs[0])];
      layer.macs_executed = macs_executed_in(step);
      if (op.index != kTransformIndex)
        layer.macs = executed_.model_macs[static_cast<size_t>(op.index)];
      if (std::holds_alternative<KernelOp>(forms_[step])) {
        if (const Status chosen = choose_kernels_of(step, layer); !chosen)
          return chosen.error().within("operator " + std::to_string(op.index) + " (" + layer.op +
                                       ")");
      } else if (!storage_.is_alias[step] && find_emitter(forms_[step]) == nullptr) {
        return Error(ErrorCode::kUnsupported, "operator " + std::to_string(op.index) + " (" +
                                                  layer.op + "): no code generator takes it");
      }
      network_.layers.push_back(std::move(layer));
    }
    name_carriers_of_aliases(graph_, storage_.is_alias, network_.layers);
    for (const StripFlow& flow : flows_)
      for (int step = flow.first_step + 1; step <= flow.last_step; ++step)
        network_.layers[static_cast<size_t>(step)].fused_into = flow.group.first;
    return ok_status();
  }

  // Where frames arrive, in a step.
  int64_t macs_executed_in(size_t step) const {
    const auto f = flow_at(flows_, step);
    if (!f || flows_[*f].hop == 0) return macs_of(forms_[step]);
    int64_t macs = 0;
    for (const RowCall& call : flows_[*f].strips.back().calls)
      if (call.step == step) macs += macs_of(flows_[*f].variants[call.variant].form);
    return macs;
  }

  // One kernel, or one for each half or each variant of a strip; of the layer's facts, those of the
  // variant that is called most are told. Weights of halves and strips are not decoded: each call
  // would do it again.
  Status choose_kernels_of(size_t step, GeneratedLayer& layer) {
    uint32_t scratch = 0;
    int most_calls = 0;
    const auto flow = flow_at(flows_, step);
    const bool compress = compresses_ && !flow && !splits_[step];
    const auto choose = [&](const IntegerOp& form, int calls) -> Result<KernelCall> {
      TT_TRY_ASSIGN(KernelCall call, kernels_.add(std::get<KernelOp>(form), layer.index, compress,
                                                  parts_.constants));
      scratch = std::max(scratch, call.scratch_bytes);
      if (calls > most_calls) {
        most_calls = calls;
        layer.tuned = call.tuned;
        layer.schedule = call.schedule;
      }
      return call;
    };
    if (splits_[step]) {
      for (size_t core = 0; core < 2; ++core) {
        const int calls = core == 0 ? 1 : 2;  // the second has no fewer rows
        TT_TRY_ASSIGN(halves_[step][core].call, choose((*splits_[step])[core].form, calls));
        add_scratch(step, halves_[step][core].call->scratch_bytes, halves_[step][core].scratch);
      }
      return ok_status();
    }
    if (arriving_.arrives(step)) {
      TT_TRY_ASSIGN(calls_[step],
                    arriving_.choose(step, std::get<KernelOp>(forms_[step]), layer_symbol(step),
                                     kernels_, parts_.constants, layer));
      scratch = calls_[step]->scratch_bytes;
    } else if (!flow) {
      TT_TRY_ASSIGN(calls_[step], choose(forms_[step], 1));
    } else {
      const std::vector<StripVariant>& variants = flows_[*flow].variants;
      for (size_t v = 0; v < variants.size(); ++v) {
        if (variants[v].step != step) continue;
        TT_TRY_ASSIGN(strip_calls_[*flow][v], choose(variants[v].form, variants[v].calls));
      }
    }
    add_scratch(step, scratch, scratch_[step]);
    return ok_status();
  }

  void add_scratch(size_t step, uint32_t bytes, std::optional<size_t>& buffer) {
    if (bytes == 0) return;
    buffer = storage_.buffers.size();
    const int at = static_cast<int>(step);
    storage_.buffers.push_back({bytes, at, at});
  }

  void plan() {
    plan_ = plan_memory(storage_.buffers);
    if (core_words_) parts_.core_words = plan_.offsets[*core_words_];
    arriving_.settle(plan_);
    for (const int t : graph_.inputs) parts_.inputs.push_back({graph_.tensor(t), offset_of(t)});
    for (const int t : graph_.outputs) parts_.outputs.push_back({graph_.tensor(t), offset_of(t)});
    for (const Tensor& t : graph_.tensors)
      if (t.is_variable) parts_.state.push_back({{t, offset_of(t.id)}, initial_array(t)});
  }

  std::string initial_array(const Tensor& variable) {
    const std::vector<uint8_t>& data = variable.data;
    if (std::all_of(data.begin(), data.end(),
                    [&](uint8_t byte) { return byte == reset_byte(variable); }))
      return {};
    return parts_.constants.add(parts_.name + "_tensor_" + std::to_string(variable.id),
                                CType::kUint8, data);
  }

  // Of the first flow, once its function is printed.
  void describe_stream() {
    if (flows_.empty() || !flows_[0].streamed) return;
    const StripFlow& flow = flows_[0];
    const Tensor& input = graph_.tensor(*flow.streamed);
    parts_.stream = {input.shape[1], flow.hop, static_cast<uint32_t>(row_bytes(input)),
                     parts_.name + "_rows"};
    parts_.arrival = {
        parts_.calls.at(0).symbol, offset_of(input.id), plan_.offsets[*storage_.progress], {}, {}};
    say_what_strips_await(flow, input.shape[1], parts_.arrival);
  }

  uint32_t offset_of(int tensor) const {
    const auto& buffer = storage_.buffer_of[static_cast<size_t>(tensor)];
    TT_CHECK(buffer.has_value(), "tensor " + std::to_string(tensor) + " is not in the arena");
    return plan_.offsets[*buffer];
  }

  std::string comment(size_t step) const {
    return comment_of_layer(graph_, graph_.operators[step], calls_[step]);
  }

  void emit_layers() {
    std::vector<std::optional<ArenaPlace>> places(graph_.tensors.size());
    for (size_t t = 0; t < places.size(); ++t)
      if (storage_.buffer_of[t])
        places[t] = {plan_.offsets[*storage_.buffer_of[t]],
                     static_cast<uint32_t>(graph_.tensors[t].bytes())};
    LayerPrinter printer(parts_.name, graph_, places, parts_.constants, parts_.shared,
                         internal::has_fpu(parts_.device.target));
    for (size_t step = 0; step < forms_.size(); ++step) {
      if (storage_.is_alias[step]) continue;
      if (const Operator& op = graph_.operators[step]; is_mark(op.kind)) {
        parts_.calls.push_back({"", op.kind, condition_of(op)});
        continue;
      }
      const LayerSite site{layer_symbol(step), comment(step), graph_.operators[step]};
      if (const auto f = flow_at(flows_, step)) {
        if (static_cast<int>(step) == flows_[*f].first_step)
          call(step, print_strips(printer, graph_, flows_[*f], strip_site(*f, places)));
      } else if (splits_[step]) {
        call_halves(step, printer, places);
      } else if (arriving_.arrives(step)) {
        call(step,
             arriving_.print(step, site, *places[static_cast<size_t>(site.op.inputs[0])],
                             *places[static_cast<size_t>(site.op.outputs[0])], scratch_of(step)));
      } else if (calls_[step]) {
        call(step, printer.kernel_layer(site, *calls_[step], scratch_of(step)));
      } else {
        call(step, printer.emitted_layer(site, forms_[step]));
      }
    }
    for (size_t f = 0; f < times_called_.size(); ++f)
      if (times_called_[f] > 1)
        parts_.functions[f].comment +=
            ", and " + std::to_string(times_called_[f] - 1) + " more like it";
  }

  void call_halves(size_t step, LayerPrinter& printer,
                   const std::vector<std::optional<ArenaPlace>>& places) {
    const Operator& op = graph_.operators[step];
    std::array<std::string, 2> symbols;
    for (size_t core = 0; core < 2; ++core) {
      const HalfLayer& half = (*splits_[step])[core];
      LayerPrinter::Operands operands = operands_of(graph_, op, half, places);
      operands.scratch = place_of_buffer(halves_[step][core].scratch);
      const LayerSite site{symbol_of_rows(parts_.name, op, half.out),
                           comment_of_rows(comment(step), half.out), op};
      symbols[core] =
          function_for(printer.placed_layer(site, half.form, halves_[step][core].call, operands));
    }
    network_.layers[step].symbol = symbols[0];
    network_.layers[step].other_symbol = symbols[1];
    parts_.calls.push_back({symbols[0], {}, 0, symbols[1]});
  }

  void call(size_t step, LayerFunction function) {
    if (!arriving_.arrives(step)) arriving_.begin_in(step, function);
    network_.layers[step].symbol = function_for(std::move(function));
    parts_.calls.push_back({network_.layers[step].symbol});
  }

  // A function with a body that is there already is not printed again.
  const std::string& function_for(LayerFunction function) {
    const auto [same, is_new] = function_of_.try_emplace(function.body, times_called_.size());
    if (is_new) {
      parts_.functions.push_back(std::move(function));
      times_called_.push_back(0);
    }
    ++times_called_[same->second];
    return parts_.functions[same->second].symbol;
  }

  uint32_t condition_of(const Operator& op) const {
    const bool asks = op.kind == OperatorKind::kIf || op.kind == OperatorKind::kDo;
    return asks ? offset_of(op.inputs[0]) : 0;
  }

  StripSite strip_site(size_t f, const std::vector<std::optional<ArenaPlace>>& places) const {
    const StripFlow& flow = flows_[f];
    const std::string from = std::to_string(flow.group.first), to = std::to_string(flow.group.last);
    StripSite site{parts_.name + "_layers_" + from + "_" + to,
                   from + " to " + to + ", " + std::to_string(flow.strips.size()) +
                       " strips of up to " + std::to_string(flow.group.rows) + " rows",
                   {},
                   strip_calls_[f],
                   {},
                   places};
    for (int at = flow.first_step; at <= flow.last_step; ++at) {
      const auto step = static_cast<size_t>(at);
      site.layer_symbols.push_back(layer_symbol(step));
      site.scratch.push_back(scratch_of(step));
      site.comment += "; " + comment(step);
    }
    if (flow.streamed) site.progress = {plan_.offsets[*storage_.progress], RowProgress::kBytes};
    if (const auto& moved = storage_.moved[f]) {
      std::optional<ArenaPlace>& place = site.places[static_cast<size_t>(moved->tensor)];
      const ArenaPlace there{plan_.offsets[moved->buffer], place->bytes};
      site.first = {*place, there};
      place = there;
    }
    return site;
  }

  std::optional<ArenaPlace> scratch_of(size_t step) const {
    return place_of_buffer(scratch_[step]);
  }

  std::optional<ArenaPlace> place_of_buffer(const std::optional<size_t>& buffer) const {
    if (!buffer) return std::nullopt;
    return ArenaPlace{plan_.offsets[*buffer], storage_.buffers[*buffer].bytes};
  }

  void describe_tensors() {
    for (size_t t = 0; t < executed_.graph.tensors.size(); ++t)
      if (storage_.buffer_of[t] && !executed_.altered[t] && !storage_.is_window[t])
        network_.tensors.push_back({static_cast<int>(t), plan_.offsets[*storage_.buffer_of[t]],
                                    static_cast<uint32_t>(graph_.tensors[t].bytes()),
                                    storage_.first_step[t], storage_.last_step[t], layout_of_[t]});
  }

  NetworkParts parts_;
  const IntegerNetwork& executed_;
  const Graph& graph_;  // with layout transforms, whose tensors come after the model's
  const std::vector<IntegerOp>& forms_;
  const std::vector<Layout>& layout_of_;
  const std::vector<StripFlow>& flows_;
  const std::vector<std::optional<SplitLayer>>& splits_;  // by step
  KernelSet kernels_;
  Storage storage_;
  MemoryPlan plan_;
  std::vector<std::optional<KernelCall>> calls_;                     // by step
  std::vector<std::optional<size_t>> scratch_;                       // buffer, by step
  std::vector<std::vector<std::optional<KernelCall>>> strip_calls_;  // by flow and variant
  struct Half {
    std::optional<KernelCall> call;
    std::optional<size_t> scratch;  // buffer
  };
  std::vector<std::array<Half, 2>> halves_;              // by step
  std::optional<size_t> core_words_;                     // buffer
  std::unordered_map<std::string, size_t> function_of_;  // by body
  std::vector<size_t> times_called_;                     // by function
  bool shares_layers_;
  bool compresses_;
  std::optional<ArenaShare> share_;
  ArrivingLayers arriving_;
  GeneratedNetwork network_;
};

}  // namespace

Result<GeneratedNetwork> generate_network(const IntegerNetwork& network, const Device& device,
                                          const ScheduleSource& schedules,
                                          const NetworkOptions& options) {
  if (!is_network_name(options.name))
    return Error(ErrorCode::kInvalidInput, "\"" + options.name + "\" is no name for a network");
  const LaidOutGraph executed = laid_out(network, options);
  TT_TRY_ASSIGN(const std::vector<StripFlow> flows, strip_flows(executed, options.strips));
  TT_TRY_ASSIGN(const auto splits, split_layers(executed, flows, options.splits));
  Generation generation(network, executed, flows, splits, device, schedules, options);
  TT_TRY_ASSIGN(GeneratedNetwork generated, generation.run());
  generated.builds = options.builds;
  return generated;
}

}  // namespace tinytune
