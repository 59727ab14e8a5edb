// Accuracy of a classifier on labelled inputs.
//
// The answer is the index of the largest element of the first output, the first of equals. If the
// output has one element, the answer is class 1 if its real value is at least 0.5, else 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the answer for each step in `outputs`, which contain one `tensor` after another.
/// kUnsupported: elements of this type cannot be compared.
Result<std::vector<int>> classes_of(const Tensor& tensor, std::span<const uint8_t> outputs);

/// Counts answers by label.
struct Confusion {
  std::vector<std::vector<int>> counts;  ///< [label][answer]
  int correct = 0, total = 0;

  double accuracy() const { return total == 0 ? 0 : static_cast<double>(correct) / total; }
};

/// Counts pairs of label and answer, of which there must be equally many. kInvalidInput: a label is
/// not below `classes`.
Result<Confusion> confusion_of(std::span<const int> labels, std::span<const int> answers,
                               int classes);

/// Returns the number of classes that classes_of() distinguishes for this tensor.
int class_count(const Tensor& tensor);

}  // namespace tinytune
