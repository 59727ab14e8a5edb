// Faults that a code generator could have, put in on purpose: a comparison that misses one of them
// proves nothing about the graphs it passes.
#pragma once

#include <span>

#include "bench/random_graphs/trial.h"

namespace tinytune::bench {

struct Fault {
  const char* name;
  Damage damage;
};

std::span<const Fault> faults();

}  // namespace tinytune::bench
