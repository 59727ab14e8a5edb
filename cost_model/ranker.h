// A model that ranks schedules from fast to slow, trained on the measurements so far.
//
// It learns an order within each group and not cycles. A group is one task, so rows of other tasks,
// whose cycles are not comparable, still help to rank this one's, and a failed candidate is simply
// ranked last. The model is retrained each time and never loaded: equal rows give equal trees.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cost_model/feature_matrix.h"
#include "tinytune/result.h"

namespace tinytune {

struct RankerOptions {
  int rounds = 60;
  int depth = 5;
  double learning_rate = 0.2;
  uint64_t seed = 1;
};

/// Consecutive rows of the matrix that were measured on one task.
struct RankedGroup {
  size_t rows = 0;
};

class Ranker {
 public:
  Ranker(Ranker&&) noexcept;
  Ranker& operator=(Ranker&&) noexcept;
  ~Ranker();

  /// Trains a model. `merit[r]`: larger is better, compared only within a group; equal merits give
  /// no order. The groups' rows add up to the matrix's. kInvalidInput: a merit is not finite.
  /// kFailed: with the library's error message.
  static Result<Ranker> train(const FeatureMatrix& features, std::span<const float> merit,
                              std::span<const RankedGroup> groups, const RankerOptions& options);

  /// Scores rows: larger is better; comparable only within a task.
  Result<std::vector<float>> scores(const FeatureMatrix& features) const;

 private:
  struct Booster;
  explicit Ranker(std::unique_ptr<Booster> booster);
  std::unique_ptr<Booster> booster_;
};

}  // namespace tinytune
