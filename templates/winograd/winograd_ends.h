// The epilogue of 4x4 outputs, if the requantisation is the fused or the short one.
//
// The output transform yields 576 times a sum, modulo 2^32, and 576 is 64 * 9. So a multiplication
// by the inverse of 9 gives the sum shifted left by 6; with that inverse shifted left, it gives the
// sum with the left shift of the requantisation, and no shift precedes the multiply-high. The bias,
// times 576, is added before, to one value of six that four outputs share.
//
// If a layer clamps at zero and a branch is cheaper than the clamp, the output is filled with the
// low limit first, and sums with this output are neither scaled nor stored.
//
// Not used if terms are pairs: cores with SMLAD clamp in one instruction and have few registers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/isa/rv32_ends.h"
#include "templates/lane_shifts.h"
#include "templates/tile/filled_output.h"
#include "templates/tile/ir_text.h"
#include "templates/usual_knobs.h"
#include "templates/winograd/winograd_plan.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {

struct WinogradEnds {
  bool of_multiples;  ///< the epilogue of this file; else ChannelLoop's
  bool has_first;  ///< has a word: the least sum, shifted left, with an output above the low limit
  bool has_sign;   ///< has a word: the addend of negative sums

  WinogradEnds(const Workload& w, const WinogradPlan& plan)
      : of_multiples(
            plan.square == 4 && !plan.smlad &&
            (w.facts.requantise == Requantise::kFused || w.facts.requantise == Requantise::kShort)),
        has_first(of_multiples && w.facts.requantise == Requantise::kFused && clamps_negatives(w)),
        has_sign(of_multiples && w.facts.requantise == Requantise::kShort) {}

  /// Returns a channel's words without the scaling_words() that ChannelLoop adds: those of the
  /// bias, the first sum, multiplier, offset, right shift and sign, less scaling_words().
  int start_words(Requantise kind) const {
    if (!of_multiples) return kWinogradStartWords;
    return kWinogradStartWords + (has_first ? 1 : 0) + 3 + (has_sign ? 1 : 0) - scaling_words(kind);
  }
};

/// Returns what to add to a row of transformed columns for the bias, at the second of its six
/// values. Plain weights lack this value's factor of -4.
inline int32_t winograd_bias(const WinogradPlan& plan, int32_t bias) {
  return static_cast<int32_t>(static_cast<uint32_t>(bias) * (plan.from_bytes ? 0u - 144 : 576));
}

/// Packs the words above for each channel, then the factor that all share. kUnsupported: sums that
/// are shifted left by 6 do not fit.
inline Result<PackedConstant> pack_winograd_ends(const Workload& w, const LayerData& data,
                                                 const WinogradPlan& plan) {
  const WinogradEnds ends(w, plan);
  if (!ends.of_multiples) return pack_params(w, data);
  TT_TRY_ASSIGN(const ChannelParams params, ChannelParams::create(w, data));
  const bool fused = !ends.has_sign;
  constexpr int kShortLeft = 2;
  const int proved = fused ? params.shared()[0] : kShortLeft;
  const int left = std::max(proved, kWinograd4Shift), raise = left - proved;
  const auto ranges = accumulator_ranges(w, data);
  std::vector<int32_t> words;
  for (int c = 0; c < w.out_c; ++c) {
    const AccumulatorRange& range = ranges[static_cast<size_t>(c)];
    int64_t multiplier = 0, offset = 0, right = 0, sign = 0;
    if (fused) {
      multiplier = params.scaling(c)[0], offset = params.scaling(c)[1], right = params.shared()[1];
    } else {
      TT_TRY_ASSIGN(const auto of_short, words_of_short(w, data, c, range));
      multiplier = of_short[0], offset = of_short[1], right = of_short[3], sign = of_short[4];
    }
    // The high word of a sum that is shifted further left, shifted right again, stays the same.
    offset *= int64_t{1} << raise, sign *= int64_t{1} << raise, right += raise;
    for (const int64_t end : {range.low, range.high}) {
      const int64_t shifted = end * (int64_t{1} << left);
      if (right > 31 || shifted < INT32_MIN || shifted > INT32_MAX ||
          std::abs((shifted * multiplier) >> 32) + std::abs(offset) + std::abs(sign) > INT32_MAX)
        return not_exact(w, "has no room");
    }
    words.push_back(winograd_bias(plan, folded_bias(w, data, c)));
    if (ends.has_first) {
      const int64_t first =
          first_reaching(w, range, data, static_cast<size_t>(c), w.activation_min + 1);
      words.push_back(
          static_cast<int32_t>(std::min<int64_t>(first * (int64_t{1} << left), INT32_MAX)));
    }
    for (const int64_t word : {multiplier, offset, right})
      words.push_back(static_cast<int32_t>(word));
    if (ends.has_sign) words.push_back(static_cast<int32_t>(sign));
  }
  words.push_back(static_cast<int32_t>(kWinograd4Inverse << (left - kWinograd4Shift)));
  return words_constant("params", words);
}

/// Writes the epilogue of one channel.
class WinogradEndsWriter {
 public:
  WinogradEndsWriter(const Workload& w, const WinogradPlan& plan, const Device& device, IrText& ir)
      : w_(w),
        ends_(w, plan),
        skips_low_(ends_.has_first && device.target.family == CoreFamily::kRiscv32 &&
                   !has_min_max(device) && may_fill_output(w)),
        ir_(ir) {}

  bool of_multiples() const { return ends_.of_multiples; }

  void fill_outputs() {
    if (skips_low_) fill_output(w_, ir_);
  }
  /// Loads the words of the channel at `params`, and the shared factor.
  void load(const Value& params, const Value& shared) {
    int at = 0;
    const auto next = [&] { return ir_.load_word(ir_.at(params, 4 * at++)); };
    bias_ = next();
    if (ends_.has_first) first_ = next();
    multiplier_ = next(), offset_ = next(), right_ = next();
    if (ends_.has_sign) sign_ = next();
    factor_ = ir_.load_word(shared);
    low_ = ir_.opaque(w_.activation_min), high_ = ir_.opaque(w_.activation_max);
  }
  const Value& bias() const { return bias_; }

  /// Stores the outputs of sums, which come times 576.
  void store(const Values& multiples, const std::function<Value(size_t)>& target) {
    if (!skips_low_) {
      Values results;
      for (const Value& multiple : multiples)
        results.push_back(ir_.clamp(scaled(ir_.mul(multiple, factor_)), low_, high_));
      for (size_t i = 0; i < results.size(); ++i) ir_.store_byte(results[i], target(i));
      return;
    }
    for (size_t i = 0; i < multiples.size(); ++i) {
      const Value sum = ir_.mul(multiples[i], factor_);
      ir_.if_else(
          ir_.less(sum, first_), [] {},
          [&] {
            const Value result = scaled(sum);
            ir_.store_byte(ir_.select(ir_.less(result, high_), result, high_), target(i));
          });
    }
  }

 private:
  Value scaled(const Value& sum) {
    Value high = ir_.add(ir_.multiply_high(sum, multiplier_), offset_);
    if (ends_.has_sign) high = ir_.add(high, ir_.bit_and(ir_.shift_right(sum, 31), sign_));
    return ir_.shift_right(high, right_);
  }

  const Workload& w_;
  const WinogradEnds ends_;
  const bool skips_low_;
  IrText& ir_;
  Value bias_, first_, multiplier_, offset_, right_, sign_, factor_, low_, high_;
};

}  // namespace tinytune
