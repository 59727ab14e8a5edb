// The points of one task as rows that the rows of other tasks can stand beside.
//
// A row holds the loop nest's features, its switches, the template and the point's knobs, and the
// device's facts. Knobs stand beside features because no nest shows everything that a compiler does
// with a knob, and within one task there is enough data to learn it. A knob has its value and not
// its place in the task's own list, so that a tile of 8 is a tile of 8 in every task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cost_model/columns.h"
#include "cost_model/feature_matrix.h"
#include "search/strategy.h"

namespace tinytune {

class TaskRows {
 public:
  /// `columns` outlives this; its columns of the space's knobs are claimed here. Of the problem its
  /// space and its words stay: the model in it may be what owns these rows.
  TaskRows(const SearchProblem& problem, Columns& columns);

  /// Makes the rows of these points, which may claim columns.
  void describe(std::span<const size_t> points);

  /// Adds the values of the `kept` columns, in that order; NaN where a row has none.
  void add_to(FeatureMatrix& matrix, std::span<const size_t> points, std::span<const size_t> kept);

 private:
  struct Cell {
    uint32_t column;
    float value;
  };
  struct Row {
    std::vector<float> features;
    std::vector<Cell> named;
  };
  struct KnobColumn {
    uint32_t column = 0;
    std::vector<float> values;  ///< by the knob's coordinate
  };
  const Row& row(size_t point);

  const ConfigSpace& space_;
  const std::function<LoopNest(size_t point)> describe_;
  Columns& columns_;
  std::vector<Cell> device_;                    ///< in every row
  std::vector<Cell> template_;                  ///< of each family
  std::vector<std::vector<KnobColumn>> knobs_;  ///< of each family
  std::unordered_map<size_t, Row> made_;        ///< each point is described once
};

}  // namespace tinytune
