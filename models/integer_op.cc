#include "models/integer_op.h"

#include <fmt/format.h>

#include "models/operators/operator_view.h"
#include "models/reference/reference.h"
#include "schedules/weight_facts.h"

namespace tinytune {

Result<IntegerOp> prepare(const Graph& graph, const Operator& op) {
  const OperatorView view(graph, op);
  switch (op.kind) {
#define OPERATOR(kind, name, code, attributes, form, ...) \
  case OperatorKind::k##kind:                             \
    return prepare_##form(view);
#include "models/operators.inc"
#undef OPERATOR
  }
  return view.unsupported("no such operator");
}

Result<IntegerOp> integer_form(const Graph& graph, const Operator& op) {
  TT_TRY_ASSIGN(IntegerOp form, prepare(graph, op));
  if (auto* kernel = std::get_if<KernelOp>(&form))
    kernel->workload.facts = prove_facts(kernel->workload, kernel->data);
  return form;
}

int64_t macs_of(const IntegerOp& op) {
  if (const auto* kernel = std::get_if<KernelOp>(&op)) return kernel->workload.macs();
  if (const auto* transposed = std::get_if<TransposeConvOp>(&op)) return transposed->macs();
  return 0;
}

void run_reference(const IntegerOp& op, std::span<const std::span<const uint8_t>> inputs,
                   std::span<const std::span<uint8_t>> outputs) {
  std::visit([&](const auto& form) { reference::run(form, {inputs, outputs}); }, op);
}

void run_reference(const IntegerOp& op, std::span<const std::span<const uint8_t>> inputs,
                   std::span<uint8_t> output) {
  run_reference(op, inputs, std::span<const std::span<uint8_t>>(&output, 1));
}

Result<std::vector<std::vector<uint8_t>>> run_reference(
    const Graph& graph, std::span<const std::vector<uint8_t>> inputs) {
  if (inputs.size() != graph.inputs.size())
    return Error(ErrorCode::kInvalidInput, fmt::format("{} inputs given, the model has {}",
                                                       inputs.size(), graph.inputs.size()));
  std::vector<std::vector<uint8_t>> values(graph.tensors.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs[i]);
    if (static_cast<int64_t>(inputs[i].size()) != tensor.bytes())
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("input {} is {} bytes, t{} holds {}", i, inputs[i].size(), tensor.id,
                               tensor.bytes()));
    values[static_cast<size_t>(tensor.id)] = inputs[i];
  }
  for (const Operator& op : graph.operators) {
    TT_TRY_ASSIGN(const IntegerOp form, prepare(graph, op));
    std::vector<std::span<const uint8_t>> reads;
    std::vector<std::span<uint8_t>> writes;
    for (int id : op.inputs)
      if (id >= 0 && !graph.tensor(id).is_constant)
        reads.emplace_back(values[static_cast<size_t>(id)]);
    for (int id : op.outputs) {
      values[static_cast<size_t>(id)].resize(static_cast<size_t>(graph.tensor(id).bytes()));
      writes.emplace_back(values[static_cast<size_t>(id)]);
    }
    run_reference(form, reads, writes);
  }
  return values;
}

}  // namespace tinytune
