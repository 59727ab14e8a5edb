// What an instruction of RISC-V's vectors occupies: a unit, and registers that it reads and writes.
//
// It follows from the instruction and from the type of elements (vtype) that holds there. The
// number of elements (vl) plays no part: pipelines of in-order units pass whole registers.
#pragma once

#include <array>

#include "simulator/rvv/state.h"

namespace tinytune::rvv {

struct Footprint {
  enum class Unit : uint8_t {
    kMemory,
    kArithmetic,
    kMultiply,  ///< products, and slides, which share its pipe
    kElement,   ///< one element a cycle: reductions, gathers, what talks to the core
    kNone,      ///< configuration: the core does it
  };
  Unit unit = Unit::kNone;
  bool is_store = false;
  bool scattered = false;  ///< loads or stores one element at a time
  bool to_core = false;    ///< its result is one of the core's registers
  unsigned registers = 0;  ///< of the widest operand
  uint32_t elements = 0;   ///< that a kElement or scattered one visits
  uint32_t writes = 0;     ///< registers, a bit each
  /// Groups of registers that it reads from their first one on, in step; none twice.
  std::array<uint32_t, 4> sources{};
  uint32_t reads() const { return sources[0] | sources[1] | sources[2] | sources[3]; }
};

/// `vtype`: its low 6 bits, SEW and LMUL.
Footprint footprint_of(Code code, uint32_t vtype, unsigned vlenb);

bool moves_whole_registers(Code load_or_store);
/// Of arithmetic.
bool is_product(Code code);

/// The low bits of the vtype that a vsetvli or vsetivli sets; `before` for anything else.
uint8_t vtype_after(Code code, uint8_t before);

}  // namespace tinytune::rvv
