// Lanes wide enough for whole sums: more sums than words, in all of the words' bits.
//
// Two sums of 20 bits do not fit a word of 32, but eight fit five words, exactly. The first five
// lie at the bottom of a word each. Above them every word has 12 bits to spare; these, word after
// word, are one stream of 60 bits, and the other three sums lie in it one behind another, in pieces
// where it breaks:
//
//   word 0   a + f * 2^20                   f's bits 0 to 11; the rest falls off the word's end
//   word 1   b + f * 2^8 + g * 2^28         f's bits 12 to 19, g's 0 to 3
//   word 2   c + g * 2^16                   ...
//
// Every word is a sum of the lanes times powers of two, modulo 2^32. So inputs are packed once,
// each word is multiplied by a weight and added up as if it were a number, and after the last
// product the words are still that sum of the lanes' sums: no lane is emptied on the way, however
// often it was beyond its bits. Only what it ends as must be in [0, 2^bits); sums that may be
// negative start from the middle.
//
// Unpacking goes up the words. What lies in a word of a lane's lower bits is known from the words
// before and is taken off; what is left has the bottom lane. A word without its bottom lane is
// those above it: shifted until the next lane falls off, a lane with all its bits up to there.
//
// `code` prints the arithmetic, as IrText does for kernels and CLaneWords for C functions: add and
// shift_left to pack; sub, shift_left, shift_right_unsigned and opaque to unpack. opaque() hides a
// shifted word from LLVM, which would merge its shift with the next one into a mask: masks take
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
    const int spare = 32 - bits_;  // of each word: the stream's bits [spare * word, + spare)
    const int room = spare * words;
    int start = 0;
    for (int lane = words; lane < lanes; ++lane) {
      // Fewer pieces where there is room to begin with a word.
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

  /// Of each lane's sum: as many as the words have for it.
  static int bits(int lanes, int words) { return 32 * words / lanes; }

  /// A word of the lanes' values, which `lane` gives by their number.
  template <typename LaneOf, typename Code>
  auto pack(int word, const LaneOf& lane, Code& code) const {
    auto all = lane(word);
    for (const Piece& piece : pieces_[static_cast<size_t>(word)])
      all = code.add(all, code.shift_left(lane(piece.lane), piece.at - piece.from));
    return all;
  }
  /// A word whose lanes are all `value`.
  int32_t word_of(int word, uint32_t value) const {
    uint32_t all = value;
    for (const Piece& piece : pieces_[static_cast<size_t>(word)])
      all += value << (piece.at - piece.from);
    return static_cast<int32_t>(all);
  }

  enum class End { kBottom, kTop };
  /// Calls take(lane, value) with each lane of these words: at the bottom of a word or, with zeros
  /// below, at its top.
  template <typename Word, typename Code, typename Take>
  void unpack(const std::vector<Word>& words, End end, Code& code, const Take& take) const {
    const auto left = [&](const Word& v, int by) { return by == 0 ? v : code.shift_left(v, by); };
    const auto right = [&](const Word& v, int by) {
      return by == 0 ? v : code.shift_right_unsigned(v, by);
    };
    const int spare = 32 - bits_, top = end == End::kTop ? spare : 0;
    struct Known {
      Word bits;  // a lane's lower ones, with zeros below
      int at;     // where they begin
    };
    std::vector<Known> known(static_cast<size_t>(lanes_));
    const auto known_at = [&](int lane, int at) {
      const Known& of_lane = known[static_cast<size_t>(lane)];
      return at < of_lane.at ? right(of_lane.bits, of_lane.at - at)
                             : left(of_lane.bits, at - of_lane.at);
    };
    for (size_t i = 0; i < words.size(); ++i) {
      Word rest = words[i];
      bool goes_on = false;  // a lane that begins in a word before
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
  /// Bits of a lane above the words' own ones.
  struct Piece {
    int lane;
    int from;   ///< the lane's lowest bit that is in it
    int count;  ///< of bits
    int at;     ///< where that lies in the word
  };

  int lanes_, bits_;
  std::vector<std::vector<Piece>> pieces_;  // of each word, upwards
};

}  // namespace tinytune
