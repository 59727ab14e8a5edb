// The matrix products of a Winograd kernel: weights [point][term][channel] with transformed inputs,
// for every point. What both transforms' kernels make of them is here: the code in LLVM's hands,
// the packed weights, and the description.
//
// On cores whose registers LLVM has to count (SMLAD) assembly does it better: smlad_points.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/tile/ir_text.h"
#include "templates/winograd/winograd_strips.h"

namespace tinytune {

struct WinogradProducts {
  using Value = IrText::Value;

  int points;
  int tiles, oc, step;  ///< squares a strip, channels a block, terms between tests of the loop
  bool smlad;           ///< terms are pairs of channels, else single ones
  WinogradStrips strips;
  int blocks;               ///< of output channels; the last may be short
  int64_t terms = 0;        ///< of the sum over input channels, whole steps
  int64_t term_bytes = 0;   ///< of inputs, from a term to the next; squares are side by side
  int64_t point_bytes = 0;  ///< and from a point to the next

  /// Of squares of `square` outputs a side; a pixel of the patch takes whole multiples of 4 bytes
  /// with SMLAD if `pads`.
  WinogradProducts(const Workload& workload, const Schedule& schedule, int square, bool pads);

  int element_bytes() const { return smlad ? 4 : 2; }
  int channels_a_term() const { return smlad ? 2 : 1; }

  /// Stores the sums of all points to `sums`, [point][channel][square]; returns where the weights
  /// end.
  Value write(const Value& weights, const Value& inputs, const Value& sums, IrText& ir) const;

  /// The innermost loops, and what is said besides loops.
  LoopNest describe(NestBuilder& outer, const Workload& workload, const Schedule& schedule) const;

  /// One output channel's transformed weights, [input channel][point]; none beyond the last one.
  using Channel = std::vector<std::vector<int>>;
  struct Packing {
    std::function<std::vector<int>(std::span<const int, 9> kernel)> transform;
    std::function<int64_t(int64_t term, int half)> channel;  ///< the input channel; any number
    /// What the sum of a point starts from; null where that is zero.
    std::function<int32_t(const Channel&, size_t point)> start;
  };
  Result<std::vector<PackedConstant>> pack(const Workload& workload, const LayerData& data,
                                           const Packing& packing) const;
};

/// Whether the last block of `oc` channels is mostly channels that are none.
bool pads_winograd_blocks(const Workload& workload, int oc);

/// G g G^T of a kernel's nine weights, row by row.
template <size_t side>
std::vector<int> transform_winograd_weights(const int (&g)[side][3],
                                            std::span<const int, 9> kernel) {
  std::vector<int> points(side * side);
  for (size_t i = 0; i < side; ++i)
    for (size_t j = 0; j < side; ++j)
      for (size_t row = 0; row < 3; ++row)
        for (size_t column = 0; column < 3; ++column)
          points[side * i + j] += g[i][row] * kernel[3 * row + column] * g[j][column];
  return points;
}

}  // namespace tinytune
