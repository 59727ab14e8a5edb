// Loads and stores of vectors.
//
// Elements are transferred in order, one access each; consecutive unmasked elements are one access
// together, so that a vector costs one check of bounds. A store that faults has therefore written
// either all elements before the fault, or none.
#pragma once

#include "simulator/rvv/state.h"
#include "simulator/vector_unit.h"

namespace tinytune::rvv {

/// Returns whether `code`, a vector load or store, is implemented. Fault-only-first loads are not.
bool runs_memory(Code code);

/// Executes a vector load or store; sets `reason` if the outcome is kIllegal.
VectorUnit::Outcome run_memory(State& state, Code code, VectorUnit::Core& core,
                               const char*& reason);

}  // namespace tinytune::rvv
