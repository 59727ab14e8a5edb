// The forms of RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// RESIZE_NEAREST_NEIGHBOR: output (y, x) is input (rows[y], columns[x]).
struct ResizeOp {
  int batch = 1, in_h = 1, in_w = 1, channels = 1;
  std::vector<int> rows, columns;
  int64_t operations() const {
    return int64_t{batch} * static_cast<int64_t>(rows.size() * columns.size()) * channels;
  }
};

/// RESIZE_BILINEAR: each output is four inputs, weighted in units of 2^-10 along each axis. Rounds
/// halves away from zero; in ONNX rounds down (uint8, stored less 128) or towards zero.
struct BilinearOp {
  enum class Towards { kNearest, kDown, kZero };
  struct Tap {
    int first = 0, second = 0;  ///< rows or columns of the input
    int weight = 0;             ///< of the second; 1024 - weight: of the first
  };
  int batch = 1, in_h = 1, in_w = 1, channels = 1;
  std::vector<Tap> rows, columns;
  Towards towards = Towards::kNearest;
  int64_t operations() const {
    return int64_t{batch} * static_cast<int64_t>(rows.size() * columns.size()) * channels;
  }
};

}  // namespace tinytune
