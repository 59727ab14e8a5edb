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
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "templates/tile/ir_text.h"

namespace tinytune {

class LaneWords {
 public:
  /// `words` < `lanes` <= 2 * `words`.
  LaneWords(int lanes, int words);

  /// Of each lane's sum: as many as the words have for it.
  static int bits(int lanes, int words) { return 32 * words / lanes; }

  /// A word of the lanes' values, which `lane` gives by their number.
  Value pack(int word, const std::function<Value(int lane)>& lane, IrText& ir) const;
  /// A word whose lanes are all `value`.
  int32_t word_of(int word, uint32_t value) const;

  /// The lanes of these words, at the bottom of a word each or, with zeros below, at its top.
  enum class End { kBottom, kTop };
  void unpack(const Values& words, End end, IrText& ir,
              const std::function<void(int lane, const Value&)>& take) const;

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
