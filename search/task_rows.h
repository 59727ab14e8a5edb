// Turns the points of one task into rows of a feature matrix shared with other tasks.
//
// A row holds the loop nest's features, its switches, the template, the point's knobs and the
// device's facts. Knobs are included because the loop nest does not show everything that a compiler
// does with a knob, and one task has enough data to learn it. A knob is given by its value and not
// by its index in the task's list, so that a tile of 8 is the same in every task.
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
  /// Adds columns for the space's knobs to `columns`, which must outlive this. Keeps only the
  /// problem's space and `describe`, because problem.model may own these rows.
  TaskRows(const SearchProblem& problem, Columns& columns);

  /// Computes the rows of these points, which may add columns.
  void describe(std::span<const size_t> points);

  /// Appends the points' rows, restricted to the `kept` columns in that order; NaN: no value.
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
  std::vector<Cell> device_;                    ///< the same in every row
  std::vector<Cell> template_;                  ///< by family
  std::vector<std::vector<KnobColumn>> knobs_;  ///< by family and knob
  std::unordered_map<size_t, Row> made_;        ///< cache by point
};

}  // namespace tinytune
