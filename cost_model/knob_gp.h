// Predicts untried points from a task's own trials, with the uncertainty of each prediction.
//
// A Gaussian process over knobs. The kernel of two points is a sum over their knobs, so that a
// change of one knob is expected to gain the same elsewhere, plus a product over all knobs, because
// knobs interact. The relevance of each knob is chosen by maximum likelihood, and values that have
// made no difference are treated as equal (cost_model/same_values.h). A forest of trees is no
// alternative: with a dozen trials it can barely make its first split, and it gives no uncertainty.
//
// A hint is a prediction from another source, such as a model of other tasks. Its weight has a
// prior and is inferred with the rest, so a misleading hint loses its influence after some trials.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "schedules/config_space.h"

namespace tinytune {

struct KnobSample {
  size_t point = 0;
  double value = 0;  ///< logarithm of the cycles; smaller is better
  double hint = 0;   ///< predicted gain over the prior of its moves, in logarithms; 0: unknown
  double moves = 0;  ///< number of knobs that differ from a hand-chosen point, such as the default
};

struct KnobGuess {
  double mean = 0, deviation = 0;  ///< predicted mean and standard deviation of the value
};

/// Deterministic; not thread-safe.
class KnobGp {
 public:
  /// `space` must outlive this.
  explicit KnobGp(const ConfigSpace& space);
  ~KnobGp();

  /// Returns the prior mean of a sample relative to the task's level.
  static double before(const KnobSample& sample);

  /// Fits to these samples only. `learn`: also chooses the hyperparameters (such as the relevance
  /// of each knob) again, starting from the last choice. Learning takes some thirty times as long,
  /// and both times grow with the cube of the samples: intended for about a hundred.
  void fit(std::span<const KnobSample> samples, bool learn = true);

  /// Adds a point with its predicted mean as its value; ignores `value`. For points that are being
  /// measured, so that they no longer appear uncertain. Requires fit().
  void assume(const KnobSample& sample);

  /// Predicts each point, in order; ignores `value`. Requires fit().
  std::vector<KnobGuess> guess(std::span<const KnobSample> points) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
