#include "codegen/operators/operator_emitter.h"

#include "base/check.h"

namespace tinytune {

#define OPERATOR_EMITTER(row) extern const OperatorEmitter row;
#include "codegen/operators/emitters.inc"
#undef OPERATOR_EMITTER

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

std::span<const OperatorEmitter> operator_emitters() {
  static const OperatorEmitter rows[] = {
#define OPERATOR_EMITTER(row) row,
#include "codegen/operators/emitters.inc"
#undef OPERATOR_EMITTER
  };
  return rows;
}

const OperatorEmitter* find_emitter(const IntegerOp& op) {
  for (const OperatorEmitter& emitter : operator_emitters())
    if (emitter.takes(op)) return &emitter;
  return nullptr;
}

}  // namespace tinytune
