#include "codegen/networks/storage.h"

#include <algorithm>

#include "base/check.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

class Assignment {
 public:
  Assignment(const Graph& graph, std::span<const IntegerOp> ops) : graph_(graph), ops_(ops) {
    storage_.buffer_of.resize(graph.tensors.size());
    storage_.first_step.assign(graph.tensors.size(), 0);
    storage_.last_step.assign(graph.tensors.size(), 0);
    storage_.is_alias.assign(ops.size(), false);
    is_output_.assign(graph.tensors.size(), false);
    for (const int output : graph.outputs) at(is_output_, output) = true;
  }

  Storage run() && {
    find_last_steps();
    for (const int input : graph_.inputs) begin_buffer(input, 0);
    for (size_t step = 0; step < ops_.size(); ++step) place_outputs(static_cast<int>(step));
    return std::move(storage_);
  }

 private:
  void find_last_steps() {
    const int last = std::max(0, static_cast<int>(ops_.size()) - 1);
    for (size_t step = 0; step < ops_.size(); ++step) {
      for (const int t : graph_.operators[step].inputs)
        if (t >= 0) at(storage_.last_step, t) = static_cast<int>(step);
      for (const int t : graph_.operators[step].outputs)
        at(storage_.first_step, t) = at(storage_.last_step, t) = static_cast<int>(step);
    }
    for (const int t : graph_.inputs) at(storage_.first_step, t) = -1;
    for (const int t : graph_.outputs) at(storage_.last_step, t) = last;
  }

  void begin_buffer(int tensor, int step) {
    if (at(storage_.buffer_of, tensor)) return;  // an input that is listed twice
    at(storage_.buffer_of, tensor) = storage_.buffers.size();
    storage_.buffers.push_back({static_cast<uint32_t>(graph_.tensor(tensor).bytes()), step,
                                at(storage_.last_step, tensor)});
    holds_output_.push_back(at(is_output_, tensor));
  }

  void join_buffer(int tensor, int owner) {
    const size_t b = *at(storage_.buffer_of, owner);
    at(storage_.buffer_of, tensor) = b;
    storage_.buffers[b].last_step =
        std::max(storage_.buffers[b].last_step, at(storage_.last_step, tensor));
    if (at(is_output_, tensor)) holds_output_[b] = true;
  }

  void place_outputs(int step) {
    const Operator& op = graph_.operators[static_cast<size_t>(step)];
    const IntegerOp& form = ops_[static_cast<size_t>(step)];
    for (const int output : op.outputs) {
      const auto* copy = std::get_if<CopyOp>(&form);
      if (copy != nullptr && copy->in_place) {
        at(storage_.is_alias, step) = true;
        join_buffer(output, op.inputs[0]);
      } else if (const auto input = overwritable_input(op, form, output, step)) {
        join_buffer(output, *input);
      } else {
        begin_buffer(output, step);
      }
    }
  }

  // An input whose buffer nobody reads after this step, of the output's size. Its buffer may hold
  // other tensors too; last_step of the buffer covers them all.
  std::optional<int> overwritable_input(const Operator& op, const IntegerOp& form, int output,
                                        int step) const {
    const OperatorEmitter* emitter = find_emitter(form);
    if (emitter == nullptr || op.outputs.size() != 1) return std::nullopt;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const int input = op.inputs[i];
      if (input < 0 || graph_.tensor(input).is_constant) continue;
      const ArenaBuffer& buffer = storage_.buffers[*at(storage_.buffer_of, input)];
      if (emitter->in_place(form, static_cast<int>(i)) && buffer.last_step == step &&
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
  std::vector<bool> is_output_;     // by tensor
  std::vector<bool> holds_output_;  // by buffer
  Storage storage_;
};

}  // namespace

Storage assign_storage(const Graph& graph, std::span<const IntegerOp> ops) {
  return Assignment(graph, ops).run();
}

}  // namespace tinytune
