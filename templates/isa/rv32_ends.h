// The epilogue of assembly for RV32 (lane_pairs.h): requantisation by any form but the long one.
//
// The fused form's code also computes the short and the shifted form, with an offset for negative
// sums:
//   out = clamp((mulh(sum << left, multiplier) + offset + (sum < 0 ? signed_offset : 0)) >> right)
// The short form's rounded high word is (mulh(sum << 2, m) + 1) >> 1. Its correction of negative
// values, -1 in units of that word, is -2 before the shift by 1. So one shift does both, and the
// zero point is added before it as well. Sums between -1/2 and 0 in units of the high word are
// negative here but not in the short form; they are far from any step. Beyond the two forms, this
// one needs two bits of headroom, which packing checks.
//
// If a kernel fills its output with a ReLU's limit in advance, the fused form also has the smallest
// sum whose output is above that limit, and stores nothing for smaller sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/tile/assembly.h"
#include "templates/tile/filled_output.h"

namespace tinytune {

/// Returns whether a channel's words include its smallest sum with an output above the low limit.
inline bool has_first_sum(const Workload& w) {
  return w.facts.requantise == Requantise::kFused && may_fill_output(w);
}

/// Returns the number of words of a channel's requantisation.
inline int end_words(const Workload& w) {
  const Requantise kind = w.facts.requantise;
  if (kind == Requantise::kFused) return has_first_sum(w) ? 5 : 4;
  return kind == Requantise::kStepped ? 3 : 5;
}

/// The words of every channel and, for the stepped form, the table that all channels share.
struct PackedEnds {
  std::vector<std::vector<int32_t>> channels;
  std::vector<int32_t> levels;

  bool are_alike() const {
    return std::all_of(channels.begin(), channels.end(),
                       [&](const std::vector<int32_t>& words) { return words == channels[0]; });
  }
};

inline Error not_exact(const Workload& w, const char* why) {
  return Error(ErrorCode::kUnsupported, "the " + std::string(name_of(w.facts.requantise)) +
                                            " requantisation " + why + " for these weights");
}

// Returns a channel's words for the short or the shifted form, which must have been proved.
inline Result<std::vector<int32_t>> words_of_short(const Workload& w, const LayerData& data,
                                                   int channel, const AccumulatorRange& range) {
  const int shift = right_shift(data, channel), right = std::max(shift, 0) + 1;
  const int left = std::max(-shift, 0) + 2;
  const int64_t multiplier = data.multiplier[static_cast<size_t>(channel)];
  const int64_t half = shift > 0 ? int64_t{1} << shift : 0;
  const int64_t offset = 1 + half + w.output_zero_point * (int64_t{1} << right);
  for (const int64_t end : {range.low, range.high}) {
    const int64_t shifted = end * (int64_t{1} << left);
    if (right > 31 || shifted < INT32_MIN || shifted > INT32_MAX ||
        std::abs((shifted * multiplier) >> 32) + std::abs(offset) + 2 > INT32_MAX)
      return not_exact(w, "has no room");
  }
  return std::vector<int32_t>{static_cast<int32_t>(multiplier), static_cast<int32_t>(offset), left,
                              right, shift > 0 ? -2 : 0};
}

/// Packs the words of all channels. kUnsupported: the form in `workload.facts` is not provable for
/// these constants, or lacks the headroom.
inline Result<PackedEnds> pack_ends(const Workload& w, const LayerData& data) {
  const Requantise kind = w.facts.requantise;
  if (kind == Requantise::kLong) return not_exact(w, "is not written");
  TT_TRY_ASSIGN(const ChannelParams params, ChannelParams::create(w, data));
  PackedEnds ends;
  if (kind == Requantise::kStepped) ends.levels = params.shared();
  const auto ranges = accumulator_ranges(w, data);
  // The range of all channels, so that channels with equal scales get the same first sum.
  const AccumulatorRange whole = whole_range(ranges);
  for (int c = 0; c < w.out_c; ++c) {
    std::vector<int32_t> words = params.scaling(c);
    if (kind == Requantise::kFused) {
      words.insert(words.end(), params.shared().begin(), params.shared().end());
      if (has_first_sum(w))
        words.push_back(static_cast<int32_t>(
            first_reaching(w, whole, data, static_cast<size_t>(c), w.activation_min + 1)));
    } else if (kind == Requantise::kStepped) {
      words.push_back(32 - words[1]);  // the complementary left shift
    } else {
      TT_TRY_ASSIGN(words, words_of_short(w, data, c, ranges[static_cast<size_t>(c)]));
    }
    ends.channels.push_back(std::move(words));
  }
  return ends;
}

/// The operands of an epilogue.
struct EndRegisters {
  Reg first;   ///< first of kScratchOfEnds consecutive registers
  Reg levels;  ///< address of SteppedLevels; stepped form only
  Reg output;
  std::optional<Reg> places;  ///< address of half words: the distance of each output from `output`
};
inline constexpr int kScratchOfEnds = 10;

/// Writes the epilogues of channels.
class LaneEnds {
 public:
  /// `skips_low`: the output is filled with the low limit in advance.
  LaneEnds(const Workload& workload, bool skips_low, const EndRegisters& registers, Assembly& text)
      : w_(workload), skips_low_(skips_low), registers_(registers), text_(text) {}

  void load_limits() {
    if (!skips_low_) text_.emit("li {}, {}", low_, w_.activation_min);
    text_.emit("li {}, {}", high_, w_.activation_max);
  }
  /// Loads a channel's words, `at` bytes from `base`, for the end() calls that follow.
  void load_words(Reg base, int at) {
    const int unread = has_first_sum(w_) && !skips_low_ ? 1 : 0;
    for (int i = 0; i < end_words(w_) - unread; ++i)
      text_.emit("lw {}, {}({})", word(i), at + 4 * i, base);
  }
  /// Requantises `sum`, which may be clobbered, and stores it: `at` bytes from the output or, with
  /// `places`, at the distance from the output that is stored `at` bytes from `places`.
  void end(Reg sum, int at) {
    if (skips_low_) text_.emit("blt {}, {}, 7f", sum, word(kFirstSum));
    w_.facts.requantise == Requantise::kStepped ? scale_stepped(sum) : scale(sum);
    text_.emit("blt {}, {}, 4f", result_, high_);
    text_.emit("mv {}, {}", result_, high_);
    text_.emit("4:");
    if (!skips_low_) {
      text_.emit("blt {}, {}, 5f", low_, result_);
      text_.emit("mv {}, {}", result_, low_);
      text_.emit("5:");
    }
    store(at);
    if (skips_low_) text_.emit("7:");
  }

 private:
  // The order of a channel's words in registers; registers for computation follow.
  enum Word {
    kMultiplier,
    kOffset,
    kLeft,
    kRight,
    kSignedOffset,
    kFirstSum = kSignedOffset,
    kWords
  };
  enum SteppedWord { kSteppedMultiplier, kSteppedRight, kSteppedLeft };

  void store(int at) {
    if (!registers_.places) return text_.emit("sb {}, {}({})", result_, at, registers_.output);
    text_.emit("lhu {}, {}({})", other_, at, *registers_.places);
    text_.emit("add {0}, {0}, {1}", other_, registers_.output);
    text_.emit("sb {}, 0({})", result_, other_);
  }

  void scale(Reg sum) {
    text_.emit("sll {}, {}, {}", result_, sum, word(kLeft));
    text_.emit("mulh {0}, {0}, {1}", result_, word(kMultiplier));
    text_.emit("add {0}, {0}, {1}", result_, word(kOffset));
    if (w_.facts.requantise != Requantise::kFused) {
      text_.emit("srai {}, {}, 31", other_, sum);
      text_.emit("and {0}, {0}, {1}", other_, word(kSignedOffset));
      text_.emit("add {0}, {0}, {1}", result_, other_);
    }
    text_.emit("sra {0}, {0}, {1}", result_, word(kRight));
  }

  // Requantises as in stepped_requantise.h.
  void scale_stepped(Reg sum) {
    const Reg fraction = other_, level = third_;
    text_.emit("mulh {}, {}, {}", fraction, sum, word(kSteppedMultiplier));
    text_.emit("mul {}, {}, {}", level, sum, word(kSteppedMultiplier));
    text_.emit("sra {}, {}, {}", result_, fraction, word(kSteppedRight));
    text_.emit("sll {0}, {0}, {1}", fraction, word(kSteppedLeft));
    text_.emit("srl {0}, {0}, {1}", level, word(kSteppedRight));
    text_.emit("or {0}, {0}, {1}", fraction, level);
    text_.emit("lui {}, 0x80000", level);
    text_.emit("add {0}, {0}, {1}", fraction, level);
    text_.emit("srai {0}, {0}, 1", fraction);
    text_.emit("andi {}, {}, 0xff", level, result_);
    text_.emit("slli {0}, {0}, 1", level);
    text_.emit("add {0}, {0}, {1}", level, registers_.levels);
    text_.emit("lh {0}, 0({0})", level);
    // The difference is negative if the fraction is above the level's.
    text_.emit("sub {0}, {0}, {1}", level, fraction);
    text_.emit("srai {0}, {0}, 31", level);
    text_.emit("sub {0}, {0}, {1}", result_, level);
    text_.emit("addi {0}, {0}, {1}", result_, w_.output_zero_point);
  }

  Reg word(int i) const { return registers_.first + i; }

  const Workload& w_;
  const bool skips_low_;
  const EndRegisters registers_;
  Assembly& text_;
  const Reg low_ = word(kWords), high_ = low_ + 1, result_ = low_ + 2, other_ = low_ + 3,
            third_ = low_ + 4;
  static_assert(kWords + 5 == kScratchOfEnds);
};

}  // namespace tinytune
