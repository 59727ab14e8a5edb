// Operators without kernel templates, printed as plain C from their integer form.
//
// A family of operators is one file with one row, listed in emitters.inc. What an emitter prints is
// exact C11: no library calls, no floating point, arithmetic that wraps on purpose is unsigned.
// Everything known when generating is folded into the text, so the compiler sees constants.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/constant_pool.h"
#include "models/integer_op.h"

namespace tinytune {

/// C functions that several operators share; each is printed once, and only where it is needed.
class SharedFunctions {
 public:
  /// `text` is a whole definition; the first one under a name stays.
  void need(const std::string& name, const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> names_, texts_;
};

/// `text` from its second character (a raw string's first line break), every '@' the prefix.
std::string with_prefix(std::string text, const std::string& prefix);

struct EmitContext {
  std::string name;   ///< of the network: prefix of every symbol
  std::string layer;  ///< of the operator's function: prefix of its constants
  /// Names of the pointers to the inputs that are not constants: "input0", ….
  std::vector<std::string> activations;
  ConstantPool& constants;
  SharedFunctions& functions;
};

/// The statements of one operator's function. They may use `input0`, `input1`, …, pointers to the
/// elements of its operands in the operator's own order, constants included, and `output` (further
/// ones are `output1`, …).
struct OperatorEmitter {
  bool (*takes)(const IntegerOp&);
  /// Whether the output may be written over input `i`, of the same size, as it is read.
  bool (*in_place)(const IntegerOp&, int i);
  std::string (*emit)(const IntegerOp&, const EmitContext&);
};

/// Every emitter of this build, in the order of emitters.inc.
std::span<const OperatorEmitter> operator_emitters();

/// Nothing where no emitter takes the operator.
const OperatorEmitter* find_emitter(const IntegerOp& op);

}  // namespace tinytune
