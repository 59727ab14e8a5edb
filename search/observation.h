// The messages between a strategy and its caller: proposals and observations.
//
// A proposal names the stage up to which the candidate is measured. Building alone shows whether a
// kernel exists and how large it is, at a fraction of the cost of running it; only candidates of
// the run's last stage have cycles. An observation names the stage reached and carries each repeat,
// because cycles of boards scatter and a strategy may use their variance.
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
  /// Worker's time. Differs from run to run, so a strategy that uses it is not reproducible.
  double seconds = 0;

  /// Returns the median of the samples; nothing unless `outcome` is kOk and the kernel ran. A
  /// median of 0 also counts as nothing, so that callers may divide by it.
  std::optional<double> cycles() const;
};

}  // namespace tinytune
