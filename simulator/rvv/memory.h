// Loads and stores of vectors.
//
// Elements are transferred in their order, each one access of its own; consecutive ones without a
// mask are one access of the whole run, so that a vector costs one check of bounds. A store that
// faults has therefore written all elements before it, or none of them.
#pragma once

#include "simulator/rvv/state.h"
#include "simulator/vector_unit.h"

namespace tinytune::rvv {

/// Whether `code`, a load or store of vectors, is implemented. Loads of which only the first
/// element may fault are not.
bool runs_memory(Code code);

/// `reason` is set where the outcome is kIllegal.
VectorUnit::Outcome run_memory(State& state, Code code, VectorUnit::Core& core,
                               const char*& reason);

}  // namespace tinytune::rvv
