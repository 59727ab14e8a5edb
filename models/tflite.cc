// Import in two readings of one scan: what the file holds, and what of it is not supported. The
// two cannot disagree: import succeeds exactly when the summary's list of refusals is empty.
#include "models/tflite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "models/constant_operator.h"
#include "models/external_operator.h"
#include "models/integer_op.h"
#include "models/limits.h"
#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/summary.h"
#include "models/tflite_attributes.h"
#include "models/tflite_model.h"
#include "models/tflite_tensors.h"

namespace tinytune {
namespace {

Error invalid(std::string why) { return Error(ErrorCode::kInvalidInput, std::move(why)); }

constexpr size_t kAnyNumber = SIZE_MAX;

struct OperatorRow {
  OperatorKind kind;
  int code;
  size_t fewest_inputs, most_inputs;
};

constexpr OperatorRow kRows[] = {
#define OPERATOR(kind, name, code, attributes, form, fewest, most, data) \
  {OperatorKind::k##kind, code, fewest, most},
#include "models/operators.inc"
#undef OPERATOR
};

constexpr OperatorRow kExternalRow = {OperatorKind::kExternal, -1, 0, kAnyNumber};

const OperatorRow* find_row(int code) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const OperatorRow& r) { return r.code == code; });
  return row == std::end(kRows) ? nullptr : row;
}

class Scan {
 public:
  Scan(const schema::Model& model, const std::string& name,
       std::span<const ExternalDeclaration> externals)
      : model_(model), externals_(externals), external_is_used_(externals.size()) {
    graph.name = summary.name = name;
  }

  Status run() {
    const auto* subgraphs = model_.subgraphs();
    if (subgraphs == nullptr || subgraphs->size() == 0) return invalid("it has no subgraph");
    if (subgraphs->size() > 1)
      refuse(-1, "model", fmt::format("it has {} subgraphs", subgraphs->size()));
    const schema::SubGraph& from = *subgraphs->Get(0);
    TT_TRY_ASSIGN(std::vector<ReadTensor> tensors, read_tensors(model_, size_));
    for (ReadTensor& t : tensors) {
      refused_.push_back(std::move(t.unsupported));
      graph.tensors.push_back(std::move(t.tensor));
      summary.tensors.push_back(std::move(t.summary));
    }
    ready_.resize(graph.tensors.size());
    for (size_t i = 0; i < ready_.size(); ++i) {
      ready_[i] = graph.tensors[i].is_constant || graph.tensors[i].is_variable;
      if (graph.tensors[i].is_variable) TT_TRY(count_activation(static_cast<int>(i)));
    }
    is_output_.resize(graph.tensors.size());
    if (from.outputs() != nullptr)
      for (const int id : *from.outputs())
        if (check_id(id, "model output")) is_output_[static_cast<size_t>(id)] = true;
    TT_TRY(read_inputs(from));
    if (from.operators() == nullptr || from.operators()->size() == 0)
      return invalid("it has no operators");
    if (from.operators()->size() > kMostOperators)
      return invalid(fmt::format("it has more than {} operators", kMostOperators));
    for (flatbuffers::uoffset_t i = 0; i < from.operators()->size(); ++i)
      TT_TRY(read_operator(*from.operators()->Get(i), static_cast<int>(i)));
    TT_TRY(check_externals());
    return read_outputs(from);
  }

  Graph graph;
  ModelSummary summary;

 private:
  void refuse(int index, std::string name, std::string reason) {
    summary.unsupported.push_back({index, std::move(name), std::move(reason)});
  }

  Status check_id(int id, const std::string& user) const {
    if (id < 0 || static_cast<size_t>(id) >= graph.tensors.size())
      return invalid(fmt::format("{}: tensor {} does not exist", user, id));
    return ok_status();
  }

  Status read_inputs(const schema::SubGraph& from) {
    if (from.inputs() == nullptr || from.inputs()->size() == 0) return invalid("it has no inputs");
    for (int id : *from.inputs()) {
      TT_TRY(check_id(id, "model input"));
      const auto at = static_cast<size_t>(id);
      if (ready_[at])
        return invalid(fmt::format("model input t{} is a constant or given twice", id));
      ready_[at] = true;
      TT_TRY(count_activation(id));
      graph.inputs.push_back(id);
      refuse_border("input", id);
      // A free batch size is what converters write and TFLite fixes at 1; any other is dynamic.
      const auto* tensor = from.tensors()->Get(static_cast<flatbuffers::uoffset_t>(id));
      if (const auto* signature = tensor->shape_signature())
        for (flatbuffers::uoffset_t i = 1; i < signature->size(); ++i)
          if (signature->Get(i) == -1 && refused_[at].empty())
            refuse(-1, "model", fmt::format("input t{} has a dynamic shape (axis {})", id, i));
    }
    summary.inputs = graph.inputs;
    return ok_status();
  }

  Status read_outputs(const schema::SubGraph& from) {
    if (from.outputs() == nullptr || from.outputs()->size() == 0)
      return invalid("it has no outputs");
    for (int id : *from.outputs()) {
      TT_TRY(check_id(id, "model output"));
      const auto at = static_cast<size_t>(id);
      if (!ready_[at]) return invalid(fmt::format("model output t{} is never computed", id));
      graph.outputs.push_back(id);
      refuse_border("output", id);
      if (graph.tensors[at].is_constant)
        refuse(-1, "model", fmt::format("output t{} is a constant", id));
      if (graph.tensors[at].is_variable)
        refuse(-1, "model", fmt::format("output t{} is a variable", id));
    }
    summary.outputs = graph.outputs;
    return ok_status();
  }

  // A border tensor that some operator also refuses is reported there.
  void refuse_border(const char* which, int id) {
    if (!refused_[static_cast<size_t>(id)].empty())
      refuse(-1, "model", fmt::format("{} t{}: {}", which, id, refused_[static_cast<size_t>(id)]));
  }

  struct Code {
    int number = 0;
    std::string name;
  };

  Result<Code> code_of(const schema::Operator& from, int index) const {
    const auto* codes = model_.operator_codes();
    if (codes == nullptr || from.opcode_index() >= codes->size())
      return invalid(
          fmt::format("operator {}: operator code {} does not exist", index, from.opcode_index()));
    const schema::OperatorCode& code = *codes->Get(from.opcode_index());
    // Old writers fill only the byte, new ones both while the number fits.
    const int number = std::max<int>(code.deprecated_builtin_code(), code.builtin_code());
    const char* known = builtin_name(number);
    std::string name = known != nullptr ? known : fmt::format("operator code {}", number);
    if (name == "CUSTOM" && code.custom_code() != nullptr)
      name += " " + printable_ascii(code.custom_code()->string_view());
    return Code{number, name};
  }

  // Ids in range, operands ready, results new. Also of operators that we lack; but those may keep
  // a state in a tensor that nothing computes (SVDF), and that they are lacking is what to say.
  Status link(const schema::Operator& from, const std::string& label, bool is_known, Operator& op) {
    if (from.inputs() != nullptr) op.inputs.assign(from.inputs()->begin(), from.inputs()->end());
    if (from.outputs() != nullptr)
      op.outputs.assign(from.outputs()->begin(), from.outputs()->end());
    for (int id : op.inputs) {
      if (id == -1) continue;
      TT_TRY(check_id(id, label));
      if (is_known && !ready_[static_cast<size_t>(id)])
        return invalid(fmt::format("{}: t{} is read before it is computed", label, id));
    }
    if (op.outputs.empty()) return invalid(label + ": it has no outputs");
    for (int id : op.outputs) {
      TT_TRY(check_id(id, label));
      if (ready_[static_cast<size_t>(id)])
        return invalid(fmt::format("{}: t{} is computed twice, constant or an input", label, id));
      ready_[static_cast<size_t>(id)] = true;
      TT_TRY(count_activation(id));
    }
    return ok_status();
  }

  // What is refused has no size that means anything, and nothing is allocated for it.
  Status count_activation(int id) {
    const auto at = static_cast<size_t>(id);
    return refused_[at].empty() ? size_.add_activation(graph.tensors[at].bytes()) : ok_status();
  }

  Status check_arity(const OperatorRow& row, const std::string& label, const Operator& op) const {
    if (op.inputs.size() < row.fewest_inputs || op.inputs.size() > row.most_inputs)
      return invalid(fmt::format("{}: {} inputs", label, op.inputs.size()));
    const size_t required = row.most_inputs == kAnyNumber ? op.inputs.size() : row.fewest_inputs;
    for (size_t i = 0; i < required; ++i)
      if (op.inputs[i] < 0) return invalid(fmt::format("{}: input {} is absent", label, i));
    const bool several = row.kind == OperatorKind::kSplit || row.kind == OperatorKind::kSplitV ||
                         row.kind == OperatorKind::kUnpack;
    if (!several && op.outputs.size() != 1)
      return invalid(fmt::format("{}: {} outputs", label, op.outputs.size()));
    return ok_status();
  }

  // The function that was declared for an operator, made known to the graph.
  const ExternalFunction* external_of(const std::string& name) {
    for (size_t i = 0; i < externals_.size(); ++i) {
      if (externals_[i].op != name) continue;
      const ExternalFunction& function = externals_[i].function;
      const auto is_same = [&](const ExternalFunction& f) { return f.name == function.name; };
      if (std::none_of(graph.externals.begin(), graph.externals.end(), is_same))
        graph.externals.push_back(function);
      external_is_used_[i] = true;
      return &function;
    }
    return nullptr;
  }

  Status check_externals() const {
    for (size_t i = 0; i < externals_.size(); ++i)
      if (!external_is_used_[i])
        return invalid(
            fmt::format("it has no operator {} to leave to {}(); `tune inspect` lists those it has",
                        externals_[i].op, externals_[i].function.name));
    return ok_status();
  }

  Status read_operator(const schema::Operator& from, int index) {
    TT_TRY_ASSIGN(const Code code, code_of(from, index));
    const std::string label = fmt::format("operator {} {}", index, code.name);
    Operator op;
    op.index = index;
    const ExternalFunction* external = external_of(code.name);
    const OperatorRow* row = external != nullptr ? &kExternalRow : find_row(code.number);
    TT_TRY(link(from, label, row != nullptr, op));
    summary.operators.push_back({index, code.name, op.inputs, op.outputs, 0});

    if (row == nullptr) {
      refuse(index, code.name, "not supported");
      return ok_status();
    }
    if (external == nullptr) TT_TRY(check_arity(*row, label, op));
    for (const std::vector<int>* ids : {&op.inputs, &op.outputs})
      for (int id : *ids)
        if (id >= 0 && !refused_[static_cast<size_t>(id)].empty()) {
          refuse(index, code.name, fmt::format("t{}: {}", id, refused_[static_cast<size_t>(id)]));
          return ok_status();
        }
    op.kind = row->kind;
    auto attributes = external != nullptr ? external_attributes(code.name, *external, from)
                                          : read_attributes(op.kind, from);
    if (!attributes) return note(attributes.error().within(label), index, code.name);
    op.attributes = std::move(attributes).value();
    if (const Status prepared = prepare_operator(op); !prepared)
      return note(prepared.error(), index, code.name);
    summary.macs += summary.operators.back().macs;
    graph.operators.push_back(std::move(op));
    return ok_status();
  }

  // What has only constants to read is computed now. Outputs of the network stay what they are:
  // they are read in the arena.
  Status prepare_operator(const Operator& op) {
    int64_t& macs = summary.operators.back().macs;
    if (!reads_only_constants(graph, op)) {
      TT_TRY_ASSIGN(const IntegerOp form, prepare(graph, op));
      macs = macs_of(form);
      return size_.add_operations(operations_of(form));
    }
    TT_TRY_ASSIGN(const ConstantOperator constant, prepare_on_constants(graph, op));
    macs = macs_of(constant.form);
    TT_TRY(size_.add_operations(operations_of(constant.form)));
    for (const int id : op.outputs)
      if (is_output_[static_cast<size_t>(id)]) return ok_status();
    for (const int64_t bytes : constant.output_bytes) TT_TRY(size_.add_constant(bytes));
    auto outputs = computed(constant);
    for (size_t i = 0; i < outputs.size(); ++i) {
      Tensor& tensor = graph.tensors[static_cast<size_t>(op.outputs[i])];
      tensor.is_constant = true;
      tensor.data = std::move(outputs[i]);
    }
    return ok_status();
  }

  // Unsupported is collected, anything worse ends the scan.
  Status note(const Error& error, int index, const std::string& name) {
    if (error.code() != ErrorCode::kUnsupported) return error;
    const std::string label = fmt::format("operator {} {}: ", index, name);
    const std::string& message = error.message();
    refuse(index, name,
           message.compare(0, label.size(), label) == 0 ? message.substr(label.size()) : message);
    return ok_status();
  }

  const schema::Model& model_;
  std::span<const ExternalDeclaration> externals_;
  std::vector<bool> external_is_used_;
  ModelSize size_;
  std::vector<std::string> refused_;  // by tensor id: why it is unsupported, or empty
  std::vector<bool> ready_;           // by tensor id: constant, input or computed so far
  std::vector<bool> is_output_;       // by tensor id: of the network
};

std::string list_of(const std::vector<Unsupported>& unsupported) {
  std::string list = "unsupported: ";
  constexpr size_t kMostListed = 50;
  for (size_t i = 0; i < unsupported.size() && i < kMostListed; ++i) {
    const Unsupported& u = unsupported[i];
    if (i > 0) list += "; ";
    list += u.index < 0 ? u.reason : fmt::format("operator {} {} ({})", u.index, u.name, u.reason);
  }
  if (unsupported.size() > kMostListed)
    list += fmt::format("; and {} more", unsupported.size() - kMostListed);
  const bool types = list.find("float") != list.npos || list.find("int16") != list.npos ||
                     list.find("uint8") != list.npos;
  if (types) list += "; convert the model with full-integer int8 quantisation";
  return list;
}

Result<Scan> scan(const TfliteModel& opened, const std::string& name,
                  std::span<const ExternalDeclaration> externals) {
  Scan result(opened.model(), name, externals);
  TT_TRY(result.run());
  return result;
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

Result<Graph> import_tflite(const std::string& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  return import_tflite(bytes, stem_of(path), path);
}

Result<Graph> import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                            const std::string& label,
                            std::span<const ExternalDeclaration> externals) {
  const std::string shown = printable_ascii(label, kLongestPath);
  auto opened = TfliteModel::open(bytes);
  if (!opened) return opened.error().within(shown);
  auto scanned = scan(*opened, name, externals);
  if (!scanned) return scanned.error().within(shown);
  if (!scanned->summary.unsupported.empty())
    return Error(ErrorCode::kUnsupported, list_of(scanned->summary.unsupported)).within(shown);
  return std::move(scanned->graph);
}

Result<Graph> import_tflite(std::span<const uint8_t> bytes, const std::string& name) {
  return import_tflite(bytes, name, name);
}

Result<ModelSummary> summarise_tflite(const std::string& path,
                                      std::span<const ExternalDeclaration> externals) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  auto opened = TfliteModel::open(bytes);
  if (!opened) return opened.error().within(printable_ascii(path, kLongestPath));
  auto scanned = scan(*opened, stem_of(path), externals);
  if (!scanned) return scanned.error().within(printable_ascii(path, kLongestPath));
  return std::move(scanned->summary);
}

}  // namespace tinytune
