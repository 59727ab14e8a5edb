// What a task's own trials say of the points that were not tried, and how sure that is.
//
// A Gaussian process over knobs. Two points are alike as far as their knobs are: partly knob by
// knob, so that what one move gained is expected of the same move elsewhere, and partly as a whole,
// because knobs act together. How much each knob matters is chosen by the likelihood of what was
// seen, and values that made no difference are one (cost_model/same_values.h). With a dozen trials
// there is nothing else to go by: a forest of trees needs a dozen to make its first split, and says
// nothing of how sure it is.
//
// A hint is a guess from elsewhere, such as a model of other tasks. It is believed as far as the
// trials bear it out: its weight is one more thing that is inferred, so that a hint that misleads
// fades after some of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "schedules/config_space.h"

namespace tinytune {

struct KnobSample {
  size_t point = 0;
  double value = 0;  ///< in logarithms of cycles; smaller is better
  double hint = 0;   ///< logarithms by which it may be faster than its moves say; 0: no opinion
  double moves =
      0;  ///< knobs that differ from a point that was chosen by thought, such as a default
};

struct KnobGuess {
  double mean = 0, deviation = 0;  ///< of the value
};

/// Deterministic; not thread-safe.
class KnobGp {
 public:
  /// `space` outlives the process.
  explicit KnobGp(const ConfigSpace& space);
  ~KnobGp();

  /// What is expected of a sample over the task's level before anything is known.
  static double before(const KnobSample& sample);

  /// Forgets what it was told before. `learn`: chooses anew how much each knob matters, starting
  /// from what was chosen last; otherwise that stays. Learning takes some thirty times as long, and
  /// both grow with the cube of the samples: a hundred are what it is for.
  void fit(std::span<const KnobSample> samples, bool learn = true);

  /// From then on as if this point, whose value is ignored, had turned out as expected: what is
  /// being measured already has no more to tell. After a fit().
  void assume(const KnobSample& sample);

  /// Of samples whose values are ignored, in their order. After a fit().
  std::vector<KnobGuess> guess(std::span<const KnobSample> points) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
