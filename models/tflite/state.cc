// Reads resource variables: VAR_HANDLE, ASSIGN_VARIABLE and CALL_ONCE. READ_VARIABLE is an operator
// like any other.
//
// A variable is the tensor of its first handle, with the type and shape of its first value; other
// handles are aliases. So state is one kind of tensor (Tensor::is_variable), whether SVDF keeps it
// or a network does (ADR 67).
#include <fmt/format.h>

#include <algorithm>

#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/model.h"
#include "models/tflite/scan.h"
#include "models/tflite/tensors.h"

namespace tinytune {
namespace {

Error invalid(const Operator& op, const std::string& why) {
  return Error(ErrorCode::kInvalidInput,
               fmt::format("operator {} {}: {}", op.index, name_of(op.kind), why));
}

}  // namespace

Status TfliteScan::place_variables(const Frame& main) {
  variables_ = file_variables(model_);
  for (FileVariable& variable : variables_) {
    int id = static_cast<int>(graph.tensors.size());
    if (variable.handle.subgraph == 0) {
      TT_TRY_ASSIGN(id, id_of(main, variable.handle.id, "VAR_HANDLE"));
    } else {
      add_tensor({}, {});
    }
    variable.tensor = id;
    const auto at = static_cast<size_t>(id);
    const std::string name = printable_ascii(variable.shared_name);
    if (ready_[at])
      return Error(
          ErrorCode::kInvalidInput,
          fmt::format("the handle of variable '{}', t{}, is more than a handle", name, id));
    if (!variable.value) {
      refused_[at] = fmt::format("variable '{}' is never assigned", name);
      continue;
    }
    TT_TRY_ASSIGN(ReadTensor value,
                  read_tensor(model_, variable.value->subgraph, variable.value->id));
    Tensor& tensor = graph.tensors[at];
    refused_[at] = std::move(value.unsupported);
    tensor.name = summary.tensors[at].name = name;
    tensor.type = value.tensor.type;
    tensor.shape = value.tensor.shape;
    tensor.quantization = value.tensor.quantization;
    tensor.is_variable = true;
    summary.tensors[at].type = value.summary.type;
    summary.tensors[at].shape = value.summary.shape;
    TT_TRY(count_activation(id));
  }
  return ok_status();
}

bool TfliteScan::is_resource(int id) const {
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](const FileVariable& v) { return v.tensor == id; });
}

Status TfliteScan::check_handles(const Operator& op, const std::string& label) const {
  const bool takes_handle = op.kind == OperatorKind::kReadVariable;
  for (const int id : op.inputs)
    if (id >= 0 && is_resource(id) != takes_handle)
      return Error(
          ErrorCode::kInvalidInput,
          fmt::format("{}: t{} {}", label, id,
                      takes_handle ? "is no variable"
                                   : "is a variable's handle; READ_VARIABLE gives its value"));
  return ok_status();
}

Status TfliteScan::read_handle(Frame& frame, const schema::Operator& from, Operator op) {
  const auto known = find_variable(variables_, from.builtin_options_as_VarHandleOptions());
  if (!known || from.outputs() == nullptr || from.outputs()->size() != 1)
    return invalid(op, "it has no name, or not one output");
  const int local = from.outputs()->Get(0), variable = variables_[*known].tensor;
  TT_TRY_ASSIGN(const int id, id_of(frame, local, "VAR_HANDLE"));
  if (ready_[static_cast<size_t>(id)] && id != variable)
    return invalid(op, fmt::format("t{} is computed twice, constant or an input", id));
  frame.ids[static_cast<size_t>(local)] = variable;
  ready_[static_cast<size_t>(variable)] = true;
  op.outputs = {variable};
  if (frame.initialises) return ok_status();
  list(op, "VAR_HANDLE");
  graph.operators.push_back(std::move(op));
  return ok_status();
}

Status TfliteScan::read_assignment(Frame& frame, const schema::Operator& from, Operator op) {
  if (from.inputs() == nullptr || from.inputs()->size() != 2) return invalid(op, "not two inputs");
  for (const int local : *from.inputs()) {
    TT_TRY_ASSIGN(const int id, id_of(frame, local, "ASSIGN_VARIABLE"));
    if (!ready_[static_cast<size_t>(id)])
      return invalid(op, fmt::format("t{} is read before it is computed", id));
    op.inputs.push_back(id);
  }
  const int variable = op.inputs[0], value = op.inputs[1];
  if (!is_resource(variable)) return invalid(op, fmt::format("t{} is no variable", variable));
  if (is_resource(value)) return invalid(op, fmt::format("t{} is a variable's handle", value));
  op.inputs = {value};
  op.outputs = {variable};
  if (!frame.initialises) list(op, "ASSIGN_VARIABLE");
  if (refuse_tensors_of(op, "ASSIGN_VARIABLE")) return ok_status();
  if (!frame.initialises) return take(std::move(op), "ASSIGN_VARIABLE");
  Tensor &to = graph.tensors[static_cast<size_t>(variable)],
         &initial = graph.tensors[static_cast<size_t>(value)];
  if (!initial.is_constant || initial.bytes() != to.bytes()) {
    refuse(op.index, "ASSIGN_VARIABLE",
           fmt::format("CALL_ONCE may give '{}' {} constant bytes and nothing else", to.name,
                       to.bytes()));
    return ok_status();
  }
  to.data = initial.data;
  frame.initialised.push_back(variable);
  return ok_status();
}

Status TfliteScan::read_call_once(const Frame& frame, const schema::Operator& from, Operator op) {
  const auto* options = from.builtin_options_as_CallOnceOptions();
  if (options == nullptr) return invalid(op, "its options are missing");
  const int subgraph = options->init_subgraph_index();
  if (subgraph < 1 || static_cast<flatbuffers::uoffset_t>(subgraph) >= model_.subgraphs()->size())
    return invalid(op, fmt::format("it has no subgraph {} to call", subgraph));
  if (frame.subgraph != 0) {
    refuse(op.index, "CALL_ONCE", "it stands in a subgraph");
    return ok_status();
  }
  const int index = op.index;
  const size_t place = graph.operators.size();
  list(op, "CALL_ONCE");
  graph.operators.push_back(std::move(op));
  TT_TRY_ASSIGN(Frame called, open(subgraph));
  called.initialises = true;
  TT_TRY(read_operators(called));
  for (const int variable : called.initialised)
    if (is_used_[static_cast<size_t>(variable)])
      refuse(index, "CALL_ONCE",
             fmt::format("'{}' is used before it is initialised", graph.tensor(variable).name));
  graph.operators[place].outputs = std::move(called.initialised);
  return ok_status();
}

}  // namespace tinytune
