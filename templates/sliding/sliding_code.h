// The code of sliding_depthwise.cc: a channel's weights are in registers, and a window slides along
// one axis of the image, line after line. Lines are cut into pieces of code.
//
// Outputs at a border lack taps. Instead of a padded copy or tests, each piece of code is written
// for outputs that lack the same taps: blocks of outputs with equal taps are one loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/tile/filled_output.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// Kernel rows or columns that lie inside the input: [first, end).
struct TapRange {
  int first = 0, end = 0;
  bool operator==(const TapRange&) const = default;
};

/// One axis of the image.
struct WindowAxis {
  int outputs, inputs, kernel, stride, pad;
  int64_t input_step, output_step;  ///< bytes to the neighbour

  TapRange taps(int output) const {
    const int origin = output * stride - pad;
    const int first = std::clamp(-origin, 0, kernel);
    return {first, std::clamp(inputs - origin, first, kernel)};
  }
  /// Returns the number of taps inside the input, over all outputs.
  int64_t all_taps() const {
    int64_t all = 0;
    for (int output = 0; output < outputs; ++output) all += taps(output).end - taps(output).first;
    return all;
  }
  /// Returns the number of inputs that the windows of outputs [from, end) read, each counted once.
  int64_t inputs_of(int from, int end) const {
    int64_t all = 0, reached = 0;
    for (int output = from; output < end; ++output) {
      const int64_t origin = int64_t{output} * stride - pad;
      const TapRange range = taps(output);
      all += std::max<int64_t>(0, origin + range.end - std::max(reached, origin + range.first));
      reached = std::max(reached, origin + range.end);
    }
    return all;
  }
};

/// `times` consecutive blocks of `outputs` neighbouring outputs each, all with the same taps.
struct Blocks {
  int first, outputs, times;
  int end() const { return first + outputs * times; }
  bool operator==(const Blocks&) const = default;
};

/// Cuts the axis into blocks of `outputs`; the last one may be smaller.
inline std::vector<Blocks> blocks_across(const WindowAxis& axis, int outputs) {
  std::vector<Blocks> all;
  for (int first = 0; first < axis.outputs; first += outputs) {
    const int count = std::min(outputs, axis.outputs - first);
    const auto as_in_last = [&] {
      const Blocks& last = all.back();
      if (last.outputs != count) return false;
      for (int i = 0; i < count; ++i)
        if (axis.taps(last.first + i) != axis.taps(first + i)) return false;
      return true;
    };
    if (!all.empty() && as_in_last())
      ++all.back().times;
    else
      all.push_back({first, count, 1});
  }
  return all;
}

/// Cuts the axis into one loop, over outputs that have all their taps, `outputs` a turn, and blocks
/// for the borders. A remainder goes before the loop. Returns a single block if the loop would have
/// fewer than two turns.
inline std::vector<Blocks> blocks_along(const WindowAxis& axis, int outputs) {
  const TapRange whole{0, axis.kernel};
  int first = 0, end = axis.outputs;
  while (first < end && axis.taps(first) != whole) ++first;
  while (end > first && axis.taps(end - 1) != whole) --end;
  const int times = (end - first) / outputs;
  if (times < 2) return {{0, axis.outputs, 1}};
  first = end - times * outputs;
  std::vector<Blocks> all;
  if (first > 0) all.push_back({0, first, 1});
  all.push_back({first, outputs, times});
  if (end < axis.outputs) all.push_back({end, axis.outputs - end, 1});
  return all;
}

/// The choices of a schedule, and both axes of the image.
struct SlidingPlan {
  WindowAxis along, across;  ///< the axis that the window slides on, and the other one
  bool along_rows;
  int step, band;  ///< neighbouring outputs in one piece of code, along and across
  int right;       ///< right shift of the requantisation (schedules/scaled_weights.h)
  bool branches;   ///< clamps by branches; else by selects

  SlidingPlan(const Workload& w, const Schedule& s)
      : along_rows(s.get("walk") == "rows"),
        step(s.get_int("step")),
        band(s.get_int("band")),
        right(s.get_int("right")),
        branches(s.get("limits") == "branch") {
    const int64_t in_row = int64_t{w.in_w} * w.in_c, out_row = int64_t{w.out_w} * w.out_c;
    along = {w.out_w, w.in_w, w.kernel_w, w.stride_w, w.pad_left, w.in_c, w.out_c};
    across = {w.out_h, w.in_h, w.kernel_h, w.stride_h, w.pad_top, in_row, out_row};
    if (!along_rows) std::swap(along, across);
  }

  /// Returns a channel's loads of inputs: each once per band, since registers keep it for all
  /// windows.
  int64_t loaded_inputs() const {
    int64_t lines = 0;
    for (const Blocks& b : blocks_across(across, band))
      for (int first = b.first; first < b.end(); first += b.outputs)
        lines += across.inputs_of(first, first + b.outputs);
    return lines * along.inputs_of(0, along.outputs);
  }

  /// Returns the number of outputs in straight-line code.
  int written() const {
    int outputs_along = 0, outputs_across = 0;
    for (const Blocks& b : blocks_along(along, step)) outputs_along += b.outputs;
    for (const Blocks& b : blocks_across(across, band)) outputs_across += b.outputs;
    return outputs_along * outputs_across;
  }
};

/// Bytes of a channel's words in "params": start value of its sums, multiplier, factor.
inline constexpr int kSlidingParamBytes = 12;

/// Writes the function that computes the layer from "input", "weights" (ordered
/// [channel][kernel row][kernel column]), "params" and "output".
class SlidingWriter {
 public:
  SlidingWriter(const Workload& w, const SlidingPlan& plan)
      : w_(w),
        along_(plan.along),
        across_(plan.across),
        plan_(plan),
        fills_(plan.branches && may_fill_output(w)) {}

  std::string write(const std::string& symbol) {
    const Value params = argument("params");
    const Value end = ir_.at(params, int64_t{kSlidingParamBytes} * w_.out_c);
    if (fills_) fill_output(w_, ir_);
    ir_.do_while({argument("weights"), params, argument("input"), argument("output")},
                 [&](const Values& v) {
                   load_constants(v[0], v[1]);
                   for (const Blocks& blocks : blocks_across(across_, plan_.band))
                     walk(blocks, v[2], v[3]);
                   const Value next = ir_.at(v[1], kSlidingParamBytes);
                   return Values{ir_.at(v[0], across_.kernel * along_.kernel), next,
                                 ir_.at(v[2], 1), ir_.at(v[3], 1), ir_.differs(next, end)};
                 });
    return ir_.function(symbol, {"input", "weights", "params", "output"});
  }

 private:
  // A place in the image: addresses of the first window's middle line of input and of an output.
  struct Cursor {
    Value input, output;
    int at = 0;  // which output along
  };

  void load_constants(const Value& weights, const Value& params) {
    start_ = ir_.load_word(params);
    multiplier_ = ir_.load_word(ir_.at(params, 4));
    const Value factor = ir_.load_word(ir_.at(params, 8));
    for (int i = 0; i < across_.kernel; ++i)
      for (int j = 0; j < along_.kernel; ++j) {
        const int tap = plan_.along_rows ? i * w_.kernel_w + j : j * w_.kernel_w + i;
        weights_[{i, j}] = ir_.mul(ir_.load_byte(ir_.at(weights, tap), true), factor);
      }
  }

  // Returns the start value of sums with these taps.
  Value start_of(const TapRange& across, const TapRange& along) {
    Value missing;
    for (const auto& [tap, weight] : weights_) {
      const auto [i, j] = tap;
      if (i >= across.first && i < across.end && j >= along.first && j < along.end) continue;
      missing = missing.text.empty() ? weight : ir_.add(missing, weight);
    }
    if (missing.text.empty() || w_.input_zero_point == 0) return start_;
    return ir_.add(start_, ir_.mul(missing, w_.input_zero_point));
  }

  // Writes all outputs of these blocks.
  void walk(const Blocks& blocks, const Value& input, const Value& output) {
    band_.clear(), starts_.clear();
    for (int i = 0; i < blocks.outputs; ++i) band_.push_back(across_.taps(blocks.first + i));
    for (int o = 0; o < along_.outputs; ++o)
      for (const TapRange& across : band_) {
        const TapRange along = along_.taps(o);
        const auto key = std::tuple(across.first, across.end, along.first, along.end);
        if (!starts_.contains(key)) starts_[key] = start_of(across, along);
      }
    middle_ = ((blocks.outputs - 1) * across_.stride + across_.kernel) / 2;
    const std::vector<Blocks> pieces = blocks_along(along_, plan_.step);
    const auto loop =
        std::find_if(pieces.begin(), pieces.end(), [](const Blocks& b) { return b.times > 1; });
    const int at = loop == pieces.end() ? 0 : loop->first;
    const int64_t window =
        (blocks.first * across_.stride - across_.pad + middle_) * across_.input_step +
        (at * along_.stride - along_.pad) * along_.input_step;
    const int64_t place = blocks.first * across_.output_step + at * along_.output_step;
    const Value first_input = ir_.at(input, window), first_output = ir_.at(output, place);
    if (blocks.times == 1) return void(line(pieces, {first_input, first_output, at}));
    const Value end = ir_.at(output, place + (blocks.end() - blocks.first) * across_.output_step);
    ir_.do_while({first_input, first_output}, [&](const Values& v) {
      const Cursor reached = line(pieces, {v[0], v[1], at});
      const int64_t back = reached.at - at;
      const Value next = ir_.opaque(
          ir_.at(reached.output, blocks.outputs * across_.output_step - back * along_.output_step));
      return Values{
          ir_.opaque(ir_.at(reached.input, blocks.outputs * across_.stride * across_.input_step -
                                               back * along_.stride * along_.input_step)),
          next, ir_.differs(next, end)};
    });
  }

  // Writes one band from end to end. Returns the final cursor.
  Cursor line(const std::vector<Blocks>& pieces, Cursor cursor) {
    inputs_.clear();
    for (const Blocks& piece : pieces) {
      if (piece.times == 1)
        for (int i = 0; i < piece.outputs; ++i) outputs_at(piece.first + i, cursor);
      else
        cursor = loop(piece, cursor);
    }
    return cursor;
  }

  // Carried: both addresses, and the inputs that two turns share.
  Cursor loop(const Blocks& piece, const Cursor& cursor) {
    const Values first = shared_inputs(piece.first, cursor);
    Values state = {cursor.input, cursor.output};
    state.insert(state.end(), first.begin(), first.end());
    const Value end = ir_.at(cursor.output, (piece.end() - piece.first) * along_.output_step);
    state = ir_.do_while(state, [&](const Values& v) {
      const Cursor here{v[0], v[1], piece.first};
      take_inputs(piece.first, v);
      for (int i = 0; i < piece.outputs; ++i) outputs_at(piece.first + i, here);
      const Values shared = shared_inputs(piece.first + piece.outputs, here);
      Values next = {ir_.opaque(ir_.at(v[0], piece.outputs * along_.stride * along_.input_step)),
                     ir_.opaque(ir_.at(v[1], piece.outputs * along_.output_step))};
      next.insert(next.end(), shared.begin(), shared.end());
      next.push_back(ir_.differs(next[1], end));
      return next;
    });
    take_inputs(piece.end(), state);
    return {state[0], state[1], piece.end()};
  }

  // Returns the lines of the window that outputs of the band read.
  TapRange lines() const {
    const int last = static_cast<int>(band_.size()) - 1;
    return {band_.front().first, last * across_.stride + band_.back().end};
  }

  // Returns the inputs of the window of output `at` that the window before it reads too.
  Values shared_inputs(int at, const Cursor& cursor) {
    Values values;
    for_each_shared(at,
                    [&](int line, int column) { values.push_back(input(line, column, cursor)); });
    return values;
  }

  // Takes the same inputs from the values that a loop carries.
  void take_inputs(int at, const Values& state) {
    inputs_.clear();
    size_t next = 2;
    for_each_shared(at, [&](int line, int column) { inputs_[{line, column}] = state[next++]; });
  }

  template <typename Body>
  void for_each_shared(int at, const Body& body) const {
    const int first = at * along_.stride - along_.pad;
    for (int line = lines().first; line < lines().end; ++line)
      for (int j = 0; j < along_.kernel - along_.stride; ++j) body(line, first + j);
  }

  // Returns the input at `line` of the band's window and `column` of the image; loads it once.
  Value input(int line, int column, const Cursor& cursor) {
    Value& value = inputs_[{line, column}];
    if (value.text.empty())
      value =
          ir_.load_byte(ir_.at(cursor.input, (line - middle_) * across_.input_step +
                                                 (column - cursor.at * along_.stride + along_.pad) *
                                                     along_.input_step),
                        true);
    return value;
  }

  void load_window(int first_line, const TapRange& across, int column, const TapRange& along,
                   const Cursor& cursor) {
    for (int i = across.first; i < across.end; ++i)
      for (int j = along.first; j < along.end; ++j) input(first_line + i, column + j, cursor);
  }

  // Writes the outputs of the band at `at`.
  void outputs_at(int at, const Cursor& cursor) {
    const TapRange along = along_.taps(at);
    const int column = at * along_.stride - along_.pad;
    for (size_t b = 0; b < band_.size(); ++b) {
      const TapRange across = band_[b];
      const int first_line = static_cast<int>(b) * across_.stride;
      Value sum = starts_[{across.first, across.end, along.first, along.end}];
      // The first column has the oldest inputs' last use, which frees registers for the newest.
      for (int j = along.first; j < along.end; ++j) {
        if (j == along.first + 1) load_window(first_line, across, column, along, cursor);
        for (int i = across.first; i < across.end; ++i)
          sum = ir_.add(sum, ir_.mul(input(first_line + i, column + j, cursor), weights_[{i, j}]));
      }
      store(sum, ir_.at(cursor.output, static_cast<int64_t>(b) * across_.output_step +
                                           (at - cursor.at) * along_.output_step));
    }
  }

  void store(const Value& sum, const Value& target) {
    Value scaled = ir_.multiply_high(sum, multiplier_);
    if (plan_.right > 0) scaled = ir_.shift_right(scaled, plan_.right);
    if (!plan_.branches)
      return ir_.store_byte(ir_.clamp(scaled, w_.activation_min, w_.activation_max), target);
    const auto limit = [&](int bound) { ir_.store_byte_here(bound, target); };
    ir_.if_else(
        ir_.less(scaled, w_.activation_min),
        [&] {
          if (!fills_) limit(w_.activation_min);
        },
        [&] {
          ir_.if_rarely(
              ir_.less(w_.activation_max, scaled), [&] { limit(w_.activation_max); },
              [&] { ir_.store_byte(scaled, target); });
        });
  }

  const Workload& w_;
  const WindowAxis &along_, &across_;
  const SlidingPlan& plan_;
  const bool fills_;  // the output with the low limit, in advance
  IrText ir_;
  Value start_, multiplier_;
  std::map<std::pair<int, int>, Value> weights_;  // by tap across and along
  // State of the band that is being written:
  std::vector<TapRange> band_;                              // taps across of each output
  std::map<std::tuple<int, int, int, int>, Value> starts_;  // by taps across and along
  std::map<std::pair<int, int>, Value> inputs_;  // loaded ones, by line of its window and column
  int middle_ = 0;                               // the line that the cursor points to
};

}  // namespace tinytune
