// Packing of accumulators (lanes) into fewer words, using all bits of the words.
//
// Two sums of 20 bits do not fit a word of 32, but eight fit five words exactly. The first five are
// at the bottom of one word each. Above them every word has 12 spare bits. The spare bits of all
// words form a stream of 60 bits, which holds the other three sums back to back, split at word
// boundaries:
//
//   word 0   a + f * 2^20                   f's bits 0 to 11; higher bits overflow the word
//   word 1   b + f * 2^8 + g * 2^28         f's bits 12 to 19, g's 0 to 3
//   word 2   c + g * 2^16                   ...
//
// Every word is a linear combination of lanes with powers of two, modulo 2^32. So inputs are packed
// once, and each word is multiplied by a weight and accumulated as one number; after the last
// product the words are the same combination of the lanes' sums. No lane needs to be unpacked
// earlier, even if it exceeds its bits meanwhile. Only the final sum of a lane must be in
// [0, 2^bits); sums that may be negative start at 2^(bits - 1).
//
// Unpacking proceeds from the first word to the last. The lower bits of a lane that continues from
// earlier words are known by then and are subtracted; the bottom lane is the low part of the rest.
// Subtracting the bottom lane leaves the lanes above it; a left shift drops the higher lanes, which
// leaves one lane with all its bits up to there.
//
// `code` emits the arithmetic, as IrText does for kernels and CLaneWords for C functions: add and
// shift_left to pack; sub, shift_left, shift_right_unsigned and opaque to unpack. opaque() hides a
// shifted word from LLVM, which would merge its shift with the next one into a mask; masks occupy
// registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace tinytune {

class LaneWords {
 public:
  /// `words` < `lanes` <= 2 * `words`.
  LaneWords(int lanes, int words)
      : lanes_(lanes), bits_(bits(lanes, words)), pieces_(static_cast<size_t>(words)) {
    TT_CHECK(words < lanes && lanes <= 2 * words, "more lanes than words, at most two a word");
    const int spare = 32 - bits_;  // of each word, which has stream bits [spare * word, + spare)
    const int room = spare * words;
    int start = 0;
    for (int lane = words; lane < lanes; ++lane) {
      // Starts at a word boundary if there is room, for fewer pieces.
      const int whole = (start + spare - 1) / spare * spare;
      if (whole + (lanes - lane) * bits_ <= room) start = whole;
      const int end = start + bits_;
      for (int word = start / spare; word * spare < end; ++word) {
        const int from = std::max(start, word * spare), to = std::min(end, (word + 1) * spare);
        pieces_[static_cast<size_t>(word)].push_back(
            {lane, from - start, to - from, bits_ + from - word * spare});
      }
      start = end;
    }
  }

  /// Returns the bits of each lane's sum: all bits of the words divided evenly.
  static int bits(int lanes, int words) { return 32 * words / lanes; }

  /// Returns word `word`, packed from the lanes' values; lane(i) is the value of lane i.
  template <typename LaneOf, typename Code>
  auto pack(int word, const LaneOf& lane, Code& code) const {
    auto all = lane(word);
    for (const Piece& piece : pieces_[static_cast<size_t>(word)])
      all = code.add(all, code.shift_left(lane(piece.lane), piece.at - piece.from));
    return all;
  }
  /// Returns word `word` if all lanes are `value`.
  int32_t word_of(int word, uint32_t value) const {
    uint32_t all = value;
    for (const Piece& piece : pieces_[static_cast<size_t>(word)])
      all += value << (piece.at - piece.from);
    return static_cast<int32_t>(all);
  }

  enum class End { kBottom, kTop };
  /// Calls take(lane, value) for each lane of these words; the value is at the bottom of a word or,
  /// with zeros below, at its top.
  template <typename Word, typename Code, typename Take>
  void unpack(const std::vector<Word>& words, End end, Code& code, const Take& take) const {
    const auto left = [&](const Word& v, int by) { return by == 0 ? v : code.shift_left(v, by); };
    const auto right = [&](const Word& v, int by) {
      return by == 0 ? v : code.shift_right_unsigned(v, by);
    };
    const int spare = 32 - bits_, top = end == End::kTop ? spare : 0;
    struct Known {
      Word bits;  // lower bits of a lane, with zeros below
      int at;     // their position in the word
    };
    std::vector<Known> known(static_cast<size_t>(lanes_));
    const auto known_at = [&](int lane, int at) {
      const Known& of_lane = known[static_cast<size_t>(lane)];
      return at < of_lane.at ? right(of_lane.bits, of_lane.at - at)
                             : left(of_lane.bits, at - of_lane.at);
    };
    for (size_t i = 0; i < words.size(); ++i) {
      Word rest = words[i];
      bool goes_on = false;  // whether a lane continues from an earlier word
      for (const Piece& piece : pieces_[i]) {
        if (piece.from == 0) continue;
        rest = code.sub(rest, known_at(piece.lane, piece.at - piece.from));
        goes_on = true;
      }
      const bool alone = pieces_[i].empty();
      const Word lane = alone ? left(rest, top) : right(left(rest, spare), spare - top);
      const Word above = goes_on ? code.sub(words[i], right(code.opaque(lane), top)) : rest;
      for (const Piece& piece : pieces_[i]) {
        const int beyond = &piece == &pieces_[i].back() ? 0 : 32 - piece.at - piece.count;
        const bool begins = piece.from == 0;
        known[static_cast<size_t>(piece.lane)] =
            begins ? Known{code.opaque(right(left(above, beyond), piece.at + beyond)), 0}
                   : Known{left(above, beyond), piece.at - piece.from + beyond};
        if (piece.from + piece.count == bits_) take(piece.lane, known_at(piece.lane, top));
      }
      take(static_cast<int>(i), lane);
    }
  }

 private:
  /// Part of a lane in the spare bits of one word.
  struct Piece {
    int lane;
    int from;   ///< lowest bit of the lane in this word
    int count;  ///< number of bits
    int at;     ///< position of bit `from` in the word
  };

  int lanes_, bits_;
  std::vector<std::vector<Piece>> pieces_;  // by word, from low bits to high
};

}  // namespace tinytune
