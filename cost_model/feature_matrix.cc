#include "cost_model/feature_matrix.h"

namespace tinytune {

void FeatureMatrix::add(std::span<const float> row) {
  TT_CHECK(row.size() == columns_, "every row has every column");
  values_.insert(values_.end(), row.begin(), row.end());
}

}  // namespace tinytune
