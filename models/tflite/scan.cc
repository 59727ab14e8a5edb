#include "models/tflite/scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/constant_operator.h"
#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/attributes.h"
#include "models/tflite/model.h"
#include "models/tflite/tensors.h"

namespace tinytune {
namespace {

Error invalid(std::string why) { return Error(ErrorCode::kInvalidInput, std::move(why)); }

constexpr size_t kAnyNumber = SIZE_MAX;

constexpr int kCustom = 32;

struct OperatorRow {
  OperatorKind kind;
  std::string_view name;
  int code;
  size_t fewest_inputs, most_inputs;
};

constexpr OperatorRow kRows[] = {
#define OPERATOR(kind, name, code, attributes, form, fewest, most, data, limits) \
  {OperatorKind::k##kind, #name, code, fewest, most},
#include "models/operators.inc"
#undef OPERATOR
};

constexpr OperatorRow kExternalRow = {OperatorKind::kExternal, "", -1, 0, kAnyNumber};

// `name`: the name of a custom operator.
const OperatorRow* find_row(int code, std::string_view name) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const OperatorRow& r) {
    return r.code == code && (code != kCustom || r.name == name);
  });
  return row == std::end(kRows) ? nullptr : row;
}

Status check_arity(const OperatorRow& row, const std::string& label, const Operator& op) {
  if (op.inputs.size() < row.fewest_inputs || op.inputs.size() > row.most_inputs)
    return invalid(fmt::format("{}: {} inputs", label, op.inputs.size()));
  const size_t required = row.most_inputs == kAnyNumber ? op.inputs.size() : row.fewest_inputs;
  for (size_t i = 0; i < required; ++i)
    if (op.inputs[i] < 0) return invalid(fmt::format("{}: input {} is absent", label, i));
  const bool several = row.kind == OperatorKind::kSplit || row.kind == OperatorKind::kSplitV ||
                       row.kind == OperatorKind::kUnpack || row.kind == OperatorKind::kDecode;
  if (!several && op.outputs.size() != 1)
    return invalid(fmt::format("{}: {} outputs", label, op.outputs.size()));
  return ok_status();
}

std::vector<int> values_of(const flatbuffers::Vector<int>* values) {
  return values == nullptr ? std::vector<int>() : std::vector<int>(values->begin(), values->end());
}

std::string label_of(const Operator& op, const std::string& name) {
  return fmt::format("operator {} {}", op.index, name);
}

}  // namespace

TfliteScan::TfliteScan(const schema::Model& model, const std::string& name,
                       std::span<const ExternalDeclaration> externals)
    : model_(model), externals_(externals), external_is_used_(externals.size()) {
  graph.name = summary.name = name;
}

Status TfliteScan::run() {
  const auto* subgraphs = model_.subgraphs();
  if (subgraphs == nullptr || subgraphs->size() == 0) return invalid("it has no subgraph");
  TT_TRY_ASSIGN(Frame main, open(0));
  for (const int id : values_of(main.from->outputs()))
    if (const auto known = id_of(main, id, "model output"))
      is_output_[static_cast<size_t>(*known)] = true;
  TT_TRY(read_inputs(main));
  TT_TRY(place_variables(main));
  if (main.from->operators() == nullptr || main.from->operators()->size() == 0)
    return invalid("it has no operators");
  TT_TRY(read_operators(main));
  TT_TRY(check_externals());
  TT_TRY(read_outputs(main));
  clear_empty_shapes();
  describe_tensors();
  return ok_status();
}

// Runs after the operators are read, when constants and variables are known.
void TfliteScan::describe_tensors() {
  for (TensorSummary& row : summary.tensors) {
    const auto t = static_cast<size_t>(row.id);
    const Tensor& tensor = graph.tensors[t];
    row.is_constant = tensor.is_constant;
    row.quantization = tensor.quantization;
    if (refused_[t].empty() && !malformed_[t]) row.bytes = tensor.bytes();
  }
}

// Clears refused empty or dynamic shapes: no operator reads such a tensor, or the model is refused.
void TfliteScan::clear_empty_shapes() {
  const auto is_extent = [](int extent) { return extent > 0; };
  for (size_t t = 0; t < refused_.size(); ++t) {
    std::vector<int>& shape = graph.tensors[t].shape;
    if (!refused_[t].empty() && !std::ranges::all_of(shape, is_extent)) shape.clear();
  }
}

void TfliteScan::refuse(int index, std::string name, std::string reason) {
  summary.unsupported.push_back({index, std::move(name), std::move(reason)});
}

// Collects what is unsupported; any other error ends the scan.
Status TfliteScan::note(const Error& error, int index, const std::string& name) {
  if (error.code() != ErrorCode::kUnsupported) return error;
  const std::string label = fmt::format("operator {} {}: ", index, name);
  const std::string& message = error.message();
  refuse(index, name,
         message.compare(0, label.size(), label) == 0 ? message.substr(label.size()) : message);
  return ok_status();
}

// Reports a refused input or output of the model, beside operators that are refused for it.
void TfliteScan::refuse_border(const char* which, int id) {
  if (!refused_[static_cast<size_t>(id)].empty())
    refuse(-1, "model", fmt::format("{} t{}: {}", which, id, refused_[static_cast<size_t>(id)]));
}

bool TfliteScan::refuse_tensors_of(const Operator& op, const std::string& name) {
  for (const std::vector<int>* ids : {&op.inputs, &op.outputs})
    for (const int id : *ids)
      if (id >= 0 && !refused_[static_cast<size_t>(id)].empty()) {
        refuse(op.index, name, fmt::format("t{}: {}", id, refused_[static_cast<size_t>(id)]));
        return true;
      }
  return false;
}

Result<TfliteScan::Frame> TfliteScan::open(int subgraph) {
  Frame frame;
  frame.subgraph = subgraph;
  frame.from = model_.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph));
  auto tensors = read_tensors(model_, subgraph, size_);
  if (!tensors)
    return subgraph == 0 ? tensors.error()
                         : tensors.error().within(fmt::format("subgraph {}", subgraph));
  for (ReadTensor& read : *tensors) {
    const int id = static_cast<int>(graph.tensors.size());
    frame.ids.push_back(id);
    const bool is_variable = read.tensor.is_variable;
    if (read.malformed && subgraph != 0)
      read.malformed = read.malformed->within(fmt::format("subgraph {}", subgraph));
    add_tensor(std::move(read.tensor), std::move(read.summary), std::move(read.unsupported),
               std::move(read.malformed));
    if (is_variable) TT_TRY(count_activation(id));
  }
  return frame;
}

void TfliteScan::add_tensor(Tensor tensor, TensorSummary row, std::string unsupported,
                            std::optional<Error> malformed) {
  tensor.id = row.id = static_cast<int>(graph.tensors.size());
  refused_.push_back(std::move(unsupported));
  malformed_.push_back(std::move(malformed));
  ready_.push_back(tensor.is_constant || tensor.is_variable);
  is_output_.push_back(false);
  is_used_.push_back(false);
  graph.tensors.push_back(std::move(tensor));
  summary.tensors.push_back(std::move(row));
}

Result<int> TfliteScan::id_of(const Frame& frame, int id, const std::string& user) const {
  if (id < 0 || static_cast<size_t>(id) >= frame.ids.size())
    return invalid(fmt::format("{}: tensor {} does not exist", user, id));
  const int known = frame.ids[static_cast<size_t>(id)];
  if (const auto& malformed = malformed_[static_cast<size_t>(known)]) return *malformed;
  return known;
}

// Keeps -1, an absent operand.
Result<std::vector<int>> TfliteScan::ids_of(const Frame& frame, std::vector<int> ids,
                                            const std::string& user) const {
  for (int& id : ids)
    if (id != -1) {
      TT_TRY_ASSIGN(id, id_of(frame, id, user));
    }
  return ids;
}

Status TfliteScan::read_inputs(const Frame& main) {
  const std::vector<int> ids = values_of(main.from->inputs());
  if (ids.empty()) return invalid("it has no inputs");
  for (const int id : ids) {
    TT_TRY(id_of(main, id, "model input"));
    const auto at = static_cast<size_t>(id);
    if (ready_[at]) return invalid(fmt::format("model input t{} is a constant or given twice", id));
    ready_[at] = true;
    TT_TRY(count_activation(id));
    graph.inputs.push_back(id);
    refuse_border("input", id);
    // A free batch size is what converters write and TFLite fixes at 1; any other is dynamic.
    const auto* tensor = main.from->tensors()->Get(static_cast<flatbuffers::uoffset_t>(id));
    if (const auto* signature = tensor->shape_signature())
      for (flatbuffers::uoffset_t i = 1; i < signature->size(); ++i)
        if (signature->Get(i) == -1 && refused_[at].empty())
          refuse(-1, "model", fmt::format("input t{} has a dynamic shape (axis {})", id, i));
  }
  summary.inputs = graph.inputs;
  return ok_status();
}

Status TfliteScan::read_outputs(const Frame& main) {
  const std::vector<int> ids = values_of(main.from->outputs());
  if (ids.empty()) return invalid("it has no outputs");
  for (const int local : ids) {
    TT_TRY_ASSIGN(const int id, id_of(main, local, "model output"));
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

Result<TfliteScan::Code> TfliteScan::code_of(const schema::Operator& from, int index) const {
  const auto number = builtin_code(model_, from);
  if (!number)
    return invalid(
        fmt::format("operator {}: operator code {} does not exist", index, from.opcode_index()));
  const schema::OperatorCode& code = *model_.operator_codes()->Get(from.opcode_index());
  const char* known = builtin_name(*number);
  std::string name = known != nullptr ? known : fmt::format("operator code {}", *number);
  std::string custom;
  if (*number == kCustom && code.custom_code() != nullptr) {
    custom = printable_ascii(code.custom_code()->string_view());
    name += " " + custom;
  }
  return Code{*number, name, custom};
}

// Checks that ids are in range, operands ready and results new, also for unsupported operators. But
// those may keep state in a tensor that nothing computes; they are reported as unsupported instead.
Status TfliteScan::link(const Frame& frame, const schema::Operator& from, const std::string& label,
                        bool is_known, Operator& op) {
  TT_TRY_ASSIGN(op.inputs, ids_of(frame, values_of(from.inputs()), label));
  // Data of an unsupported type is not read; the operator is then reported for using such a tensor.
  for (const int id : op.inputs)
    if (id >= 0 && is_known && !ready_[static_cast<size_t>(id)] &&
        refused_[static_cast<size_t>(id)].empty())
      return invalid(fmt::format("{}: t{} is read before it is computed", label, id));
  if (from.outputs() == nullptr || from.outputs()->size() == 0)
    return invalid(label + ": it has no outputs");
  for (const int local : *from.outputs()) {
    TT_TRY_ASSIGN(const int id, id_of(frame, local, label));
    if (ready_[static_cast<size_t>(id)])
      return invalid(fmt::format("{}: t{} is computed twice, constant or an input", label, id));
    ready_[static_cast<size_t>(id)] = true;
    op.outputs.push_back(id);
    TT_TRY(count_activation(id));
  }
  return ok_status();
}

// Refused tensors have no meaningful size, and nothing is allocated for them.
Status TfliteScan::count_activation(int id) {
  const auto at = static_cast<size_t>(id);
  return refused_[at].empty() ? size_.add_activation(graph.tensors[at].bytes()) : ok_status();
}

// Returns the function that was declared for an operator; adds it to the graph.
const ExternalFunction* TfliteScan::external_of(const std::string& name) {
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

Status TfliteScan::check_externals() const {
  for (size_t i = 0; i < externals_.size(); ++i)
    if (!external_is_used_[i])
      return invalid(
          fmt::format("it has no operator {} to leave to {}(); `tune inspect` lists those it has",
                      externals_[i].op, externals_[i].function.name));
  return ok_status();
}

Status TfliteScan::read_operators(Frame& frame) {
  if (frame.from->operators() == nullptr) return ok_status();
  for (const schema::Operator* op : *frame.from->operators()) {
    if (summary.operators.size() >= kMostOperators)
      return invalid(fmt::format("it has more than {} operators", kMostOperators));
    TT_TRY(read_operator(frame, *op));
  }
  return ok_status();
}

Status TfliteScan::read_operator(Frame& frame, const schema::Operator& from) {
  Operator op;
  op.index = static_cast<int>(summary.operators.size());
  TT_TRY_ASSIGN(Code code, code_of(from, op.index));
  const ExternalFunction* external = external_of(code.name);
  const OperatorRow* row = external != nullptr ? &kExternalRow : find_row(code.number, code.custom);
  if (row != nullptr && code.number == kCustom && external == nullptr) code.name = code.custom;
  const std::string label = label_of(op, code.name);
  if (row != nullptr) op.kind = row->kind;
  if (row != nullptr && op.kind == OperatorKind::kVarHandle) return read_handle(frame, from, op);
  if (row != nullptr && op.kind == OperatorKind::kAssignVariable)
    return read_assignment(frame, from, op);
  if (row != nullptr && op.kind == OperatorKind::kCallOnce) return read_call_once(frame, from, op);
  if (row != nullptr && op.kind == OperatorKind::kIf) return read_if(frame, from, op);
  if (row != nullptr && op.kind == OperatorKind::kWhile) return read_while(frame, from, op);
  TT_TRY(link(frame, from, label, row != nullptr, op));
  list(op, code.name);
  if (row == nullptr) {
    const bool by_vela = code.name == "CUSTOM ethos-u";
    refuse(op.index, code.name, by_vela ? "a command stream of an Ethos-U" : "not supported");
    return ok_status();
  }
  if (external == nullptr) TT_TRY(check_arity(*row, label, op));
  TT_TRY(check_handles(op, label));
  if (refuse_tensors_of(op, code.name)) return ok_status();
  auto attributes = external != nullptr ? external_attributes(code.name, *external, from)
                                        : read_attributes(op.kind, from);
  if (!attributes) return note(attributes.error().within(label), op.index, code.name);
  op.attributes = std::move(attributes).value();
  const int first_output = op.outputs[0];
  TT_TRY(take(std::move(op), code.name));
  if (frame.initialises && !graph.tensor(first_output).is_constant)
    refuse(-1, "model", fmt::format("{}: a CALL_ONCE may compute constants alone", label));
  return ok_status();
}

void TfliteScan::list(const Operator& op, const std::string& name) {
  summary.operators.push_back({op.index, name, op.inputs, op.outputs, 0});
}

Status TfliteScan::take(Operator op, const std::string& name) {
  for (const std::vector<int>* ids : {&op.inputs, &op.outputs})
    for (const int id : *ids)
      if (id >= 0) is_used_[static_cast<size_t>(id)] = true;
  if (const Status prepared = prepare_operator(op); !prepared)
    return note(prepared.error(), op.index, name);
  summary.macs += summary.operators.back().macs;
  graph.operators.push_back(std::move(op));
  return ok_status();
}

// Computes operators that read only constants, except outputs of the network, which are read in the
// arena.
Status TfliteScan::prepare_operator(const Operator& op) {
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

}  // namespace tinytune
