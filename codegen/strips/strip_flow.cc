#include "codegen/strips/strip_flow.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

// Kernels load words where sizes permit, relying on aligned tensors: rows must begin at words too.
constexpr int64_t kRowAlignment = 4;

// Steps simulated with frames: the one that is printed, a second that must compute the same, and a
// third that must slide windows like the second.
constexpr int kStepsLookedAt = 3;

Error unsupported(int index, const std::string& why) {
  return Error(ErrorCode::kUnsupported,
               "operator " + std::to_string(index) + " is in no group of strips: " + why);
}

class Flow {
 public:
  Flow(const Graph& graph, std::span<const IntegerOp> ops, const StripGroup& group)
      : graph_(graph), ops_(ops) {
    flow_.group = group;
  }

  Result<StripFlow> run() && {
    TT_TRY(find_steps());
    TT_TRY(find_members());
    maps_ = flow_.maps;
    if (is_endless()) TT_TRY(find_hop());
    make_windows();
    const int rows = rows_of_output();
    if (is_endless()) {
      for (int end = 1; end <= rows + kStepsLookedAt; ++end) add_strip(end);
      TT_TRY(keep_one_step());
    } else {
      for (int end = 0; end < rows;) add_strip(end = std::min(rows, end + flow_.group.rows));
    }
    settle_windows();
    TT_TRY(check_alignment());
    find_what_output_runs_into();
    return std::move(flow_);
  }

 private:
  Status find_steps() {
    const auto step_of = [&](int index) {
      const auto at = std::find_if(graph_.operators.begin(), graph_.operators.end(),
                                   [&](const Operator& op) { return op.index == index; });
      return static_cast<int>(at - graph_.operators.begin());
    };
    flow_.first_step = step_of(flow_.group.first);
    flow_.last_step = step_of(flow_.group.last);
    const int steps = static_cast<int>(ops_.size());
    if (flow_.last_step >= steps || flow_.first_step > flow_.last_step || flow_.group.rows < 1)
      return unsupported(flow_.group.first,
                         "no strips from it to operator " + std::to_string(flow_.group.last));
    return ok_status();
  }

  Status find_members() {
    for (int step = flow_.first_step; step <= flow_.last_step; ++step) {
      const auto rows = row_map(graph_, op(step), form(step));
      if (!rows) return unsupported(op(step).index, "it does not compute row by row");
      flow_.maps.push_back(*rows);
      writer_[op(step).outputs[0]] = step;
    }
    flow_.output = op(flow_.last_step).outputs[0];
    if (flow_.group.input != InputArrival::kWhole) TT_TRY(find_streamed());
    for (const int output : graph_.outputs)
      if (writer_.contains(output) && output != flow_.output)
        return unsupported(op(writer_[output]).index, "its result is one of the network's");
    for (int step = 0; step < static_cast<int>(ops_.size()); ++step) {
      if (step >= flow_.first_step && step <= flow_.last_step) continue;
      for (const int input : op(step).inputs)
        if (writer_.contains(input) && input != flow_.output)
          return unsupported(op(writer_[input]).index,
                             "operator " + std::to_string(op(step).index) + " reads its result");
    }
    return ok_status();
  }

  Status find_streamed() {
    if (graph_.inputs.size() != 1)
      return unsupported(flow_.group.first, "rows arrive for one input, the network has " +
                                                std::to_string(graph_.inputs.size()));
    if (flow_.first_step > 0)
      return unsupported(flow_.group.first, "other operators run before any row is there");
    flow_.streamed = graph_.inputs[0];
    bool is_read = false;
    for (int step = 0; step < static_cast<int>(ops_.size()); ++step) {
      if (!reads(step, *flow_.streamed)) continue;
      is_read = true;
      if (step < flow_.first_step || step > flow_.last_step)
        return unsupported(op(step).index, "it reads the input that arrives in rows");
    }
    const auto& outputs = graph_.outputs;
    if (!is_read || std::find(outputs.begin(), outputs.end(), *flow_.streamed) != outputs.end())
      return unsupported(flow_.group.first, "the input is not the group's alone");
    return ok_status();
  }

  bool is_endless() const { return flow_.group.input == InputArrival::kFrames; }
  int rows_of_output() const { return flow_.maps.back().out_rows; }

  // Finds the rows that a step adds to each tensor, and extends the maps by the rows of the
  // simulated steps. Refuses padded rows: the padding would be in the middle of endless rows.
  Status find_hop() {
    if (flow_.group.rows != 1)
      return unsupported(flow_.group.last, "frames make one row of its output at a time");
    std::map<int, int> added;  // by tensor
    added[flow_.output] = 1;
    for (int step = flow_.last_step; step >= flow_.first_step; --step) {
      RowMap& rows = maps_[at(step)];
      if (rows.pad != 0 || (rows.out_rows - 1) * rows.stride + rows.reach > rows.in_rows)
        return unsupported(op(step).index,
                           "it pads the rows, so that what it makes of a frame changes with the "
                           "frame's place in the window");
      if (rows.out_rows == 1) rows.stride = 1;  // e.g. a pool over all rows: stride is unused
      const int out = added[op(step).outputs[0]], in = out * rows.stride;
      for (const int input : op(step).inputs) {
        if (input < 0 || graph_.tensor(input).is_constant) continue;
        const auto [known, is_new] = added.try_emplace(input, in);
        if (!is_new && known->second != in)
          return unsupported(op(step).index, "another operator reads its input at another pace");
      }
      rows.out_rows += kStepsLookedAt * out;
      rows.in_rows += kStepsLookedAt * in;
    }
    flow_.hop = added[*flow_.streamed];
    return ok_status();
  }

  // Keeps the first step after the window is full to stand for all, if the next one is the same.
  // Slides before the first may be larger, because the very first strip fills the halos.
  Status keep_one_step() {
    const Strip third = std::move(flow_.strips.back());
    flow_.strips.pop_back();
    const Strip next = std::move(flow_.strips.back());
    flow_.strips.pop_back();
    const Strip& strip = flow_.strips.back();
    flow_.slides_of_step = next.slides;
    bool same = next.slides == third.slides && strip.calls.size() == next.calls.size() &&
                next.arrived - strip.arrived == flow_.hop;
    for (size_t i = 0; same && i < next.calls.size(); ++i) {
      const RowCall &a = strip.calls[i], &b = next.calls[i];
      const Operator& caller = op(static_cast<int>(a.step));
      same = a.step == b.step && a.variant == b.variant &&
             row_in_place(strip, caller.outputs[0], a.out) ==
                 row_in_place(next, caller.outputs[0], b.out);
      for (const int input : caller.inputs)
        if (input >= 0 && !graph_.tensor(input).is_constant)
          same = same && row_in_place(strip, input, a.in) == row_in_place(next, input, b.in);
    }
    if (same) return ok_status();
    return unsupported(flow_.group.last, "no step is like the one before");
  }

  void make_windows() {
    if (flow_.streamed) add_window(*flow_.streamed, flow_.first_step);
    for (int step = flow_.first_step; step < flow_.last_step; ++step)
      add_window(op(step).outputs[0], step);
    if (is_endless()) add_window(flow_.output, flow_.last_step);
    done_.assign(flow_.maps.size(), 0);
    base_.assign(flow_.windows.size(), 0);
    stays_.assign(flow_.windows.size(), false);
  }

  void add_window(int tensor, int first_step) {
    RowWindow window{tensor, 0, first_step, first_step};
    for (int reader = first_step; reader <= flow_.last_step; ++reader)
      if (reads(reader, tensor)) window.last_step = reader;
    window_of_[tensor] = flow_.windows.size();
    flow_.windows.push_back(window);
  }

  // Adds the strip that computes output rows up to `end` and the inner rows missing for them.
  void add_strip(int end) {
    Strip strip;
    slide_windows(strip);
    std::map<int, int> wanted;  // end of the rows, by tensor
    wanted[flow_.output] = end;
    for (int step = flow_.last_step; step >= flow_.first_step; --step) {
      const RowRange out{done(step), wanted[op(step).outputs[0]]};
      if (out.empty()) continue;
      const RowRange in = map(step).needed(out);
      strip.calls.push_back({static_cast<size_t>(step), variant(step, in, out), in, out});
      for (const int input : op(step).inputs)
        if (input >= 0) wanted[input] = std::max(wanted[input], in.end);
    }
    std::reverse(strip.calls.begin(), strip.calls.end());
    for (const RowCall& call : strip.calls) done(static_cast<int>(call.step)) = call.out.end;
    if (flow_.streamed) strip.arrived = arrived_ = std::max(arrived_, wanted[*flow_.streamed]);
    for (size_t w = 0; w < flow_.windows.size(); ++w) {
      RowWindow& window = flow_.windows[w];
      window.rows = std::max(window.rows, written(window.tensor) - base_[w]);
    }
    strip.window_row = base_;
    flow_.strips.push_back(std::move(strip));
  }

  size_t variant(int step, const RowRange& in, const RowRange& out) {
    const int pad = std::max(0, map(step).pad - out.begin * map(step).stride);
    const auto [known, is_new] = variant_of_.try_emplace(
        std::tuple(step, in.count(), out.count(), pad), flow_.variants.size());
    if (is_new) {
      // Rows past the tensor's end (frames) are computed like its last rows.
      const RowMap& whole = flow_.maps[at(step)];
      const int behind = std::max(0, out.end - whole.out_rows);
      flow_.variants.push_back(
          {static_cast<size_t>(step),
           computing_rows(form(step), whole, {out.begin - behind, out.end - behind})});
    }
    ++flow_.variants[known->second].calls;
    return known->second;
  }

  void slide_windows(Strip& strip) {
    for (size_t w = 0; w < flow_.windows.size(); ++w) {
      const int end = written(flow_.windows[w].tensor);
      const int first = std::min(end, first_row_needed(flow_.windows[w].tensor));
      const int kept = end - first, dropped = first - base_[w];
      base_[w] = first;
      if (kept == 0) continue;
      stays_[w] = true;
      if (dropped > 0) strip.slides.push_back({w, dropped, kept});
    }
  }

  int written(int tensor) { return tensor == flow_.streamed ? arrived_ : done(writer_[tensor]); }

  // Returns the first row that a remaining call reads.
  int first_row_needed(int tensor) {
    if (tensor == flow_.output)  // what follows the group reads all of them
      return std::max(0, written(tensor) + 1 - rows_of_output());
    int first = std::numeric_limits<int>::max();
    for (int step = flow_.first_step; step <= flow_.last_step; ++step) {
      const int next = done_[at(step)];
      if (!reads(step, tensor) || next == map(step).out_rows) continue;
      first = std::min(first, map(step).needed({next, next + 1}).begin);
    }
    return first;
  }

  void settle_windows() {
    for (size_t w = 0; w < flow_.windows.size(); ++w) {
      // Rows of an input arrive between strips, so its window always outlives a strip.
      if (!stays_[w] && flow_.windows[w].tensor != flow_.streamed) continue;
      flow_.windows[w].first_step = flow_.first_step;
      flow_.windows[w].last_step = flow_.last_step;
    }
  }

  Status check_alignment() const {
    for (const Strip& strip : flow_.strips) {
      for (const RowSlide& slide : strip.slides)
        if (misaligned(flow_.windows[slide.window].tensor, slide.dropped))
          return refuse_alignment();
      for (const RowCall& call : strip.calls) {
        const Operator& caller = graph_.operators[call.step];
        bool wrong =
            misaligned(caller.outputs[0], row_in_place(strip, caller.outputs[0], call.out));
        for (const int input : caller.inputs)
          if (input >= 0 && !graph_.tensor(input).is_constant)
            wrong = wrong || misaligned(input, row_in_place(strip, input, call.in));
        if (wrong) return refuse_alignment();
      }
    }
    return ok_status();
  }

  // Returns the first row's index, counted from the start of the tensor or of its window.
  int row_in_place(const Strip& strip, int tensor, const RowRange& rows) const {
    const auto window = window_of_.find(tensor);
    return rows.begin - (window == window_of_.end() ? 0 : strip.window_row[window->second]);
  }

  bool misaligned(int tensor, int row) const {
    return row * row_bytes(graph_.tensor(tensor)) % kRowAlignment != 0;
  }

  Status refuse_alignment() const {
    return unsupported(flow_.group.first, "rows of these tensors begin between words");
  }

  void find_what_output_runs_into() {
    std::vector<int> inputs;
    for (int step = flow_.first_step; step <= flow_.last_step; ++step)
      for (const int input : op(step).inputs)
        if (input >= 0 && !graph_.tensor(input).is_constant && !writer_.contains(input) &&
            input != flow_.streamed &&
            std::find(inputs.begin(), inputs.end(), input) == inputs.end())
          inputs.push_back(input);
    for (const int input : inputs)
      flow_.runs_into.push_back({input, flow_.output, distance_to(input)});
  }

  // Returns the least distance at which output rows overwrite only input rows that have been read
  // for the last time, or that the writing operator itself reads element by element, in place.
  int64_t distance_to(int input) const {
    const int64_t in_bytes = row_bytes(graph_.tensor(input));
    const int64_t out_bytes = row_bytes(graph_.tensor(flow_.output));
    int64_t distance = 0;
    int first_read = std::numeric_limits<int>::max();  // first row that later calls read
    for (auto strip = flow_.strips.rbegin(); strip != flow_.strips.rend(); ++strip)
      for (auto call = strip->calls.rbegin(); call != strip->calls.rend(); ++call) {
        const int step = static_cast<int>(call->step);
        const bool reads_it = reads(step, input), writes = step == flow_.last_step;
        const bool in_place = reads_it && in_bytes == out_bytes && works_in_place(step, input);
        if (reads_it && !(writes && in_place)) first_read = std::min(first_read, call->in.begin);
        if (writes && first_read != std::numeric_limits<int>::max())
          distance = std::max(distance, call->out.end * out_bytes - first_read * in_bytes);
        if (reads_it) first_read = std::min(first_read, call->in.begin);
      }
    return distance;
  }

  bool works_in_place(int step, int input) const {
    const std::vector<int>& inputs = op(step).inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == input && !runs_in_place(form(step), static_cast<int>(i))) return false;
    return true;
  }

  bool reads(int step, int tensor) const {
    const std::vector<int>& inputs = op(step).inputs;
    return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
  }

  size_t at(int step) const { return static_cast<size_t>(step - flow_.first_step); }
  int& done(int step) { return done_[at(step)]; }
  const RowMap& map(int step) const { return maps_[at(step)]; }
  const Operator& op(int step) const { return graph_.operators[static_cast<size_t>(step)]; }
  const IntegerOp& form(int step) const { return ops_[static_cast<size_t>(step)]; }

  const Graph& graph_;
  std::span<const IntegerOp> ops_;
  StripFlow flow_;
  std::vector<RowMap> maps_;         // the flow's; with frames, extended by the simulated steps
  std::map<int, int> writer_;        // step, by tensor
  std::map<int, size_t> window_of_;  // by tensor
  std::map<std::tuple<int, int, int, int>, size_t>
      variant_of_;           // by step, rows in and out, padding
  std::vector<int> done_;    // rows computed, by step of the group
  std::vector<int> base_;    // by window: the row at its start
  int arrived_ = 0;          // rows of the streamed input
  std::vector<bool> stays_;  // by window: some of its rows outlive a strip
};

}  // namespace

std::optional<size_t> StripFlow::window_of(int tensor) const {
  for (size_t w = 0; w < windows.size(); ++w)
    if (windows[w].tensor == tensor) return w;
  return std::nullopt;
}

int64_t row_bytes(const Tensor& tensor) { return tensor.bytes() / tensor.shape[1]; }

Result<StripFlow> strip_flow(const Graph& graph, std::span<const IntegerOp> ops,
                             const StripGroup& group) {
  return Flow(graph, ops, group).run();
}

std::optional<size_t> flow_at(std::span<const StripFlow> flows, size_t step) {
  const int at = static_cast<int>(step);
  for (size_t f = 0; f < flows.size(); ++f)
    if (flows[f].first_step <= at && at <= flows[f].last_step) return f;
  return std::nullopt;
}

}  // namespace tinytune
