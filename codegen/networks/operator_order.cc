#include "codegen/networks/operator_order.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network_memory.h"
#include "codegen/networks/storage.h"

namespace tinytune {
namespace {

constexpr size_t kMostOperators = 500;  // the cost of each move takes all buffers of the network

struct Cost {
  uint64_t peak = 0, sum = 0;  // bytes alive: the most in a step, and over all steps
  auto operator<=>(const Cost&) const = default;
};

class Ordering {
 public:
  Ordering(LaidOutGraph& network, std::span<const StripGroup> groups)
      : network_(network), groups_(groups), group_of_(network.ops.size(), kNone) {}

  void run() {
    const auto flows = strip_flows(network_, groups_);
    if (!flows) return;  // generate_network() reports the error
    for (size_t f = 0; f < flows->size(); ++f)
      std::fill(group_of_.begin() + (*flows)[f].first_step,
                group_of_.begin() + (*flows)[f].last_step + 1, static_cast<int>(f));
    Cost best = cost(*flows);
    for (size_t step = 1; step < group_of_.size(); ++step) {
      const size_t front = earliest(step);
      if (front == step) continue;
      move(step, front);
      const auto moved_flows = strip_flows(network_, groups_);
      const Cost moved = moved_flows ? cost(*moved_flows) : best;
      if (moved < best) {
        best = moved;
      } else {
        move(front, step);
      }
    }
  }

 private:
  static constexpr int kNone = -1;

  // Returns the first step behind all operators that it reads; its own step if it may not move.
  size_t earliest(size_t step) const {
    if (group_of_[step] != kNone) return step;
    const std::vector<Operator>& operators = network_.graph.operators;
    const std::vector<int>& inputs = operators[step].inputs;
    size_t front = step;
    while (front > 0) {
      const std::vector<int>& made = operators[front - 1].outputs;
      if (std::any_of(made.begin(), made.end(), [&](int tensor) {
            return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
          }))
        break;
      --front;
    }
    while (front > 0 && front < step && group_of_[front] != kNone &&
           group_of_[front] == group_of_[front - 1])
      ++front;
    return front;
  }

  Cost cost(const std::vector<StripFlow>& flows) const {
    const auto buffers = assign_storage(network_.graph, network_.ops, flows).buffers;
    Cost cost{peak_live_bytes(buffers), 0};
    for (const ArenaBuffer& b : buffers)
      cost.sum += uint64_t{b.bytes} * static_cast<uint64_t>(b.last_step - b.first_step + 1);
    return cost;
  }

  void move(size_t from, size_t to) {
    const auto rotated = [&](auto& list) {
      const auto at = [&](size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
      if (to < from) {
        std::rotate(at(to), at(from), at(from + 1));
      } else {
        std::rotate(at(from), at(from + 1), at(to + 1));
      }
    };
    rotated(network_.graph.operators);
    rotated(network_.ops);
    rotated(group_of_);
  }

  LaidOutGraph& network_;
  std::span<const StripGroup> groups_;
  std::vector<int> group_of_;  // by step
};

}  // namespace

void order_operators(LaidOutGraph& network, std::span<const StripGroup> groups) {
  if (network.ops.size() <= kMostOperators) Ordering(network, groups).run();
}

}  // namespace tinytune
