#include "models/constant_operator.h"

#include <algorithm>

#include "models/operator_kind.h"
#include "models/operators/operator_view.h"

namespace tinytune {
namespace {

constexpr size_t kEveryInput = SIZE_MAX, kNoInput = SIZE_MAX - 1, kNever = SIZE_MAX - 2;

size_t data_input(OperatorKind kind) {
  static constexpr size_t kDataInput[] = {
#define OPERATOR(kind, name, code, attributes, form, fewest, most, data, limits) data,
#include "models/operators.inc"
#undef OPERATOR
  };
  return kDataInput[static_cast<size_t>(kind)];
}

bool holds_data(OperatorKind kind, size_t input) {
  const size_t only = data_input(kind);
  return only == kEveryInput || only == input;
}

}  // namespace

bool reads_only_constants(const Graph& graph, const Operator& op) {
  // User functions are never folded; import folds integer operators; the rest is of IF and WHILE.
  if (op.kind >= OperatorKind::kExternal) return false;
  for (const int id : op.inputs)
    if (id >= 0 && graph.tensor(id).is_variable) return false;  // it changes from call to call
  if (data_input(op.kind) == kNoInput) return true;
  bool reads = false;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] < 0) continue;
    if (!graph.tensor(op.inputs[i]).is_constant) return false;  // weights may be computed, too
    reads = reads || holds_data(op.kind, i);
  }
  return reads;
}

Result<ConstantOperator> prepare_on_constants(const Graph& graph, const Operator& op) {
  // A graph of this operator alone. Its tensors keep their ids, for messages.
  Graph alone;
  alone.arithmetic = graph.arithmetic;
  Operator same = op;
  ConstantOperator result;
  const auto take = [&](int& id) {
    alone.tensors.push_back(graph.tensor(id));
    id = static_cast<int>(alone.tensors.size()) - 1;
  };
  for (size_t i = 0; i < same.inputs.size(); ++i) {
    if (same.inputs[i] < 0) continue;
    take(same.inputs[i]);
    if (!holds_data(op.kind, i)) continue;
    Tensor& data = alone.tensors.back();
    data.is_constant = false;
    result.inputs.push_back(std::move(data.data));
  }
  for (int& id : same.outputs) {
    take(id);
    result.output_bytes.push_back(alone.tensors.back().bytes());
  }
  TT_TRY_ASSIGN(result.form, prepare_form(OperatorView(alone, same)));
  return result;
}

std::vector<std::vector<uint8_t>> computed(const ConstantOperator& op) {
  std::vector<std::vector<uint8_t>> outputs;
  for (const int64_t bytes : op.output_bytes) outputs.emplace_back(static_cast<size_t>(bytes));
  const std::vector<std::span<const uint8_t>> reads(op.inputs.begin(), op.inputs.end());
  const std::vector<std::span<uint8_t>> writes(outputs.begin(), outputs.end());
  run_reference(op.form, reads, writes);
  return outputs;
}

MoveOp copy_of_constants(std::vector<std::vector<uint8_t>> outputs) {
  MoveOp copy;
  for (size_t i = 0; i < outputs.size(); ++i) {
    MoveOp::Box box;
    box.constant = box.output = static_cast<int>(i);
    box.extents.back() = static_cast<int>(outputs[i].size());
    box.input_steps.back() = box.output_steps.back() = 1;
    copy.boxes.push_back(box);
    copy.output_elements.push_back(static_cast<int64_t>(outputs[i].size()));
  }
  copy.constants = std::move(outputs);
  return copy;
}

}  // namespace tinytune
