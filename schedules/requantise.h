// Requantisation from an int32 accumulator to int8, and the proofs that let kernels do it in fewer
// instructions than TFLite's reference does.
//
// Both steps of the reference (a rounding doubling high multiply, then a rounding shift) round, and
// a kernel must give the same result. But the composed function is monotone and has at most 255
// steps, so a cheaper function equals it if it steps at the same accumulators. This is proved here,
// per channel, from the layer's own weights.
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

/// ONNX's scaling by the float32 number multiplier * 2^(shift - 31): rounds the value and the
/// product to float32, clamps to +-2^30, then rounds to an integer, ties to even. As onnxruntime's
/// MlasRequantizeOutput.
int32_t scale_half_to_even(int32_t value, int32_t multiplier, int shift);

/// Returns clamp(scaled + zero_point, low, high) for any `scaled`. TFLite adds in an int32, which
/// overflows (undefined) near its limits; here and in all generated code the sum does not overflow.
/// 32-bit code clamps first, to [low - zero_point, high - zero_point], and then adds.
int8_t add_zero_point(int32_t scaled, int32_t zero_point, int low, int high);

/// Returns the reference's int8 result for an accumulator: scaled, offset by the zero point,
/// clamped.
int8_t requantise_reference(const Workload& workload, int32_t accumulator, int32_t multiplier,
                            int shift);

/// The same for a channel of `data`, whose addend it also uses for Rounding::kMultiplyAdd.
int8_t requantise_reference(const Workload& workload, const LayerData& data, size_t channel,
                            int32_t accumulator);

/// Reachable values of an output channel's accumulator: bias + sum of (x - zero_point) * w over all
/// int8 x. 64 bits, so that an overflow of int32 shows.
struct AccumulatorRange {
  int64_t low = 0, high = 0;
};
std::vector<AccumulatorRange> accumulator_ranges(const Workload& workload, const LayerData& data);

/// Returns the smallest range that contains all `ranges`, which must not be empty.
AccumulatorRange whole_range(const std::vector<AccumulatorRange>& ranges);

/// Returns the smallest accumulator of the range for which the channel's output is at least
/// `level`; the range's end + 1 if there is none.
int64_t first_reaching(const Workload& workload, const AccumulatorRange& range,
                       const LayerData& data, size_t channel, int level);

/// Outputs reach `level` from accumulator `first` on.
struct OutputStep {
  int level;
  int64_t first;
};

/// Returns the channel's steps to the levels above `lowest`, up to `highest`.
std::vector<OutputStep> output_steps(const Workload& workload, const AccumulatorRange& range,
                                     const LayerData& data, size_t channel, int lowest,
                                     int highest);

/// Returns the real scale of a channel's accumulators.
double scale_of(const LayerData& data, size_t channel);

/// Returns the real number added to a channel's scaled accumulators before they are rounded down:
/// 0.5 if rounding is to nearest.
double raised_by(const LayerData& data, size_t channel);

/// Returns the weights of one output channel in reduction order, for every operator.
std::vector<int8_t> channel_weights(const Workload& workload, const LayerData& data, int channel);

/// Returns the right shift of a channel's products. Negative: the accumulator is shifted left
/// before the multiplication (scales of at least 1/2 have a shift of 0 or less). A multiplier of 0
/// gives 0 for any shift: its channel gets a shift of 1, which every form accepts.
int right_shift(const LayerData& data, int channel);

/// Returns whether every channel permits the short form
///   h = (acc * 2m + 2^31) >> 32;  (h + (h >> 31) + (1 << (s - 1))) >> s
/// with 1 <= s <= 31 and no overflow anywhere in the accumulator's range.
bool short_requantise_proved(const Workload& workload, const LayerData& data);

/// The same for the shifted form, which is the short form for `s` > 0, and for `s` <= 0 only
///   h = ((acc << -s) * 2m + 2^31) >> 32
/// Branchless code covers both: acc << left first; the summand h >> 31 is masked if s is 0.
bool shifted_requantise_proved(const Workload& workload, const LayerData& data);

/// One multiply-high for the whole scaling:
///   out = clamp((mulh(acc << left, multiplier[c]) + offset[c]) >> right)
/// where mulh is the high word of the signed 32x32 product. The shifts are the same for all
/// channels, so they need no register; the offset includes rounding and zero point.
struct FusedRequantise {
  int left = 0, right = 0;
  std::vector<int32_t> multiplier, offset;
};

/// Finds constants that agree with the reference on every reachable accumulator of every channel;
/// nullopt if there are none. TFLite's rounding also requires the shifted form to be proved: if the
/// reference's own left shift wraps, its result is not a monotone step function. Layers that clamp
/// at zero nearly always have constants. Others often do not: the reference rounds negative halves
/// the other way, which one multiply cannot reproduce on both sides of zero.
std::optional<FusedRequantise> fuse_requantise(const Workload& workload, const LayerData& data);

/// A kernel's unsigned multiplication: u in [0, 2^bits) times a multiplier below 2^multiplier_bits,
/// giving the word floor(u * multiplier / 2^(32 - left)).
struct UnsignedMultiply {
  int bits, left;
  int multiplier_bits = 31;
};

/// The same for kernels that hold u = acc + origin[c] instead of the accumulator, with this product
/// as mulh. The offset then also includes the bias and the initial value of u. Also nullopt if u
/// may exceed its bits.
std::optional<FusedRequantise> fuse_requantise_from(const Workload& workload, const LayerData& data,
                                                    const UnsignedMultiply& multiply,
                                                    const std::vector<int64_t>& origin);

/// The fused form for kernels with 16-bit weights: each channel's weights, and the initial values
/// of its sums, are shifted left in advance, and `right` is a constant of the code:
///   out = clamp((mulh(acc << left[c], multiplier[c]) + offset[c]) >> right)
struct FusedWeights {
  std::vector<int> left;  ///< 0 to 8, so that shifted int8 weights fit 16 bits
  std::vector<int32_t> multiplier, offset;
};

/// Finds constants that agree with the reference on every reachable accumulator; nullopt: none.
std::optional<FusedWeights> fuse_into_weights(const Workload& workload, const LayerData& data,
                                              int right);

}  // namespace tinytune
