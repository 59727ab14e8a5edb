#include "codegen/kernels/instruction_list.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace tinytune {
namespace {

constexpr int kRegisters = kListRegisters;
constexpr int kNowhere = -1;
constexpr int kManyProducts = 16;  // multiplications that justify a wider search

constexpr size_t at(int i) { return static_cast<size_t>(i); }

// Breaks ties between instructions of equal cost: by the length of the dependence chain behind
// them, by text order, or pseudo-randomly, which keeps the orders of one beam different.
enum class Urgency { kDependents, kText, kChance };

struct Attempt {
  bool renames;
  int ahead;     // look-ahead from the first instruction that is not placed
  size_t width;  // of the beam: partial orders that are kept
  Urgency urgency;
};

// Maps a register of the text to the register that replaces it.
using Names = std::array<int, kRegisters>;

Names own_names() {
  Names names;
  for (int reg = 0; reg < kRegisters; ++reg) names[at(reg)] = reg;
  return names;
}

struct Order {
  std::vector<int> nodes;
  std::vector<Instruction> facts;
  std::vector<Names> read_in, written_in;
};

class Search {
 public:
  Search(const std::vector<ListedInstruction>& list, const std::optional<Instruction>& end,
         const TimingModel& model)
      : list_(list), end_(end), model_(model), flow_(list) {
    for (const ListedInstruction& i : list_) products_ += i.line.facts.is_multiply() ? 1 : 0;
    measure_heights();
  }

  std::optional<Order> best() const {
    const int all = static_cast<int>(list_.size());
    std::vector<Attempt> attempts;
    for (const Urgency urgency : {Urgency::kDependents, Urgency::kText}) {
      attempts.push_back({false, all, 1, urgency});
      for (const int ahead : {8, 16}) attempts.push_back({true, ahead, 1, urgency});
    }
    if (products_ >= kManyProducts) attempts.push_back({true, 14, 12, Urgency::kChance});
    std::vector<Instruction> as_written;
    for (const ListedInstruction& i : list_) as_written.push_back(i.line.facts);
    uint32_t least = cycles(as_written);
    std::optional<Order> best;
    for (const Attempt& attempt : attempts) {
      auto order = placed(attempt);
      if (!order) continue;
      if (const uint32_t cost = cycles(order->facts); cost < least)
        least = cost, best = std::move(order);
    }
    return best;
  }

 private:
  const Instruction& facts(int i) const { return list_[at(i)].line.facts; }

  void measure_heights() {
    heights_.resize(list_.size());
    for (int i = static_cast<int>(list_.size()) - 1; i >= 0; --i)
      for (const int next : flow_.nodes[at(i)].after_text)
        heights_[at(i)] = std::max(heights_[at(i)], heights_[at(next)] + latency(i, next));
  }
  int latency(int first, int second) const {
    if ((facts(first).writes & facts(second).reads) == 0) return 0;
    PipelineState state;
    model_.run({&facts(first), 1}, {}, state);
    return static_cast<int>(model_.run({&facts(second), 1}, {}, state));
  }

  // Register contents while an order is built.
  using Held = std::array<int, kRegisters>;  // by register, a value or kNowhere
  struct Making {
    Held held;
    std::vector<int> place, uses;  // by value
  };
  // An instruction with its values' registers, and what registers hold after it.
  struct Next {
    Instruction facts;
    Names read_in, written_in;
    Held held;
  };

  std::optional<Next> next(int i, bool renames, const Making& making) const {
    Next n{{}, own_names(), own_names(), making.held};
    for (const auto& [reg, value] : flow_.nodes[at(i)].reads) {
      n.read_in[at(reg)] = making.place[at(value)];
      if (making.uses[at(value)] == 1) n.held[at(making.place[at(value)])] = kNowhere;
    }
    // Assign fixed values first. A value without readers still occupies its register until all
    // results of this instruction have theirs: they must differ.
    for (const bool fixed : {true, false})
      for (const auto& [reg, value] : flow_.nodes[at(i)].writes) {
        if (flow_.values[at(value)].fixed != fixed) continue;
        int to = reg;
        if (n.held[at(reg)] != kNowhere) to = fixed || !renames ? kNowhere : free_register(n.held);
        if (to == kNowhere) return std::nullopt;
        n.written_in[at(reg)] = to;
        n.held[at(to)] = value;
      }
    for (const auto& [reg, value] : flow_.nodes[at(i)].writes)
      if (making.uses[at(value)] == 0) n.held[at(n.written_in[at(reg)])] = kNowhere;
    n.facts = moved(facts(i), n.read_in, n.written_in);
    return n;
  }
  int free_register(const Held& held) const {
    for (const int reg : {14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})
      if ((flow_.named >> reg & 1) != 0 && held[at(reg)] == kNowhere) return reg;
    return kNowhere;
  }
  static uint64_t moved(uint64_t mask, const Names& to) {
    uint64_t result = mask >> kRegisters << kRegisters;
    for (int reg = 0; reg < kRegisters; ++reg)
      if ((mask >> reg & 1) != 0) result |= uint64_t{1} << to[at(reg)];
    return result;
  }
  static Instruction moved(Instruction f, const Names& read_in, const Names& written_in) {
    for (uint64_t* const mask : {&f.reads, &f.address_reads, &f.late_reads, &f.added_reads})
      *mask = moved(*mask, read_in);
    f.writes = moved(f.writes, written_in);
    return f;
  }

  // A partial order.
  struct Partial {
    Making making;
    std::vector<int> waits;       // by node: predecessors that are not placed
    std::vector<bool> is_placed;  // by node
    int first = 0;                // first node that is not placed
    int products = 0;
    uint32_t cycles = 0;
    uint64_t hash = 0;  // of the nodes placed
    PipelineState state;
    std::vector<int> nodes;
  };
  // A candidate for the next instruction of a partial order.
  struct Step {
    size_t from;  // partial
    int node;
    uint32_t cycles;
    int left;  // lower bound of the cycles that the rest takes
    uint64_t hash;
  };

  std::vector<int> ValueFlow::Node::*edges(const Attempt& attempt) const {
    return attempt.renames ? &ValueFlow::Node::after : &ValueFlow::Node::after_text;
  }

  Partial beginning(const Attempt& attempt) const {
    Partial p;
    p.making = {{}, std::vector<int>(flow_.values.size(), kNowhere), {}};
    for (const ValueFlow::Value& value : flow_.values) p.making.uses.push_back(value.uses);
    for (int reg = 0; reg < kRegisters; ++reg) {
      p.making.place[at(reg)] = reg;
      p.making.held[at(reg)] = p.making.uses[at(reg)] > 0 ? reg : kNowhere;
    }
    p.waits.resize(list_.size());
    for (const ValueFlow::Node& node : flow_.nodes)
      for (const int later : node.*edges(attempt)) ++p.waits[at(later)];
    p.is_placed.resize(list_.size());
    return p;
  }

  void add_steps(const Attempt& attempt, size_t from, const Partial& p,
                 std::vector<Step>& steps) const {
    const int count = static_cast<int>(list_.size());
    for (int i = p.first; i < std::min(count, p.first + attempt.ahead); ++i) {
      if (p.is_placed[at(i)] || p.waits[at(i)] > 0) continue;
      const auto tried = next(i, attempt.renames, p.making);
      if (!tried) continue;
      PipelineState then = p.state;
      const uint32_t cost = p.cycles + model_.run({&tried->facts, 1}, {}, then);
      const int products = products_ - p.products - (facts(i).is_multiply() ? 1 : 0);
      const int others = (count - static_cast<int>(p.nodes.size()) - 1) / 2;
      steps.push_back(
          {from, i, cost, std::max(products, others), then.hash() ^ (p.hash ^ scrambled(i))});
    }
  }
  void advance(const Attempt& attempt, int node, Partial& p) const {
    const auto n = next(node, attempt.renames, p.making);
    for (const auto& [reg, value] : flow_.nodes[at(node)].reads) --p.making.uses[at(value)];
    for (const auto& [reg, value] : flow_.nodes[at(node)].writes)
      p.making.place[at(value)] = n->written_in[at(reg)];
    p.making.held = n->held;
    p.cycles += model_.run({&n->facts, 1}, {}, p.state);
    p.products += facts(node).is_multiply() ? 1 : 0;
    p.is_placed[at(node)] = true;
    p.hash ^= scrambled(node);
    p.nodes.push_back(node);
    for (const int freed : flow_.nodes[at(node)].*edges(attempt)) --p.waits[at(freed)];
    while (at(p.first) < list_.size() && p.is_placed[at(p.first)]) ++p.first;
  }
  static uint64_t scrambled(int node) {
    uint64_t x = (static_cast<uint64_t>(node) + 1) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return x * 0xBF58476D1CE4E5B9u;
  }

  // Beam search: returns the fastest order of those that are among the `width` best at each length.
  std::optional<Order> placed(const Attempt& attempt) const {
    std::vector<Partial> partials = {beginning(attempt)};
    for (size_t length = 0; length < list_.size(); ++length) {
      std::vector<Step> steps;
      for (size_t from = 0; from < partials.size(); ++from)
        add_steps(attempt, from, partials[from], steps);
      std::stable_sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) {
        return precedes(a, b, attempt.urgency);
      });
      std::vector<Partial> longer;
      std::vector<uint64_t> seen;  // hashes: skips other ways to the same state
      for (const Step& step : steps) {
        if (longer.size() == attempt.width) break;
        if (std::find(seen.begin(), seen.end(), step.hash) != seen.end()) continue;
        seen.push_back(step.hash);
        longer.push_back(partials[step.from]);
        advance(attempt, step.node, longer.back());
      }
      if (longer.empty()) return std::nullopt;  // out of registers
      partials = std::move(longer);
    }
    const auto best =
        std::min_element(partials.begin(), partials.end(),
                         [](const Partial& a, const Partial& b) { return a.cycles < b.cycles; });
    return order_of(attempt, best->nodes);
  }
  Order order_of(const Attempt& attempt, const std::vector<int>& nodes) const {
    Order order{nodes, {}, {}, {}};
    Partial p = beginning(attempt);
    for (const int node : nodes) {
      const auto n = next(node, attempt.renames, p.making);
      order.facts.push_back(n->facts);
      order.read_in.push_back(n->read_in);
      order.written_in.push_back(n->written_in);
      advance(attempt, node, p);
    }
    return order;
  }
  bool precedes(const Step& a, const Step& b, Urgency urgency) const {
    const auto cycles_a = a.cycles + static_cast<uint32_t>(a.left);
    const auto cycles_b = b.cycles + static_cast<uint32_t>(b.left);
    if (cycles_a != cycles_b) return cycles_a < cycles_b;
    if (a.cycles != b.cycles) return a.cycles < b.cycles;
    if (urgency == Urgency::kChance) return a.hash < b.hash;
    if (urgency == Urgency::kText) return a.node < b.node;
    const int high_a = heights_[at(a.node)], high_b = heights_[at(b.node)];
    return high_a != high_b ? high_a > high_b : a.node < b.node;
  }
  // Returns the cycles of the list run twice, as in a loop.
  uint32_t cycles(std::vector<Instruction> list) const {
    if (end_) list.push_back(*end_);
    PipelineState state;
    const BlockExit exit{.taken = end_.has_value()};
    const uint32_t first = model_.run(list, exit, state);
    return first + model_.run(list, exit, state);
  }

  const std::vector<ListedInstruction>& list_;
  const std::optional<Instruction>& end_;
  const TimingModel& model_;
  const ValueFlow flow_;
  int products_ = 0;
  std::vector<int> heights_;  // by node: longest chain to the end, in cycles, text's registers
};

std::string name_of_register(int reg) {
  return reg == kThumbSp ? "sp" : reg == kThumbLr ? "lr" : "r" + std::to_string(reg);
}

// Returns the line with the registers that an order gives it.
std::string rewritten(const ListedInstruction& i, const Names& read_in, const Names& written_in) {
  std::string text(i.text);
  for (auto operand = i.line.operands.rbegin(); operand != i.line.operands.rend(); ++operand)
    text.replace(operand->at, operand->length,
                 name_of_register((operand->read ? read_in : written_in)[at(operand->reg)]));
  return text;
}

}  // namespace

std::vector<std::string> fastest_order(const std::vector<ListedInstruction>& list,
                                       const std::optional<Instruction>& end,
                                       const TimingModel& model) {
  std::vector<std::string> lines;
  const auto order = Search(list, end, model).best();
  if (!order) {
    for (const ListedInstruction& i : list) lines.emplace_back(i.text);
    return lines;
  }
  for (size_t i = 0; i < order->nodes.size(); ++i)
    lines.push_back(rewritten(list[at(order->nodes[i])], order->read_in[i], order->written_in[i]));
  return lines;
}

}  // namespace tinytune
