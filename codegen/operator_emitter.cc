#include "codegen/operator_emitter.h"

#include <algorithm>

namespace tinytune {

#define OPERATOR_EMITTER(row) extern const OperatorEmitter row;
#include "codegen/emitters.inc"
#undef OPERATOR_EMITTER

void SharedFunctions::need(const std::string& name, const std::string& text) {
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
  names_.push_back(name);
  texts_.push_back(text);
}

std::string with_prefix(std::string text, const std::string& prefix) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, prefix);
  return text.substr(1);
}

std::span<const OperatorEmitter> operator_emitters() {
  static const OperatorEmitter rows[] = {
#define OPERATOR_EMITTER(row) row,
#include "codegen/emitters.inc"
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
