#include "templates/lanes/lane_groups.h"

#include <algorithm>
#include <span>

#include "schedules/weight_facts.h"

namespace tinytune {

namespace {

// Whether products [from, to) fit the lane of every channel; beyond the end they are zero.
bool fits(const std::vector<std::vector<int8_t>>& tile, size_t from, size_t to) {
  return std::all_of(tile.begin(), tile.end(), [&](const std::vector<int8_t>& channel) {
    const std::span<const int8_t> all(channel);
    return from >= all.size() || fits_lane(all.subspan(from, std::min(to, all.size()) - from));
  });
}

}  // namespace

Result<std::vector<int>> lane_groups(const std::vector<std::vector<int8_t>>& tile,
                                     GroupLengths lengths) {
  std::vector<int> groups;
  const size_t all = tile[0].size(), step = static_cast<size_t>(lengths.step);
  for (size_t from = 0; from < all; from += static_cast<size_t>(groups.back())) {
    size_t to = from + static_cast<size_t>(lengths.first);
    if (!fits(tile, from, to))
      return Error(ErrorCode::kUnsupported, "the first products of a group do not fit a lane");
    while (to < all && to + step - from <= static_cast<size_t>(lengths.longest) &&
           fits(tile, from, to + step))
      to += step;
    groups.push_back(static_cast<int>(to - from));
  }
  return groups;
}

GroupLoop::Sums GroupLoop::run(const Cursors& from, const std::function<Value(int, int)>& start,
                               IrText& ir) const {
  const bool array = weights_in_words;
  const size_t counted = array ? 1 : 0;  // which cursor moves by bytes
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
    // The first products by themselves: their sums begin at a constant that no instruction loads.
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

Value low_lane(const Value& sum, const Value& high, IrText& ir) {
  return ir.sub(sum, ir.shift_left(high, 16));
}

}  // namespace tinytune
