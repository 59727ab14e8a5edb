// A model that orders schedules from fast to slow, trained on what was measured so far.
//
// It learns an order within each group and no cycles: a group is one task, and so rows of other
// tasks, whose cycles say nothing here, may help to order this one's, and a candidate that failed
// can simply stand last. Trained anew each time, never loaded: equal rows give equal trees.
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

/// Rows that were measured on one task, next to each other in the matrix.
struct RankedGroup {
  size_t rows = 0;
};

class Ranker {
 public:
  Ranker(Ranker&&) noexcept;
  Ranker& operator=(Ranker&&) noexcept;
  ~Ranker();

  /// `merit[r]`: larger is better, compared only within a group; equal merits are no news. The
  /// groups' rows add up to the matrix's. kInvalidInput: a merit that is not finite. kFailed: the
  /// library's own words.
  static Result<Ranker> train(const FeatureMatrix& features, std::span<const float> merit,
                              std::span<const RankedGroup> groups, const RankerOptions& options);

  /// Larger is better; comparable within a task only.
  Result<std::vector<float>> scores(const FeatureMatrix& features) const;

 private:
  struct Booster;
  explicit Ranker(std::unique_ptr<Booster> booster);
  std::unique_ptr<Booster> booster_;
};

}  // namespace tinytune
