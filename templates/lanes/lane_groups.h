// Lanes of 16 bits: two sums in a word, in groups of as many products as a lane can take.
//
// (a + b * 2^16) * w holds a * w in its low half and b * w in its high half as long as the low sum
// stays within 16 bits. Weights are constants, so how many products fit is known: packing cuts the
// reduction of a tile of channels into the longest groups with 128 * sum|w| <= 32767 for every
// channel of the tile. A group starts at 0x8000, so that the low lane never borrows from the high
// one, and ends with three instructions:
//   sum += acc; high += acc >> 16;   at the end: low = sum - (high << 16) - 0x8000 * groups.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "templates/lanes/lane_products.h"
#include "templates/tile/ir_text.h"
#include "tinytune/result.h"

namespace tinytune {

/// Which lengths a group may have: first, first + step, first + 2 * step, ..., at most `longest`.
struct GroupLengths {
  int first, step, longest;
};

/// The longest groups that fit the lane (weight_facts.h) for all channels of a tile, which are of
/// equal lengths. Lengths are in products; the last group may reach beyond the reduction's end,
/// where weights count as zero. kUnsupported: `first` products do not fit.
Result<std::vector<int>> lane_groups(const std::vector<std::vector<int8_t>>& tile,
                                     GroupLengths lengths);

/// What a pair's `high` and `sum` start from, before so many groups, to end as its lanes' sums when
/// those start from `low_start` and `high_start`. The high lane ends as `high`, which holds its
/// start: the sum of the pair has that too, and takes off what every group started with.
struct PairStart {
  int32_t high, sum;

  PairStart(int32_t low_start, int32_t high_start, size_t groups)
      : high(high_start),
        sum(static_cast<int32_t>(static_cast<uint32_t>(low_start) +
                                 (static_cast<uint32_t>(high_start) << 16) -
                                 0x8000u * static_cast<uint32_t>(groups))) {}
};

/// Groups of products for LLVM to order (multiply_lanes()). Words hold pairs; the other operand
/// comes in bytes, so many of which are a group. That length is a byte in front of the group's
/// weights or, where those are the words, the next of an array; behind the last group it is 0.
struct GroupLoop {
  LaneTile tile;
  int first;              ///< products before a group's first test; tile.step are between tests
  bool weights_in_words;  ///< those pass by then, else the words are kept

  struct Cursors {
    Value weights, lengths, inputs;  ///< lengths: where they are an array
  };
  struct Sums {
    Values sum, high;  ///< of each pair, [word][byte]
    Cursors end;       ///< where the length of 0 is
  };
  /// `start(word, byte)` is the address of a pair's PairStart.
  Sums run(const Cursors& from, const std::function<Value(int word, int byte)>& start,
           IrText& ir) const;
};

/// The low lane of a pair.
Value low_lane(const Value& sum, const Value& high, IrText& ir);

}  // namespace tinytune
