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
// before and is taken off; what is left are the bits of lanes side by side.
//
// `code` prints the arithmetic: add, sub, shift_left and shift_right_unsigned of its words, as
// IrText does for kernels and CLaneWords for C functions.
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
    const int top = end == End::kTop ? 32 - bits_ : 0;
    std::vector<Word> lanes(static_cast<size_t>(lanes_));
    std::vector<Word> known(
        static_cast<size_t>(lanes_));  // of lanes that are not complete: their lower bits
    for (size_t i = 0; i < words.size(); ++i) {
      Word rest = words[i];
      for (const Piece& piece : pieces_[i])
        if (piece.from > 0)
          rest =
              code.sub(rest, left(known[static_cast<size_t>(piece.lane)], piece.at - piece.from));
      const bool alone = pieces_[i].empty();
      lanes[i] = alone ? left(rest, top) : right(left(rest, 32 - bits_), 32 - bits_ - top);
      for (const Piece& piece : pieces_[i]) {
        const auto at = static_cast<size_t>(piece.lane);
        const int above = &piece == &pieces_[i].back() ? 0 : 32 - piece.at - piece.count;
        const Word bits = right(left(rest, above), piece.at + above);
        const Word placed = left(bits, piece.from + top);
        lanes[at] = piece.from == 0 ? placed : code.add(lanes[at], placed);
        if (piece.from + piece.count == bits_)
          take(piece.lane, lanes[at]);
        else
          known[at] = piece.from == 0 ? bits : code.add(known[at], left(bits, piece.from));
      }
      take(static_cast<int>(i), lanes[i]);
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
