#include "templates/isa/rv32_ends.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "schedules/requantise.h"
#include "templates/channel_params.h"

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
  return kind == Requantise::kFused ? 4 : kind == Requantise::kStepped ? 3 : kMostWords;
}

bool PackedEnds::are_alike() const {
  return std::all_of(channels.begin(), channels.end(),
                     [&](const std::vector<int32_t>& words) { return words == channels[0]; });
}

Result<PackedEnds> pack_ends(const Workload& w, const LayerData& data) {
  const Requantise kind = w.facts.requantise;
  if (kind == Requantise::kLong) return not_exact(w, "is not written");
  TT_TRY_ASSIGN(const ChannelParams params, ChannelParams::create(w, data));
  PackedEnds ends;
  if (kind == Requantise::kStepped) ends.levels = params.shared();
  const auto ranges = accumulator_ranges(w, data);
  for (int c = 0; c < w.out_c; ++c) {
    std::vector<int32_t> words = params.scaling(c);
    if (kind == Requantise::kFused) {
      words.insert(words.end(), params.shared().begin(), params.shared().end());
    } else if (kind == Requantise::kStepped) {
      words.push_back(32 - words[kSteppedRight]);
    } else {
      TT_TRY_ASSIGN(words, words_of_short(w, data, c, ranges[static_cast<size_t>(c)]));
    }
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
