#include "codegen/operators/operator_emitter.h"

#include "base/check.h"

namespace tinytune {

std::string EmitContext::input(size_t i) {
  TT_CHECK(i < inputs_used_.size(), "an operand of the operator");
  inputs_used_[i] = true;
  return "input" + std::to_string(i);
}

std::string EmitContext::activation(size_t i) {
  size_t operand = 0;
  for (; operand < site_.input_is_constant.size(); ++operand)
    if (!site_.input_is_constant[operand] && i-- == 0) break;
  return input(operand);
}

std::string EmitContext::output(size_t i) const {
  return i == 0 ? "output" : "output" + std::to_string(i);
}

std::string EmitContext::constant(const std::string& name, CType type, std::vector<uint8_t> bytes) {
  const std::string symbol = constants_.add(site_.layer + "_" + name, type, std::move(bytes));
  add_once(uses_.constants, symbol);
  return symbol;
}

std::string EmitContext::helper(const SharedFunction& function) {
  functions_.need(function);
  const std::string symbol = symbol_of(function, site_.network);
  add_once(uses_.helpers, symbol);
  return symbol;
}

namespace emitter {

static std::string emit(const KernelOp&, EmitContext&) {
  TT_CHECK(false, "kernels are called, not printed");
  return {};
}
static bool in_place(const KernelOp&, int) { return false; }

}  // namespace emitter

std::string emit_operator(const IntegerOp& op, EmitContext& context) {
  return std::visit([&](const auto& form) { return emitter::emit(form, context); }, op);
}

bool runs_in_place(const IntegerOp& op, int i) {
  return std::visit([&](const auto& form) { return emitter::in_place(form, i); }, op);
}

}  // namespace tinytune
