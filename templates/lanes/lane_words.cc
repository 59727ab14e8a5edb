#include "templates/lanes/lane_words.h"

#include <algorithm>

#include "base/check.h"

namespace tinytune {

LaneWords::LaneWords(int lanes, int words)
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

Value LaneWords::pack(int word, const std::function<Value(int)>& lane, IrText& ir) const {
  Value all = lane(word);
  for (const Piece& piece : pieces_[static_cast<size_t>(word)])
    all = ir.add(all, ir.shift_left(lane(piece.lane), piece.at - piece.from));
  return all;
}

int32_t LaneWords::word_of(int word, uint32_t value) const {
  uint32_t all = value;
  for (const Piece& piece : pieces_[static_cast<size_t>(word)])
    all += value << (piece.at - piece.from);
  return static_cast<int32_t>(all);
}

void LaneWords::unpack(const Values& words, End end, IrText& ir,
                       const std::function<void(int lane, const Value&)>& take) const {
  const auto left = [&](const Value& v, int by) { return by == 0 ? v : ir.shift_left(v, by); };
  const auto right = [&](const Value& v, int by) {
    return by == 0 ? v : ir.shift_right_unsigned(v, by);
  };
  const int top = end == End::kTop ? 32 - bits_ : 0;
  Values lanes(static_cast<size_t>(lanes_));
  Values known(static_cast<size_t>(lanes_));  // of lanes that are not complete: their lower bits
  for (size_t i = 0; i < words.size(); ++i) {
    Value rest = words[i];
    for (const Piece& piece : pieces_[i])
      if (piece.from > 0)
        rest = ir.sub(rest, left(known[static_cast<size_t>(piece.lane)], piece.at - piece.from));
    const bool alone = pieces_[i].empty();
    lanes[i] = alone ? left(rest, top) : right(left(rest, 32 - bits_), 32 - bits_ - top);
    for (const Piece& piece : pieces_[i]) {
      const auto at = static_cast<size_t>(piece.lane);
      const int above = &piece == &pieces_[i].back() ? 0 : 32 - piece.at - piece.count;
      const Value bits = right(left(rest, above), piece.at + above);
      const Value placed = left(bits, piece.from + top);
      lanes[at] = piece.from == 0 ? placed : ir.add(lanes[at], placed);
      known[at] = piece.from == 0 ? bits : ir.add(known[at], left(bits, piece.from));
      if (piece.from + piece.count == bits_) take(piece.lane, lanes[at]);
    }
    take(static_cast<int>(i), lanes[i]);
  }
}

}  // namespace tinytune
