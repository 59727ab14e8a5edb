// How often a classifier's answer is the label.
//
// The answer is the index of the largest element of the first output, the first of equals; where
// the output has one element, class 1 if it stands for at least a half.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

/// The answer to each step in `outputs`, which hold one `tensor` after another. kUnsupported: a
/// tensor of a type that has no order here.
Result<std::vector<int>> classes_of(const Tensor& tensor, std::span<const uint8_t> outputs);

/// Counts answers by label.
struct Confusion {
  std::vector<std::vector<int>> counts;  ///< [label][answer]
  int correct = 0, total = 0;

  double accuracy() const { return total == 0 ? 0 : static_cast<double>(correct) / total; }
};

/// As many of both; kInvalidInput: a label that is none of the network's `classes`.
Result<Confusion> confusion_of(std::span<const int> labels, std::span<const int> answers,
                               int classes);

/// Returns the number of classes that classes_of() tells apart for this tensor.
int class_count(const Tensor& tensor);

}  // namespace tinytune
