// The resources of a RISC-V vector instruction for the timing model: its unit, and the registers
// that it reads and writes.
//
// They depend on the instruction and the current type of elements (vtype), but not on the number of
// elements (vl): pipelines of in-order units process whole registers.
#pragma once

#include <array>

#include "simulator/rvv/state.h"

namespace tinytune::rvv {

struct Footprint {
  enum class Unit : uint8_t {
    kMemory,
    kArithmetic,
    kMultiply,  ///< products, and slides, which share its pipe
    kElement,   ///< one element per cycle: divisions, reductions, gathers, moves to the core
    kNone,      ///< configuration, executed by the core
  };
  Unit unit = Unit::kNone;
  bool is_store = false;
  bool scattered = false;  ///< loads or stores one element at a time
  bool to_core = false;    ///< writes a core register
  unsigned registers = 0;  ///< registers of the widest operand
  uint32_t elements = 0;   ///< elements visited by kElement and scattered instructions
  uint32_t writes = 0;     ///< registers, a bit each
  /// Groups of registers that it reads in step, each from its first one on; none twice.
  std::array<uint32_t, 4> sources{};
  uint32_t reads() const { return sources[0] | sources[1] | sources[2] | sources[3]; }
};

/// `vtype`: its low 6 bits, SEW and LMUL.
Footprint footprint_of(Code code, uint32_t vtype, unsigned vlenb);

bool moves_whole_registers(Code load_or_store);
/// Returns whether the arithmetic instruction `code` multiplies.
bool is_product(Code code);

/// Returns the low bits of the vtype that a vsetvli or vsetivli sets; `before` for anything else.
uint8_t vtype_after(Code code, uint8_t before);

}  // namespace tinytune::rvv
