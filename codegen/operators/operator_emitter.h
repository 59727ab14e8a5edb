// Operators without kernel templates, printed as plain C from their integer form.
//
// A family of operators is one file with one row, listed in emitters.inc. What an emitter prints is
// exact C11: no library calls, arithmetic that wraps on purpose is unsigned, floating point only
// where the core has a unit for it (float_unit.h).
// Everything known when generating is folded into the text, so the compiler sees constants.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/constant_pool.h"
#include "codegen/operators/shared_functions.h"
#include "codegen/operators/uses.h"
#include "models/integer_op.h"

namespace tinytune {

/// What emitters know of the core.
struct CoreFacts {
  bool has_fpu = false;   ///< it computes float32 in single instructions
  bool in_order = false;  ///< it issues one instruction at a time, and waits for loads
  /// Some 28 registers for a loop's own, loads that reach 2 KiB, indices that are not scaled.
  bool is_rv32 = false;

  /// Unrolls loops over elements. RV32 takes more elements, because its loops have more
  /// instructions of their own, and compares with "!=", because for "<" LLVM keeps two counters.
  ElementPass element_pass() const { return is_rv32 ? ElementPass{8, "!="} : ElementPass{}; }
};

/// What an emitter may name in the statements it prints. Asking for a name is what records its use,
/// so that nothing has to be read back from the text.
class EmitContext {
 public:
  struct Site {
    std::string network;                  ///< prefix of every symbol
    std::string layer;                    ///< the operator's function: prefix of its constants
    std::vector<bool> input_is_constant;  ///< in the operator's own order; absent inputs are
    CoreFacts core = {};
  };
  EmitContext(Site site, ConstantPool& constants, SharedFunctions& functions)
      : site_(std::move(site)),
        inputs_used_(site_.input_is_constant.size()),
        constants_(constants),
        functions_(functions) {}

  /// A pointer to the elements of input `i`, constant or not; the statements may move it.
  std::string input(size_t i);
  /// The same of the i-th input that is no constant.
  std::string activation(size_t i);
  /// A pointer to the elements of output `i`.
  std::string output(size_t i = 0) const;
  /// An array of the layer's own, or an older one with the same contents.
  std::string constant(const std::string& name, CType type, std::vector<uint8_t> bytes);
  /// A function that other operators may call too.
  std::string helper(const SharedFunction& function);

  const CoreFacts& core() const { return site_.core; }

  const Uses& uses() const { return uses_; }
  const std::vector<bool>& inputs_used() const { return inputs_used_; }

 private:
  Site site_;
  std::vector<bool> inputs_used_;
  Uses uses_;
  ConstantPool& constants_;
  SharedFunctions& functions_;
};

/// One family of operators.
struct OperatorEmitter {
  bool (*takes)(const IntegerOp&);
  /// Whether the output may be written over input `i`, of the same size, as it is read.
  bool (*in_place)(const IntegerOp&, int i);
  /// The statements of the operator's function.
  std::string (*emit)(const IntegerOp&, EmitContext&);
};

/// Every emitter of this build, in the order of emitters.inc.
std::span<const OperatorEmitter> operator_emitters();

/// Nothing where no emitter takes the operator.
const OperatorEmitter* find_emitter(const IntegerOp& op);

}  // namespace tinytune
