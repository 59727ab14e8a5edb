// What follows from a Winograd schedule: sizes of strips and blocks, scratch, constants, loops, and
// which points are legal. winograd_nhwc.cc says what they mean. Its two templates, of squares of
// 2x2 and of 4x4 outputs, differ in what a schedule may choose and in the order of transformed
// inputs.
#pragma once

#include <cstdint>

#include "templates/kernel_template.h"
#include "templates/smlad/smlad_sums.h"
#include "templates/usual_knobs.h"
#include "templates/winograd/winograd_strips.h"

namespace tinytune {

inline constexpr int kWinogradTaps = 9;  ///< of a kernel of 3x3

struct WinogradPlan {
  int square, points;   ///< outputs of a square's side, points of its patch
  bool from_bytes;      ///< weights are bytes, which the kernel transforms itself
  int rows;             ///< of squares that are computed together; 0: a strip
  int tiles, oc, step;  ///< squares a strip, channels a block, terms between tests of the loop
  bool smlad;           ///< terms are pairs of channels, else single ones
  bool by_words;        ///< words of four channels are transformed at once, and give two terms
  WinogradStrips strips;
  LoadOrder loads;
  int together;        ///< strips
  int64_t terms;       ///< of the sum over input channels, whole steps
  int64_t staged;      ///< terms of a block whose weights are there at a time
  int64_t term_bytes;  ///< of transformed inputs, from a term to the next; squares are side by side
  int64_t point_bytes;  ///< and from a point to the next
  int64_t strip_bytes;
  /// Of a strip's sums, words; where terms come in several stages, all strips' are kept.
  int64_t sum_bytes;
  /// Scratch, in this order; then a pixel of the border. Sums, and behind them staged weights, take
  /// the place of a gathered patch.
  int64_t transformed_bytes, shared_bytes, column_bytes = 0;

  /// The schedule's name says which squares.
  WinogradPlan(const Workload& workload, const Schedule& schedule);

  int element_bytes() const { return smlad ? 4 : 2; }
  int channels_a_term() const { return smlad ? 2 : 1; }
  /// Terms that are transformed together, and their channels.
  int parts() const { return by_words ? 2 : 1; }
  int channels_together() const { return parts() * channels_a_term(); }
  /// SXTB16 and UXTB16 take bytes 0 and 2 of a word, then (rotated) 1 and 3.
  int64_t channel(int64_t term, int half) const {
    return by_words ? term / 2 * 4 + term % 2 + 2 * half : channels_a_term() * term + half;
  }
  /// Whether products are in one piece of assembly, else in LLVM's hands: where it has to count
  /// registers, assembly does it better.
  bool in_assembly() const { return square == 4 && smlad; }
  int64_t stages() const { return terms / staged; }
  /// Of the sums in scratch, in front of staged weights.
  int64_t all_sum_bytes() const { return sum_bytes * (stages() > 1 ? together : 1); }
  /// Of weights that are staged, as the products read them.
  int64_t staged_bytes() const { return points * staged * oc * element_bytes(); }
  SmladPoints smlad_points() const;
  /// Of a block of output channels.
  int64_t weight_bytes() const;
  int64_t scratch_bytes(const Workload&) const {
    return transformed_bytes + shared_bytes + column_bytes + strips.border_bytes;
  }
  /// Whether strips and blocks are no larger than the output, and sums fit registers.
  bool legal(const Workload& workload) const;
};

/// What is added to the lower of two transformed inputs in a word, of 4x4 by SMLAD, so that it is
/// not negative, and to inputs before: transformed inputs of 0 to 255 are from -12750 to 12750, and
/// at one point from -8160 to 17340. What sums start from takes both away again.
inline constexpr int kWinogradLowOffset = 0x3800, kWinogradInputOffset = 128;

inline constexpr int kWinogradStartWords = 1;  ///< of a channel: the bias

/// Weights are [block][point][term][channel of the block], transformed; in assembly, what the
/// channels' sums start from stands before those of a point.
Result<std::vector<PackedConstant>> winograd_pack(const Workload& workload, const LayerData& data,
                                                  const Schedule& schedule);
LoopNest winograd_describe(const Workload& workload, const Schedule& schedule);

inline constexpr const char *kWinograd2Name = "winograd_nhwc", *kWinograd4Name = "winograd4_nhwc",
                            *kWinograd4BytesName = "winograd4_bytes_nhwc";

/// Of the template for such squares.
KnobTable winograd_knobs(const Workload& workload, const Device& device, int square);
/// Of the one for squares of 4x4 whose weights are bytes.
KnobTable winograd_bytes_knobs(const Workload& workload, const Device& device);
/// Its schedules with less scratch than the usual one, the fastest first.
std::vector<Schedule> winograd_bytes_fallbacks(const Workload& workload, const Device& device);

}  // namespace tinytune
