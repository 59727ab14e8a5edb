// The form of operators that move bytes.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tinytune {

/// Copies boxes of elements from one place to another. PAD, PADV2, MIRROR_PAD, CONCATENATION,
/// TRANSPOSE, REVERSE_V2, SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, PACK, UNPACK, BROADCAST_TO, FILL,
/// SPACE_TO_DEPTH, SPACE_TO_BATCH_ND and their inverses do nothing else.
struct MoveOp {
  struct Box {
    int input = 0;      ///< among the non-constant inputs
    int constant = -1;  ///< index into `constants` instead, if not negative
    int output = 0;
    std::array<int, 5> extents{1, 1, 1, 1, 1};             ///< outermost first
    int64_t input_offset = 0, output_offset = 0;           ///< in elements
    std::array<int64_t, 5> input_steps{}, output_steps{};  ///< in elements; input's may be negative
  };
  std::vector<Box> boxes;  ///< they do not overlap in the outputs
  /// The output is also an input, as for state that is a sliding window: boxes are copied in their
  /// order, each by ascending addresses; the first moves the output's own elements down.
  bool shifts = false;
  int element_bytes = 1;
  bool filled = false;                   ///< outputs are first filled with `fill` (PAD, PADV2)
  int32_t fill = 0;                      ///< an element, of at most 4 bytes
  std::vector<int64_t> output_elements;  ///< by output
  std::vector<std::vector<uint8_t>> constants;
  int64_t operations() const {
    return std::accumulate(output_elements.begin(), output_elements.end(), int64_t{0});
  }
};

}  // namespace tinytune
