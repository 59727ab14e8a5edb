// Faults that a code generator could have, injected on purpose: a comparison that misses one of
// them proves nothing about the graphs it passes.
#pragma once

#include <span>

#include "tests/random_graphs/trial.h"

namespace tinytune::bench {

struct Fault {
  const char* name;
  Damage damage;
  const char* device = nullptr;  ///< the only device that can show it; null: any
};

std::span<const Fault> faults();

/// Faults in the requantisation, tails and packing of Helium's and RVV's kernels.
std::span<const Fault> vector_faults();

}  // namespace tinytune::bench
