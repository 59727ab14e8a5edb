// Operators without kernel templates, printed as plain C from their integer form.
//
// An emitter is a function of one integer form. What it prints is exact C11: no library calls,
// arithmetic that wraps on purpose is unsigned, floating point only where the core has a unit for
// it (models/operators/quantize/emit_float_unit.h). Everything known when generating is folded into
// the text, so the compiler sees constants.
#pragma once

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
  /// RV32: some 28 registers for a loop, load offsets up to 2 KiB, no scaled indices.
  bool is_rv32 = false;
  bool has_pairs = false;  ///< it multiplies two pairs of 16 bits at a time (Arm's DSP extension)
  bool slow_constants = false;  ///< a byte of them takes more than a cycle to arrive in the cache

  /// Unrolls loops over elements. RV32 takes more elements, because its loops have more
  /// instructions of their own, and compares with "!=", because for "<" LLVM keeps two counters.
  ElementPass element_pass() const { return is_rv32 ? ElementPass{8, "!="} : ElementPass{}; }
};

/// The names that an emitter may use in its statements. Asking for a name records its use, so that
/// nothing has to be read back from the text.
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

/// One emitter for each integer form, beside its reference.
namespace emitter {

/// emit(): the statements of the operator's function. in_place(): whether the output may be written
/// over input `i`, of the same size, as it is read.
#define INTEGER_FORM(type)                                \
  std::string emit(const type& op, EmitContext& context); \
  bool in_place(const type& op, int i);
#include "models/integer_forms.inc"
#undef INTEGER_FORM

}  // namespace emitter

/// Call emit() and in_place() of the operator's form. KernelOp has no statements and is never in
/// place.
std::string emit_operator(const IntegerOp& op, EmitContext& context);
bool runs_in_place(const IntegerOp& op, int i);

}  // namespace tinytune
