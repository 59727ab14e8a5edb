// The plan of a Winograd schedule: sizes of strips and blocks, scratch, constants, loops, and which
// points are legal. winograd_nhwc.cc explains them. Its templates for squares of 2x2 and of 4x4
// outputs differ in the knobs and in the order of transformed inputs.
#pragma once

#include <cstdint>

#include "templates/kernel_template.h"
#include "templates/smlad/smlad_sums.h"
#include "templates/usual_knobs.h"
#include "templates/winograd/winograd_strips.h"

namespace tinytune {

inline constexpr int kWinogradTaps = 9;  ///< taps of a 3x3 kernel

struct WinogradPlan {
  int square, points;   ///< outputs per side of a square, points of its patch
  bool from_bytes;      ///< weights are bytes, which the kernel transforms itself
  int rows;             ///< rows of squares computed together; 0: one strip
  int tiles, oc, step;  ///< squares per strip, channels per block, terms between tests of the loop
  bool smlad;           ///< terms are pairs of channels, else single ones
  bool by_words;        ///< words of four channels are transformed at once, and give two terms
  WinogradStrips strips;
  LoadOrder loads;
  int together;         ///< strips computed together
  int64_t terms;        ///< terms of the sum over input channels, in whole steps
  int64_t staged;       ///< terms of a block whose weights are staged at a time
  int64_t term_bytes;   ///< stride of transformed inputs per term; squares are contiguous
  int64_t point_bytes;  ///< stride of transformed inputs per point
  int64_t strip_bytes;
  /// Bytes of a strip's sums, which are words. With several stages, all strips' sums are kept.
  int64_t sum_bytes;
  /// The parts of scratch, in this order; then a pixel of the border. Sums, followed by staged
  /// weights, share their space with a gathered patch.
  int64_t transformed_bytes, shared_bytes, column_bytes = 0;

  /// The schedule's name determines the size of squares.
  WinogradPlan(const Workload& workload, const Schedule& schedule);

  int element_bytes() const { return smlad ? 4 : 2; }
  int channels_a_term() const { return smlad ? 2 : 1; }
  /// Terms that are transformed together, and their channels.
  int parts() const { return by_words ? 2 : 1; }
  int channels_together() const { return parts() * channels_a_term(); }
  /// Returns the channel of a half of a term: SXTB16 and UXTB16 take bytes 0 and 2 of a word, then
  /// (rotated) 1 and 3.
  int64_t channel(int64_t term, int half) const {
    return by_words ? term / 2 * 4 + term % 2 + 2 * half : channels_a_term() * term + half;
  }
  /// Returns whether products are one piece of assembly. Otherwise LLVM compiles them, which makes
  /// worse use of scarce registers.
  bool in_assembly() const { return square == 4 && smlad; }
  int64_t stages() const { return terms / staged; }
  /// Returns the bytes of sums in scratch, before staged weights.
  int64_t all_sum_bytes() const { return sum_bytes * (stages() > 1 ? together : 1); }
  /// Returns the bytes of staged weights, as the products read them.
  int64_t staged_bytes() const { return points * staged * oc * element_bytes(); }
  SmladPoints smlad_points() const;
  /// Returns the bytes of weights per block of output channels.
  int64_t weight_bytes() const;
  int64_t scratch_bytes(const Workload&) const {
    return transformed_bytes + shared_bytes + column_bytes + strips.border_bytes;
  }
  /// Returns whether strips and blocks fit the output, and sums fit registers.
  bool legal(const Workload& workload) const;
};

/// For 4x4 by SMLAD: what is added to the lower of two transformed inputs in a word, so that it is
/// not negative; and what is added to inputs before. Transformed inputs of 0 to 255 are from -12750
/// to 12750, and at one point from -8160 to 17340. The sums' start values cancel both.
inline constexpr int kWinogradLowOffset = 0x3800, kWinogradInputOffset = 128;

inline constexpr int kWinogradStartWords = 1;  ///< per channel: the bias

/// Weights are transformed, [block][point][term][channel of the block]; in assembly, the start
/// values of the channels' sums precede the weights of a point.
Result<std::vector<PackedConstant>> winograd_pack(const Workload& workload, const LayerData& data,
                                                  const Schedule& schedule);
LoopNest winograd_describe(const Workload& workload, const Schedule& schedule);

inline constexpr const char *kWinograd2Name = "winograd_nhwc", *kWinograd4Name = "winograd4_nhwc",
                            *kWinograd4BytesName = "winograd4_bytes_nhwc";

/// Returns the knobs of the template for such squares.
KnobTable winograd_knobs(const Workload& workload, const Device& device, int square);
/// Returns the knobs of the template for squares of 4x4 whose weights are bytes.
KnobTable winograd_bytes_knobs(const Workload& workload, const Device& device);
/// Returns its schedules with less scratch than the usual one, the fastest by estimate first.
std::vector<Schedule> winograd_bytes_fallbacks(const Workload& workload, const Device& device);

}  // namespace tinytune
