// Rows of features, row-major and contiguous: input of the ranker's training and prediction.
//
// A class of its own instead of Eigen's, so that the search needs no heavy header. NaN: missing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/check.h"

namespace tinytune {

class FeatureMatrix {
 public:
  explicit FeatureMatrix(size_t columns) : columns_(columns) {}

  size_t rows() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  size_t columns() const { return columns_; }
  const float* data() const { return values_.data(); }

  void reserve(size_t rows) { values_.reserve(rows * columns_); }
  void add(std::span<const float> row);
  std::span<const float> row(size_t r) const {
    TT_CHECK(r < rows(), "a row of this matrix");
    return {values_.data() + r * columns_, columns_};
  }

 private:
  size_t columns_;
  std::vector<float> values_;
};

}  // namespace tinytune
