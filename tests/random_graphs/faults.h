// Faults that a code generator could have, put in on purpose: a comparison that misses one of them
// proves nothing about the graphs it passes.
#pragma once

#include <span>

#include "tests/random_graphs/trial.h"

namespace tinytune::bench {

struct Fault {
  const char* name;
  Damage damage;
  const char* device = nullptr;  ///< the only one that can show it
};

std::span<const Fault> faults();

/// Faults in the requantisation, tails and packing of Helium's and RVV's kernels.
std::span<const Fault> vector_faults();

}  // namespace tinytune::bench
