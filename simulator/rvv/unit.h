// RISC-V's vector instructions for embedded cores (Zve32x: integers of up to 32 bits), after
// version 1.0 of the specification.
//
// Where the specification leaves a choice, this unit does as QEMU 7.2: agnostic elements are left
// undisturbed, vl is min(AVL, VLMAX), types that ELEN 32 need not support are illegal. Instructions
// are a table by opcode and function (operations.cc); the other files execute one family each on
// the State (state.h). Fault-only-first loads (vle8ff.v) are refused by name.
#pragma once

#include <memory>

#include "simulator/vector_unit.h"

namespace tinytune {

/// Makes a unit with registers of `target.vector_bits` bits.
std::unique_ptr<VectorUnit> make_rvv_unit(const Target& target);

}  // namespace tinytune
