// What a strategy asks for, and what it hears of it.
//
// A proposal names how far the candidate shall go. A build alone says whether there is a kernel at
// all and how large it is, at a fraction of the cost of running it; only what goes to the run's
// last stage has cycles. An observation says how far the candidate went and carries each repeat,
// because boards scatter and a strategy may want to know how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "records/measurement.h"

namespace tinytune {

struct Proposal {
  size_t point = 0;  ///< index into the task's space
  Fidelity stage = Fidelity::kSimulate;
};

struct Observation {
  size_t point = 0;
  Outcome outcome = Outcome::kLost;
  std::vector<uint64_t> samples = {};  ///< cycles of each repeat; empty unless it ran
  Fidelity fidelity = Fidelity::kSimulate;
  CodeFacts code = {};
  /// Of a worker. Differs from run to run: a strategy that decides by it does not replay.
  double seconds = 0;

  /// The median of the samples; nothing unless `outcome` is kOk and the kernel ran. A count of 0 is
  /// no measurement either: nobody divides by it.
  std::optional<double> cycles() const;
};

}  // namespace tinytune
