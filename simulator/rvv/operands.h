// The common parts of arithmetic instructions: sources of operands, checks of register groups, and
// the loop over elements.
//
// An instruction's shape gives the widths of its operands, which determine checks and loops, so
// that an instruction is a row of the table (operations.cc) and a line that computes one element.
#pragma once

#include <algorithm>

#include "simulator/rvv/state.h"
#include "simulator/wider.h"

namespace tinytune::rvv {

enum class Shape : uint8_t {
  kNone,
  kSame,            ///< all operands of SEW
  kMaskResult,      ///< writes a bit for each element
  kCarry,           ///< operands of SEW, with a carry in from v0
  kCarryOut,        ///< writes a carry bit for each element, with or without a carry in
  kMerge,           ///< selects by v0, or moves
  kWiden,           ///< the result is twice as wide
  kWidenFirst,      ///< … and so is vs2
  kNarrow,          ///< vs2 is twice as wide
  kReduce,          ///< to element 0
  kWidenReduce,     ///< … twice as wide
  kMaskLogic,       ///< masks only
  kGather,          ///< reads any element of vs2
  kGather16,        ///< … with indices of 16 bits
  kSlideUp,         ///< writes above the elements that it reads
  kSlideDown,       ///< reads above the elements that it writes
  kCompress,        ///< packs the elements that a mask selects
  kExtend,          ///< vs1 selects the width of vs2: SEW / 2 or SEW / 4
  kMaskUnary,       ///< vs1 selects vmsbf, vmsof, vmsif, viota or vid
  kToScalar,        ///< vs1 selects vmv.x.s, vcpop or vfirst
  kFromScalar,      ///< vmv.s.x
  kWholeRegisters,  ///< vmv1r to vmv8r
};

/// An arithmetic instruction with its scalar operand read.
struct Operands {
  Code code;
  Shape shape = Shape::kNone;
  bool multiplies = false;  ///< its opcode is OPM, not OPI
  bool vector = false;      ///< the second operand is vs1, not `scalar`
  uint32_t scalar = 0;      ///< value of an integer register or an immediate
  unsigned key() const { return unsigned{multiplies} << 6 | code.funct6(); }
};

/// Returns why the combination of registers and type is reserved; null: it is not.
const char* refusal_of(const State& state, const Operands& of);

/// Returns `value`, taken as signed, in 64 bits.
template <typename T>
constexpr int64_t as_signed(T value) {
  return static_cast<std::make_signed_t<T>>(value);
}

template <typename Visit>
void for_each_element(const State& state, const Operands& of, Visit visit) {
  if (of.code.masked()) {
    for (uint32_t i = state.vstart; i < state.vl; ++i)
      if (state.bit(0, i)) visit(i);
  } else {
    for (uint32_t i = state.vstart; i < state.vl; ++i) visit(i);
  }
}

/// Calls `visit(i, b)` for each active element i with its second operand b, as a T.
template <typename T, typename Visit>
void for_each_second(State& state, const Operands& of, Visit visit) {
  if (of.vector) {
    const T* b = state.reg<T>(of.code.vs1());
    for_each_element(state, of, [&](uint32_t i) { visit(i, b[i]); });
  } else {
    const T b = static_cast<T>(of.scalar);
    for_each_element(state, of, [&](uint32_t i) { visit(i, b); });
  }
}

/// Calls `run` with a zero of the unsigned type of SEW.
template <typename Run>
void with_element(const State& state, Run run) {
  switch (state.sew_log()) {
    case 0:
      return run(uint8_t{0});
    case 1:
      return run(uint16_t{0});
    default:
      return run(uint32_t{0});
  }
}
/// The same for instructions that also have operands of twice SEW, which is at most 32 bits.
template <typename Run>
void with_half_element(const State& state, Run run) {
  state.sew_log() == 0 ? run(uint8_t{0}) : run(uint16_t{0});
}

}  // namespace tinytune::rvv
