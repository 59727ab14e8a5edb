// Lanes of 16 bits: two sums in a word, in groups of as many products as a lane can take.
//
// (a + b * 2^16) * w holds a * w in its low half and b * w in its high half as long as the low sum
// stays within 16 bits. Weights are constants, so how many products fit is known: packing cuts the
// reduction of a tile of channels into the longest groups with 128 * sum|w| <= 32767 for every
// channel of the tile. A group starts at 0x8000, so that the low lane never borrows from the high
// one, and ends with three instructions:
//   sum += acc; high += acc >> 16;   at the end: low = sum - (high << 16) - 0x8000 * groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedules/weight_facts.h"
#include "templates/lanes/lane_products.h"
#include "templates/tile/ir_text.h"
#include "tinytune/result.h"

namespace tinytune {

/// Which lengths a group may have: first, first + step, first + 2 * step, ..., at most `longest`.
struct GroupLengths {
  int first, step, longest;
};

/// Cuts the reduction into the longest groups that fit the lane (weight_facts.h) for all channels
/// of a tile, which have equal lengths. Returns the groups' lengths in products. The last group may
/// reach beyond the reduction's end, where weights count as zero. kUnsupported: `first` products do
/// not fit.
inline Result<std::vector<int>> lane_groups(const std::vector<std::vector<int8_t>>& tile,
                                            GroupLengths lengths) {
  // Whether products [from, to) fit the lane of every channel; beyond the end they are zero.
  const auto fit = [&](size_t from, size_t to) {
    return std::all_of(tile.begin(), tile.end(), [&](const std::vector<int8_t>& channel) {
      const std::span<const int8_t> all(channel);
      return from >= all.size() || fits_lane(all.subspan(from, std::min(to, all.size()) - from));
    });
  };
  std::vector<int> groups;
  const size_t all = tile[0].size(), step = static_cast<size_t>(lengths.step);
  for (size_t from = 0; from < all; from += static_cast<size_t>(groups.back())) {
    size_t to = from + static_cast<size_t>(lengths.first);
    if (!fit(from, to))
      return Error(ErrorCode::kUnsupported, "the first products of a group do not fit a lane");
    while (to < all && to + step - from <= static_cast<size_t>(lengths.longest) &&
           fit(from, to + step))
      to += step;
    groups.push_back(static_cast<int>(to - from));
  }
  return groups;
}

/// The start values of a pair's `high` and `sum`, so that its lanes end as their sums plus
/// `low_start` and `high_start` after `groups` groups. `high` starts from `high_start`. `sum`
/// contains both starts, less the 0x8000 that every group starts with.
struct PairStart {
  int32_t high, sum;

  PairStart(int32_t low_start, int32_t high_start, size_t groups)
      : high(high_start),
        sum(static_cast<int32_t>(static_cast<uint32_t>(low_start) +
                                 (static_cast<uint32_t>(high_start) << 16) -
                                 0x8000u * static_cast<uint32_t>(groups))) {}
};

/// Writes the loop over groups of products in IR, which LLVM schedules (multiply_lanes()). Words
/// hold pairs; the other operand is bytes. A group's length, the number of these bytes, is a byte
/// before its weights or, if the weights are the words, an element of an array. A length of 0
/// follows the last group.
struct GroupLoop {
  LaneTile tile;
  int first;              ///< products before a group's first test; tile.step between further tests
  bool weights_in_words;  ///< weights are the words and pass; else inputs are, and are kept

  struct Cursors {
    Value weights, lengths, inputs;  ///< lengths: only if they are an array
  };
  struct Sums {
    Values sum, high;  ///< of each pair, [word][byte]
    Cursors end;       ///< cursors at the length of 0
  };
  /// `start(word, byte)` is the address of a pair's PairStart.
  Sums run(const Cursors& from, const std::function<Value(int, int)>& start, IrText& ir) const {
    const bool array = weights_in_words;
    const size_t counted = array ? 1 : 0;  // the cursor of the bytes
    const LaneOrder order{!weights_in_words, weights_in_words, /*sums_by_word=*/true};
    const auto load_length = [&](const Value& at) { return ir.load_byte(at, false); };
    // Carried: weights, the next length or where it is, inputs, then (sum, high) of every pair.
    Values state = {from.weights, array ? from.lengths : load_length(from.weights), from.inputs};
    const size_t sums_at = state.size(), pairs = static_cast<size_t>(tile.channels * tile.words);
    for (int i = 0; i < tile.words; ++i)
      for (int c = 0; c < tile.channels; ++c) {
        const Value address = start(i, c);
        state.push_back(ir.load_word(ir.at(address, 4)));
        state.push_back(ir.load_word(address));
      }
    state = ir.do_while(state, [&](const Values& v) {
      Values group = {array ? v[0] : ir.at(v[0], 1), v[2]};
      const Value end = ir.at(group[counted], array ? load_length(v[1]) : v[1]);
      group.insert(group.end(), pairs, 0x8000);
      // The first products are peeled: no instruction loads the constant that their sums start
      // from.
      group = multiply_lanes(tile, order, first, group, ir);
      group = ir.do_while_if(ir.differs(group[counted], end), group, [&](const Values& g) {
        Values next = multiply_lanes(tile, order, tile.step, g, ir);
        next.push_back(ir.differs(next[counted], end));
        return next;
      });
      const Value length = array ? ir.at(v[1], 1) : load_length(group[0]);
      Values next = {group[0], length, group[1]};
      for (size_t i = 0; i < pairs; ++i) {
        const Value &acc = group[2 + i], &sum = v[sums_at + 2 * i], &high = v[sums_at + 2 * i + 1];
        next.push_back(ir.add(sum, acc));
        next.push_back(ir.add(high, ir.shift_right(acc, 16)));
      }
      next.push_back(ir.differs(array ? load_length(length) : length, 0));
      return next;
    });
    Sums all = {.end = {state[0], state[1], state[2]}};
    for (size_t i = sums_at; i < state.size(); i += 2) {
      all.sum.push_back(state[i]);
      all.high.push_back(state[i + 1]);
    }
    return all;
  }
};

/// Returns the sum of a pair's low lane.
inline Value low_lane(const Value& sum, const Value& high, IrText& ir) {
  return ir.sub(sum, ir.shift_left(high, 16));
}

}  // namespace tinytune
