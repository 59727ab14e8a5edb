// Requantisation: from an int32 accumulator back to int8, and the proofs that let kernels do it in
// fewer instructions than TFLite's reference does.
//
// Both steps of the reference (a rounding doubling high multiply, then a rounding shift) round, and
// a kernel must round in the same places. But the composed function is monotone and has at most 255
// steps, so a cheaper function is the same one if it steps at the same accumulators. That is what
// is proved here, per channel, from the layer's own weights.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/workload.h"

namespace tinytune {

/// TFLite's MultiplyByQuantizedMultiplier, double rounding (gemmlowp's
/// SaturatingRoundingDoublingHighMul, then RoundingDivideByPOT). `shift` > 0 shifts left.
int32_t multiply_by_quantized_multiplier(int32_t value, int32_t multiplier, int shift);

/// ONNX's scaling by the float32 number multiplier * 2^(shift - 31): the value and the product are
/// rounded to float32, then to a whole number, ties to even. Whatever lies beyond 2^30 is 2^30.
/// As onnxruntime's MlasRequantizeOutput.
int32_t scale_half_to_even(int32_t value, int32_t multiplier, int shift);

/// clamp(scaled + zero_point, low, high), for any `scaled`. TFLite adds in an int32, where values
/// near its ends overflow (undefined); here and in everything generated the sum is a whole number.
/// 32-bit code clamps first, to [low - zero_point, high - zero_point], and then adds.
int8_t add_zero_point(int32_t scaled, int32_t zero_point, int low, int high);

/// The reference's int8 result for an accumulator: scaled, offset by the zero point, clamped.
int8_t requantise_reference(const Workload& workload, int32_t accumulator, int32_t multiplier,
                            int shift);

/// The same of a channel, with whatever the workload's rounding asks of its constants.
int8_t requantise_reference(const Workload& workload, const LayerData& data, size_t channel,
                            int32_t accumulator);

/// What an output channel's accumulator can reach: bias + sum of (x - zero_point) * w over all
/// int8 x. 64 bits, so that an overflow of int32 shows.
struct AccumulatorRange {
  int64_t low = 0, high = 0;
};
std::vector<AccumulatorRange> accumulator_ranges(const Workload& workload, const LayerData& data);

/// Returns the smallest range that contains all of these, of which there is one at least.
AccumulatorRange whole_range(const std::vector<AccumulatorRange>& ranges);

/// The smallest accumulator of the range for which the channel's output is at least `level`; the
/// range's end + 1 if there is none.
int64_t first_reaching(const Workload& workload, const AccumulatorRange& range,
                       const LayerData& data, size_t channel, int level);

/// Outputs reach `level` from accumulator `first` on.
struct OutputStep {
  int level;
  int64_t first;
};

/// The channel's steps to the levels above `lowest`, up to `highest`.
std::vector<OutputStep> output_steps(const Workload& workload, const AccumulatorRange& range,
                                     const LayerData& data, size_t channel, int lowest,
                                     int highest);

/// What a channel's accumulators are multiplied by, as a real number.
double scale_of(const LayerData& data, size_t channel);

/// What is added to a channel's scaled accumulators before they are rounded down, as a real number:
/// a half where rounding is to nearest.
double raised_by(const LayerData& data, size_t channel);

/// The weights of one output channel in reduction order; works for every operator.
std::vector<int8_t> channel_weights(const Workload& workload, const LayerData& data, int channel);

/// How far a channel's products are shifted right; below zero, how far its accumulator is shifted
/// left first (scales from 1/2 on shift by 0 or less). A multiplier of 0 gives 0 behind any shift:
/// its channel gets 1, which every form takes.
int right_shift(const LayerData& data, int channel);

/// True if every channel permits the short form
///   h = (acc * 2m + 2^31) >> 32;  (h + (h >> 31) + (1 << (s - 1))) >> s
/// with 1 <= s <= 31 and no overflow anywhere in the accumulator's range.
bool short_requantise_proved(const Workload& workload, const LayerData& data);

/// The same of the shifted form, which is the short one for `s` > 0, and else
///   h = ((acc << -s) * 2m + 2^31) >> 32
/// alone. Both in one, without a branch: acc << left first, the first summand masked where s is 0.
bool shifted_requantise_proved(const Workload& workload, const LayerData& data);

/// One multiply-high for the whole scaling:
///   out = clamp((mulh(acc << left, multiplier[c]) + offset[c]) >> right)
/// where mulh is the high word of the signed 32x32 product. The shifts are the layer's, so they
/// cost no register; the offset carries rounding and zero point.
struct FusedRequantise {
  int left = 0, right = 0;
  std::vector<int32_t> multiplier, offset;
};

/// Finds constants that agree with the reference on every reachable accumulator of every channel,
/// or nothing. TFLite's rounding needs the shifted form to be proved: where the reference's own
/// left shift wraps it has no steps to follow. Layers that clamp at zero nearly always have them;
/// the reference rounds negative halves the other way, which one multiply cannot follow on both
/// sides of zero.
std::optional<FusedRequantise> fuse_requantise(const Workload& workload, const LayerData& data);

/// How a kernel multiplies numbers without a sign: u in [0, 2^bits) by a multiplier below
/// 2^multiplier_bits, of which it keeps floor(u * multiplier / 2^(32 - left)), a word.
struct UnsignedMultiply {
  int bits, left;
  int multiplier_bits = 31;
};

/// The same where what a kernel has is not the accumulator but u = acc + origin[c], and mulh is
/// this product. The bias and what u starts from are then in the offset. Nothing too where u may
/// leave its bits.
std::optional<FusedRequantise> fuse_requantise_from(const Workload& workload, const LayerData& data,
                                                    const UnsignedMultiply& multiply,
                                                    const std::vector<int64_t>& origin);

/// The fused form of kernels that multiply weights of 16 bits: each channel's weights, and what its
/// sums start from, are shifted left in advance, and `right` is a constant of the code:
///   out = clamp((mulh(acc << left[c], multiplier[c]) + offset[c]) >> right)
struct FusedWeights {
  std::vector<int> left;  ///< 0 to 8: int8 weights still fit
  std::vector<int32_t> multiplier, offset;
};

/// Constants that agree with the reference on every reachable accumulator, or nothing.
std::optional<FusedWeights> fuse_into_weights(const Workload& workload, const LayerData& data,
                                              int right);

}  // namespace tinytune
