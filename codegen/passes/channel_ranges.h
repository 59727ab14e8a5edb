// Which values each channel of each tensor can take, over every possible input of the network.
//
// Interval arithmetic on the integer forms. A channel is an index of the innermost dimension. For
// one operator the bounds are exact: a convolution's sum reaches both ends of its interval (each
// input channel counts on its own), and requantisation is monotone. Over several operators they
// are safe, since values that never occur together are taken as if they could.
#pragma once

#include <vector>

#include "models/integer_network.h"

namespace tinytune {

struct ValueRange {
  int low = -128, high = 127;
  bool is_constant() const { return low == high; }
};

/// By tensor id, then by channel; empty for constants and for tensors that are not int8.
std::vector<std::vector<ValueRange>> channel_ranges(const IntegerNetwork& network);

/// Extent of the innermost dimension; 1 for a scalar.
int channels_of(const Tensor& tensor);

/// Whether any window of a convolution reaches outside its input.
bool reads_padding(const Workload& workload);

}  // namespace tinytune
