#include "models/integer_op.h"

#include "models/constant_operator.h"
#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/operators/operator_view.h"
#include "models/reference/reference.h"

namespace tinytune {

IntegerOp::IntegerOp() = default;
IntegerOp::IntegerOp(const IntegerOp&) = default;
IntegerOp::IntegerOp(IntegerOp&&) noexcept = default;
IntegerOp& IntegerOp::operator=(const IntegerOp&) = default;
IntegerOp& IntegerOp::operator=(IntegerOp&&) noexcept = default;
IntegerOp::~IntegerOp() = default;

Result<IntegerOp> prepare(const Graph& graph, const Operator& op) {
  if (reads_only_constants(graph, op)) {
    TT_TRY_ASSIGN(const ConstantOperator constant, prepare_on_constants(graph, op));
    return IntegerOp(copy_of_constants(computed(constant)));
  }
  return prepare_form(OperatorView(graph, op));
}

int64_t macs_of(const IntegerOp& op) {
  return std::visit(
      [](const auto& form) -> int64_t {
        if constexpr (requires { form.macs(); }) return form.macs();
        return 0;
      },
      op);
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
  TT_TRY_ASSIGN(const IntegerNetwork network, integer_network(graph));
  return run_reference(network, inputs);
}

}  // namespace tinytune
