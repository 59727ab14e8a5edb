#include "templates/isa/rv32_ends.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "schedules/requantise.h"
#include "schedules/stepped_requantise.h"
#include "templates/packing.h"

namespace tinytune {
namespace {

constexpr int kMostWords = 5;
enum Word { kMultiplier, kOffset, kLeft, kRight, kSignedOffset };
enum SteppedWord { kSteppedMultiplier, kSteppedRight, kSteppedLeft };

Error not_exact(const Workload& w, const char* why) {
  return Error(ErrorCode::kUnsupported, "the " + std::string(name_of(w.facts.requantise)) +
                                            " requantisation " + why + " for these weights");
}

// Of the short form and the shifted one, which have been proved.
Result<std::vector<int32_t>> words_of_short(const Workload& w, const LayerData& data, int channel,
                                            const AccumulatorRange& range) {
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

}  // namespace

int end_words(Requantise kind) {
  switch (kind) {
    case Requantise::kFused:
      return 4;
    case Requantise::kStepped:
      return 3;
    case Requantise::kShort:
    case Requantise::kShifted:
    case Requantise::kLong:
      break;
  }
  return kMostWords;
}

bool PackedEnds::are_alike() const {
  return std::all_of(channels.begin(), channels.end(),
                     [&](const std::vector<int32_t>& words) { return words == channels[0]; });
}

Result<PackedEnds> pack_ends(const Workload& w, const LayerData& data) {
  PackedEnds ends;
  switch (w.facts.requantise) {
    case Requantise::kFused: {
      const auto fused = fuse_requantise(w, data);
      if (!fused) return not_exact(w, "is not exact");
      for (size_t c = 0; c < fused->offset.size(); ++c)
        ends.channels.push_back(
            {fused->multiplier[c], fused->offset[c], fused->left, fused->right});
      return ends;
    }
    case Requantise::kStepped: {
      const auto levels = step_requantise(w, data);
      if (!levels) return not_exact(w, "is not exact");
      for (size_t i = 0; i < levels->size(); i += 2)
        ends.levels.push_back(halves((*levels)[i], (*levels)[i + 1]));
      for (int c = 0; c < w.out_c; ++c) {
        const int right = std::max(right_shift(data, c), kLeastSteppedShift) - 1;
        ends.channels.push_back({data.multiplier[static_cast<size_t>(c)], right, 32 - right});
      }
      return ends;
    }
    case Requantise::kShort:
      if (!short_requantise_proved(w, data)) return not_exact(w, "is not exact");
      break;
    case Requantise::kShifted:
      if (!shifted_requantise_proved(w, data)) return not_exact(w, "is not exact");
      break;
    case Requantise::kLong:
      return not_exact(w, "is not written");
  }
  const auto ranges = accumulator_ranges(w, data);
  for (int c = 0; c < w.out_c; ++c) {
    TT_TRY_ASSIGN(std::vector<int32_t> words,
                  words_of_short(w, data, c, ranges[static_cast<size_t>(c)]));
    ends.channels.push_back(std::move(words));
  }
  return ends;
}

LaneEnds::LaneEnds(const Workload& w, const EndRegisters& registers, Assembly& text)
    : w_(w),
      registers_(registers),
      text_(text),
      low_(registers.first + kMostWords),
      high_(low_ + 1),
      result_(low_ + 2),
      other_(low_ + 3),
      third_(low_ + 4) {
  TT_CHECK(third_.number < registers.first.number + kScratchOfEnds, "more registers than promised");
}

void LaneEnds::load_limits() {
  text_.emit("li {}, {}", low_, w_.activation_min);
  text_.emit("li {}, {}", high_, w_.activation_max);
}

void LaneEnds::load_words(Reg base, int at) {
  for (int i = 0; i < end_words(w_.facts.requantise); ++i)
    text_.emit("lw {}, {}({})", word(i), at + 4 * i, base);
}

void LaneEnds::scale(Reg sum) {
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

// stepped_requantise.h
void LaneEnds::scale_stepped(Reg sum) {
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
  // The difference is -1 in its sign where the fraction is above the level's.
  text_.emit("sub {0}, {0}, {1}", level, fraction);
  text_.emit("srai {0}, {0}, 31", level);
  text_.emit("sub {0}, {0}, {1}", result_, level);
  text_.emit("addi {0}, {0}, {1}", result_, w_.output_zero_point);
}

void LaneEnds::end(Reg sum, int at) {
  w_.facts.requantise == Requantise::kStepped ? scale_stepped(sum) : scale(sum);
  text_.emit("blt {}, {}, 4f", result_, high_);
  text_.emit("mv {}, {}", result_, high_);
  text_.emit("4: blt {}, {}, 5f", low_, result_);
  text_.emit("mv {}, {}", result_, low_);
  text_.emit("5: sb {}, {}({})", result_, at, registers_.output);
}

}  // namespace tinytune
