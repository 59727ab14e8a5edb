// RISC-V's vector instructions for embedded cores (Zve32x: integers of up to 32 bits), after
// version 1.0 of the specification.
//
// Where that leaves a choice, this unit does what QEMU 7.2 does: agnostic elements stay as they
// are, vl is the lesser of AVL and VLMAX, types that ELEN 32 need not support are illegal.
// Instructions are a table by opcode and function (operations.cc); the other files execute one
// family each on the State (state.h). Not done, and refused by name: loads of which only the first
// element may fault (vle8ff.v).
#pragma once

#include <memory>

#include "simulator/vector_unit.h"

namespace tinytune {

/// With registers of `target.vector_bits`.
std::unique_ptr<VectorUnit> make_rvv_unit(const Target& target);

}  // namespace tinytune
