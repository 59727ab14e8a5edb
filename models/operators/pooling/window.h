// The part of a pool's window that lies inside the input: taps on padding are excluded from sums
// and means.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/integer_forms.h"

namespace tinytune::reference {

struct PoolWindow {
  int first_row = 0, last_row = 0, first_col = 0,
      last_col = 0;  ///< of the input; the last is excluded
  int taps() const { return (last_row - first_row) * (last_col - first_col); }
};

inline PoolWindow window_at(const PoolOp& op, int out_row, int out_col) {
  const int top = out_row * op.stride_h - op.pad_top, left = out_col * op.stride_w - op.pad_left;
  return {std::max(0, top), std::min(op.in_h, top + op.filter_h), std::max(0, left),
          std::min(op.in_w, left + op.filter_w)};
}

/// Returns the index of an element of the input, NHWC.
inline int64_t input_place(const PoolOp& op, int image, int row, int col, int channel) {
  return ((int64_t{image} * op.in_h + row) * op.in_w + col) * op.channels + channel;
}

}  // namespace tinytune::reference
