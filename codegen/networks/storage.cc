#include "codegen/networks/storage.h"

#include <algorithm>

#include "base/check.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

class Assignment {
 public:
  Assignment(const Graph& graph, std::span<const IntegerOp> ops, std::span<const StripFlow> flows)
      : graph_(graph), ops_(ops), flows_(flows), flow_of_(ops.size()) {
    for (const StripFlow& flow : flows)
      for (int step = flow.first_step; step <= flow.last_step; ++step) at(flow_of_, step) = &flow;
    storage_.is_window.assign(graph.tensors.size(), false);
    storage_.buffer_of.resize(graph.tensors.size());
    storage_.first_step.assign(graph.tensors.size(), 0);
    storage_.last_step.assign(graph.tensors.size(), 0);
    storage_.is_alias.assign(ops.size(), false);
    is_output_.assign(graph.tensors.size(), false);
    is_rewritten_.assign(graph.tensors.size(), false);
    for (const int output : graph.outputs) at(is_output_, output) = true;
    for (const Tensor& t : graph.tensors)  // the next inference reads what this one leaves
      if (t.is_variable) at(is_output_, t.id) = true;
  }

  Storage run(const std::optional<StateRoom>& room) && {
    find_last_steps();
    // Inputs live from before step 0: even one that a group moves at once first needs its own room.
    for (const int input : graph_.inputs)
      if (!is_streamed(input)) begin_buffer(input, -1);
    for (const Tensor& t : graph_.tensors)
      if (t.is_variable) begin_buffer(t.id, -1);
    if (room) settle_state(*room);
    for (size_t step = 0; step < ops_.size(); ++step) place_outputs(static_cast<int>(step));
    if (std::any_of(flows_.begin(), flows_.end(), [](const auto& f) { return f.streamed; })) {
      storage_.progress = storage_.buffers.size();
      storage_.buffers.push_back({RowProgress::kBytes, -1, last_step_of_all()});
    }
    return std::move(storage_);
  }

 private:
  void find_last_steps() {
    const int last = last_step_of_all();
    std::vector<int> writes(graph_.tensors.size(), 0), first_read(graph_.tensors.size(), -1);
    for (size_t step = 0; step < ops_.size(); ++step) {
      for (const int t : graph_.operators[step].inputs) {
        if (t < 0) continue;
        at(storage_.last_step, t) = static_cast<int>(step);
        if (at(first_read, t) < 0) at(first_read, t) = static_cast<int>(step);
      }
      for (const int t : graph_.operators[step].outputs) {
        at(storage_.last_step, t) = static_cast<int>(step);
        if (++at(writes, t) == 1) at(storage_.first_step, t) = static_cast<int>(step);
      }
    }
    for (size_t t = 0; t < writes.size(); ++t) is_rewritten_[t] = writes[t] > 1;
    for (const int t : graph_.inputs) at(storage_.first_step, t) = -1;
    for (const int t : graph_.outputs) at(storage_.last_step, t) = last;
    for (const StripFlow& flow : flows_) {
      for (const RunsInto& pair : flow.runs_into)
        at(storage_.last_step, pair.input) =
            std::max(at(storage_.last_step, pair.input), flow.last_step);
      at(storage_.first_step, flow.output) = flow.first_step;
    }
    for (const Tensor& t : graph_.tensors) {
      if (!t.is_variable) continue;
      at(storage_.last_step, t.id) = last;
      // A window that is state has this inference's value from its shift on.
      const bool shifted =
          at(writes, t.id) == 1 && at(first_read, t.id) == at(storage_.first_step, t.id);
      if (!shifted) at(storage_.first_step, t.id) = -1;
    }
  }

  int last_step_of_all() const { return std::max(0, static_cast<int>(ops_.size()) - 1); }

  bool is_streamed(int tensor) const {
    return std::any_of(flows_.begin(), flows_.end(),
                       [&](const StripFlow& flow) { return flow.streamed == tensor; });
  }

  void begin_buffer(int tensor, int step) {
    if (at(storage_.buffer_of, tensor)) return;  // an input that is listed twice
    at(storage_.buffer_of, tensor) = storage_.buffers.size();
    storage_.buffers.push_back({static_cast<uint32_t>(graph_.tensor(tensor).bytes()), step,
                                at(storage_.last_step, tensor)});
    holds_output_.push_back(at(is_output_, tensor));
  }

  // Adds one more buffer for the state of the other networks.
  void settle_state(const StateRoom& room) {
    uint32_t next = room.offset;
    for (const Tensor& t : graph_.tensors) {
      if (!t.is_variable) continue;
      ArenaBuffer& buffer = storage_.buffers[*at(storage_.buffer_of, t.id)];
      buffer.fixed_at = next;
      next += aligned_in_arena(buffer.bytes);
    }
    const uint32_t own = next - room.offset;
    TT_CHECK(next <= room.bytes, "the room for state holds all of it");
    if (own == room.bytes) return;
    ArenaBuffer others{room.bytes - own, -1, last_step_of_all()};
    others.fixed_at = 0;
    storage_.buffers.push_back(others);
    holds_output_.push_back(true);
  }

  void join_buffer(int tensor, int owner) {
    const size_t b = *at(storage_.buffer_of, owner);
    at(storage_.buffer_of, tensor) = b;
    storage_.buffers[b].last_step =
        std::max(storage_.buffers[b].last_step, at(storage_.last_step, tensor));
    if (at(is_output_, tensor)) holds_output_[b] = true;
  }

  void place_windows(const StripFlow& flow) {
    for (const RowWindow& window : flow.windows) {
      at(storage_.is_window, window.tensor) = window.tensor != flow.output;
      at(storage_.buffer_of, window.tensor) = storage_.buffers.size();
      const int64_t bytes = window.rows * row_bytes(graph_.tensor(window.tensor));
      ArenaBuffer buffer{static_cast<uint32_t>(bytes), window.first_step, window.last_step};
      const bool outlives_results = flow.hop > 0;  // the next step goes on from it
      if (outlives_results) buffer.first_step = -1, buffer.last_step = last_step_of_all();
      storage_.buffers.push_back(buffer);
      holds_output_.push_back(outlives_results);
    }
    begin_buffer(flow.output, flow.first_step);
    storage_.moved.emplace_back();
    const RunsInto* pair = best_to_run_into(flow);
    if (pair == nullptr) return;
    ArenaBuffer& from = storage_.buffers[*at(storage_.buffer_of, pair->input)];
    from.last_step = flow.first_step - 1;  // the move is the first thing that the group does
    const ArenaBuffer moved{from.bytes, flow.first_step, flow.last_step};
    storage_.buffers.back().runs_into = {storage_.buffers.size(),
                                         static_cast<uint32_t>(pair->distance)};
    storage_.moved.back() = {pair->input, storage_.buffers.size()};
    storage_.buffers.push_back(moved);
    holds_output_.push_back(false);
  }

  // Returns the input that saves most bytes, of those that end in the group and own their buffer.
  const RunsInto* best_to_run_into(const StripFlow& flow) const {
    ArenaBuffer output = storage_.buffers.back();
    const RunsInto* best = nullptr;
    uint32_t most = 0;
    for (const RunsInto& pair : flow.runs_into) {
      const size_t b = *storage_.buffer_of[static_cast<size_t>(pair.input)];
      const ArenaBuffer& input = storage_.buffers[b];
      const auto others =
          std::count_if(flow.runs_into.begin(), flow.runs_into.end(), [&](const RunsInto& other) {
            return storage_.buffer_of[static_cast<size_t>(other.input)] == b;
          });
      if (others > 1 || input.last_step > flow.last_step || holds_output_[b] ||
          input.bytes != graph_.tensor(pair.input).bytes() || pair.distance > input.bytes)
        continue;
      output.runs_into = {b, static_cast<uint32_t>(pair.distance)};
      const uint32_t saved = shared_bytes(output, input);
      if (saved <= most) continue;
      most = saved;
      best = &pair;
    }
    return best;
  }

  void place_outputs(int step) {
    if (const StripFlow* flow = at(flow_of_, step)) {
      if (step == flow->first_step) place_windows(*flow);
      return;
    }
    const Operator& op = graph_.operators[static_cast<size_t>(step)];
    const IntegerOp& form = ops_[static_cast<size_t>(step)];
    for (const int output : op.outputs) {
      const auto* copy = std::get_if<CopyOp>(&form);
      if (copy != nullptr && copy->in_place && !at(is_rewritten_, op.inputs[0])) {
        at(storage_.is_alias, step) = true;
        join_buffer(output, op.inputs[0]);
      } else if (const auto input = overwritable_input(op, form, output, step)) {
        join_buffer(output, *input);
      } else {
        begin_buffer(output, step);
      }
    }
  }

  // Returns an input of the output's size whose buffer is not read after this step. The buffer may
  // hold other tensors too; its last_step covers them all.
  std::optional<int> overwritable_input(const Operator& op, const IntegerOp& form, int output,
                                        int step) const {
    if (op.outputs.size() != 1) return std::nullopt;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const int input = op.inputs[i];
      if (input < 0 || graph_.tensor(input).is_constant) continue;
      const ArenaBuffer& buffer = storage_.buffers[*at(storage_.buffer_of, input)];
      if (runs_in_place(form, static_cast<int>(i)) && buffer.last_step == step &&
          buffer.bytes == graph_.tensor(output).bytes() &&
          !holds_output_[*at(storage_.buffer_of, input)])
        return input;
    }
    return std::nullopt;
  }

  template <typename Vector>
  static auto at(Vector& v, int i) -> decltype(v[0]) {
    TT_CHECK(i >= 0 && static_cast<size_t>(i) < v.size(), "an id of the graph");
    return v[static_cast<size_t>(i)];
  }

  const Graph& graph_;
  std::span<const IntegerOp> ops_;
  std::span<const StripFlow> flows_;
  std::vector<const StripFlow*> flow_of_;  // by step; null outside of groups
  std::vector<bool> is_output_;            // by tensor
  std::vector<bool> is_rewritten_;         // by tensor: a COPY writes it again
  std::vector<bool> holds_output_;         // by buffer
  Storage storage_;
};

}  // namespace

uint32_t state_bytes(const Graph& graph) {
  uint32_t bytes = 0;
  for (const Tensor& t : graph.tensors)
    if (t.is_variable) bytes += aligned_in_arena(static_cast<uint32_t>(t.bytes()));
  return bytes;
}

Storage assign_storage(const Graph& graph, std::span<const IntegerOp> ops,
                       std::span<const StripFlow> flows, const std::optional<StateRoom>& room) {
  return Assignment(graph, ops, flows).run(room);
}

}  // namespace tinytune
