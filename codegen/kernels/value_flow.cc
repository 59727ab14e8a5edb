#include "codegen/kernels/value_flow.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tinytune {
namespace {

constexpr bool is_general(int reg) { return reg < kThumbSp || reg == kThumbLr; }
constexpr size_t at(int i) { return static_cast<size_t>(i); }

// An address: a distance from a root, which is the unknown value of a register at some point.
struct Place {
  int root = 0;
  int64_t from = 0;
};

// Tracks the places that registers hold: registers at a known distance share a root.
class Roots {
 public:
  Roots() {
    for (Place& place : holds_) place = {next_++, 0};
  }
  int of_sp() const { return holds_[kThumbSp].root; }
  Place of(const ThumbLine& access) {
    if (access.index >= 0) return {next_++, 0};
    const Place base = holds_[at(access.base)];
    return {base.root, base.from + access.offset};
  }
  void write(const ThumbLine& line) {
    const std::optional<Place> moved =
        line.moved >= 0 ? std::optional(holds_[at(line.moved_from)]) : std::nullopt;
    for (int reg = 0; reg < kListRegisters; ++reg)
      if ((line.facts.writes >> reg & 1) != 0) holds_[at(reg)] = {next_++, 0};
    if (moved) holds_[at(line.moved)] = {moved->root, moved->from + line.distance};
  }

 private:
  std::array<Place, kListRegisters> holds_;
  int next_ = 0;
};

bool changes_in_place(const ThumbLine& line, int reg) {
  return std::any_of(line.operands.begin(), line.operands.end(),
                     [&](const ThumbOperand& o) { return o.reg == reg && o.read && o.written; });
}

bool may_meet(const ListedInstruction& first, Place one, const ListedInstruction& second,
              Place other, int sp) {
  const bool first_stores = first.line.facts.is_store();
  const bool second_stores = second.line.facts.is_store();
  if (first.line.bytes == 0 || second.line.bytes == 0) return false;
  if (!first_stores && !second_stores) return false;
  if (one.root == other.root)
    return one.from < other.from + second.line.bytes && other.from < one.from + first.line.bytes;
  if (!first.by_template || !second.by_template) return true;
  return first_stores && second_stores && one.root != sp && other.root != sp;
}

}  // namespace

ValueFlow::ValueFlow(const std::vector<ListedInstruction>& list) : nodes(list.size()) {
  follow(list);
  connect(list);
}

void ValueFlow::follow(const std::vector<ListedInstruction>& list) {
  std::array<int, kListRegisters> held;
  for (int reg = 0; reg < kListRegisters; ++reg) {
    held[at(reg)] = reg;
    values.push_back({reg, true, 0});
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const ThumbLine& line = list[i].line;
    const Instruction& f = line.facts;
    for (int reg = 0; reg < kListRegisters; ++reg) {
      if ((f.reads >> reg & 1) == 0) continue;
      Value& value = values[at(held[at(reg)])];
      nodes[i].reads.emplace_back(reg, held[at(reg)]);
      ++value.uses;
      value.fixed |= line.needs_low;
    }
    for (int reg = 0; reg < kListRegisters; ++reg) {
      if ((f.writes >> reg & 1) == 0) continue;
      // An instruction that updates a register needs both values in it; accumulators never move.
      const bool changes = changes_in_place(line, reg);
      const bool sums = (f.late_reads & f.writes) != 0;
      if (changes) values[at(held[at(reg)])].fixed = true;
      held[at(reg)] = static_cast<int>(values.size());
      values.push_back({reg, changes || sums || line.needs_low || !is_general(reg), 0});
      nodes[i].writes.emplace_back(reg, held[at(reg)]);
    }
  }
  for (const int value : held) {
    values[at(value)].fixed = true;
    ++values[at(value)].uses;
  }
  for (const ListedInstruction& i : list) named |= i.line.facts.reads | i.line.facts.writes;
}
void ValueFlow::connect(const std::vector<ListedInstruction>& list) {
  Roots roots;
  const int sp = roots.of_sp();
  std::vector<Place> places;
  for (const ListedInstruction& i : list) {
    places.push_back(i.line.bytes > 0 ? roots.of(i.line) : Place());
    roots.write(i.line);
  }
  for (int second = 0; second < static_cast<int>(list.size()); ++second)
    for (int first = 0; first < second; ++first) {
      const Instruction &a = list[at(first)].line.facts, &b = list[at(second)].line.facts;
      const bool meet =
          may_meet(list[at(first)], places[at(first)], list[at(second)], places[at(second)], sp);
      if (meet || (a.writes & (b.reads | b.writes)) != 0 || (a.reads & b.writes) != 0)
        nodes[at(first)].after_text.push_back(second);
      if (meet || must_follow(first, second)) nodes[at(first)].after.push_back(second);
    }
}
// Whether `second` uses a value of `first`, or both define fixed values of the same register.
bool ValueFlow::must_follow(int first, int second) const {
  for (const auto& [reg, made] : nodes[at(first)].writes) {
    for (const auto& [other, used] : nodes[at(second)].reads)
      if (used == made) return true;
    for (const auto& [other, written] : nodes[at(second)].writes)
      if (other == reg && values[at(written)].fixed && values[at(made)].fixed) return true;
  }
  return false;
}

}  // namespace tinytune
