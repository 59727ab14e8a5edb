// The arithmetic instructions that are implemented: their shapes by opcode and function, and the
// families that execute them.
#pragma once

#include "simulator/rvv/operands.h"
#include "simulator/vector_unit.h"

namespace tinytune::rvv {

/// kNone: the unit does not execute it.
Shape shape_of(Code code);

/// Decodes the instruction and reads its scalar; requires a shape that is not kNone.
Operands operands_of(Code code, VectorUnit::Core& core);

// Each executes the instructions of some shapes, on operands that refusal_of() has passed.
void run_integer(State& state, const Operands& of);      ///< kSame, first part; kWiden…, kExtend
void run_compare(State& state, const Operands& of);      ///< kMaskResult, kCarry…, kMerge
void run_fixed_point(State& state, const Operands& of);  ///< saturating, averaging, scaling
void run_permutation(State& state, const Operands& of);  ///< slides, gathers, moves
void run_mask(State& state, const Operands& of, VectorUnit::Core& core);
void run_reduction(State& state, const Operands& of);

/// Executes any of them.
void run(State& state, const Operands& of, VectorUnit::Core& core);

}  // namespace tinytune::rvv
