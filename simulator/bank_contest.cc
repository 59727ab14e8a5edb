#include "simulator/bank_contest.h"

#include <algorithm>

namespace tinytune {
namespace {

constexpr uint64_t kWindows = 4, kWindowCycles = 1 << 20;
// Cycles by which the second core starts its part later than the first, because it waits for work:
// 6 or 7 when the RTL runs generated libraries.
constexpr uint64_t kSecondStarts = 7;
constexpr uint64_t kNoLimit = ~uint64_t{0};

/// Requests of the ports in a cycle, and the arbitration of banks among them.
class Turns {
 public:
  static constexpr size_t kData = 0, kCode = 1;

  /// Adds requests of `core`; a port that still waits keeps its earlier one.
  void ask(size_t core, std::array<uint8_t, 2> banks) {
    for (size_t port = 0; port < 2; ++port)
      if (!waits_[core][port]) banks_[core][port] = banks[port];
  }
  void serve() {
    const auto [a, b] = banks_[0];
    const auto [c, d] = banks_[1];
    const bool meet = (a != BankMap::kNone && (a == b || a == c || a == d)) ||
                      (b != BankMap::kNone && (b == c || b == d)) ||
                      (c != BankMap::kNone && c == d);
    for (size_t core = 0; core < 2; ++core)
      for (size_t port = 0; port < 2; ++port) waits_[core][port] = meet && !is_first(core, port);
    for (size_t core = 0; core < 2; ++core)
      for (size_t port = 0; port < 2; ++port)
        if (!waits_[core][port]) served_[banks_[core][port]] = number_of(core, port);
  }
  bool waits(size_t core, size_t port) const { return waits_[core][port]; }

 private:
  static uint8_t number_of(size_t core, size_t port) {
    return static_cast<uint8_t>(2 * core + (port == kData ? 1 : 0));
  }
  bool is_first(size_t core, size_t port) const {
    const uint8_t bank = banks_[core][port];
    if (bank == BankMap::kNone) return true;
    const auto turn = [&](size_t of, size_t at) {
      return (number_of(of, at) + 3u - served_[bank]) % 4;
    };
    for (size_t other = 0; other < 2; ++other)
      for (size_t at = 0; at < 2; ++at)
        if (banks_[other][at] == bank && turn(other, at) < turn(core, port)) return false;
    return true;
  }

  std::array<std::array<uint8_t, 2>, 2> banks_{};
  std::array<std::array<bool, 2>, 2> waits_{};
  std::array<uint8_t, 256> served_{};  ///< by bank: the port served last
};

}  // namespace

/// A core that executes its part, cycle by cycle.
class BankContest::Side {
 public:
  Side(const std::vector<Block>& blocks, const Part& part, const Place& from, size_t end)
      : blocks_(blocks), part_(part), at_(from), end_(end), access_(from.access) {
    if (is_over()) return;
    stream_ = FetchStream(blocks_[part_.blocks[at_.block]].first);
    stream_.step({});
    enter();
  }

  bool is_over() const { return at_.block >= end_; }
  /// Returns the end of its last completed block.
  const Place& place() const { return at_; }

  /// Runs a cycle; returns the banks of the data and of the word of code that it requests.
  std::array<uint8_t, 2> step(const BankMap& banks) {
    FetchStream::Cycle cycle;
    if (is_over()) return {};
    if (data_waits_)
      jump_early(cycle);
    else if (stream_.decodable() < now_->halves)
      late_ -= late_ > 0;
    else
      execute(cycle);
    const uint32_t asked = stream_.step(cycle);
    return {cycle.data_bank, asked == FetchStream::kNowhere ? BankMap::kNone : banks.at(asked)};
  }
  void delay(bool data, bool code) {
    data_waits_ = data;
    if (code) stream_.delay(1);
  }

 private:
  void enter() {
    const Block& block = blocks_[part_.blocks[at_.block]];
    now_ = block.steps.data();
    last_ = now_ + block.steps.size();
    begin();
  }
  void begin() {
    late_ = now_->late;
    left_ = now_->cycles - 1u;
    asked_jump_ = begun_ = false;
  }

  void decide() {
    if (begun_) return;
    begun_ = true;
    foreseen_ = stream_.takes_foreseen(now_->address);
    jump_to_ = FetchStream::kNowhere;
    if (now_->taken && !foreseen_) jump_to_ = now_->target;
    if ((foreseen_ && !now_->taken) || now_->flushes) jump_to_ = now_->address + 2u * now_->halves;
  }
  void train() {
    if ((foreseen_ && !now_->taken) || now_->flushes) stream_.forget();
    if (now_->taken && !foreseen_ && now_->trains)
      stream_.foresee(now_->address, now_->halves == 2, now_->target);
  }

  // The comparison of a branch does not wait for an access before it, unless it reads the loaded
  // value.
  void jump_early(FetchStream::Cycle& cycle) {
    const bool may = late_ == 0 && left_ == 0 && !asked_jump_ &&
                     stream_.decodable() >= now_->halves && !stream_.holds();
    if (!may) return;
    decide();
    if (jump_to_ == FetchStream::kNowhere) return;
    cycle.jump_to = jump_to_;
    cycle.kept = now_->halves;
    asked_jump_ = true;
    train();
  }

  void execute(FetchStream::Cycle& cycle) {
    decide();
    if (late_ > 0) {
      --late_;
      return;
    }
    const bool jumps = jump_to_ != FetchStream::kNowhere && !asked_jump_;
    if (left_ == 0 && jumps && stream_.holds()) return;
    if (left_ < now_->accesses && access_ < part_.banks.size())
      cycle.data_bank = part_.banks[access_++];
    if (left_ > 0) {
      --left_;
      return;
    }
    cycle.used = now_->halves;
    if (jumps) cycle.jump_to = jump_to_;
    if (!asked_jump_) train();
    if (++now_ == last_) {
      const Block& block = blocks_[part_.blocks[at_.block]];
      at_.cycles += block.cycles;
      at_.access += block.accesses;
      access_ = at_.access;
      if (++at_.block < end_) enter();
    } else {
      begin();
    }
  }

  const std::vector<Block>& blocks_;
  const Part& part_;
  Place at_;
  size_t end_;
  size_t access_;  ///< the next one
  FetchStream stream_;
  const FetchedStep *now_ = nullptr, *last_ = nullptr;
  uint32_t late_ = 0, left_ = 0;
  uint32_t jump_to_ = FetchStream::kNowhere;
  bool foreseen_ = false, begun_ = false, asked_jump_ = false, data_waits_ = false;
};

size_t BankContest::Passage::Hash::operator()(const Passage& passage) const {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;  // Knuth: spreads neighbours
  return (reinterpret_cast<uintptr_t>(passage.entry) * kGoldenRatio) ^
         (uint64_t{passage.left_for} << 24) ^ passage.accesses;
}

BankContest::BankContest(const Device& device, TimingModel timing)
    : timing_(timing), banks_(device) {}

void BankContest::begin(size_t core) {
  core_ = core;
  if (core == 0) blocks_.clear(), known_.clear();
  parts_[core] = Part();
}

void BankContest::leave_for(uint32_t address, const BlockGraph& graph) {
  const std::span<const Instruction> block = graph.instructions();
  if (block.empty()) return;
  Part& part = parts_[core_];
  const auto accesses = static_cast<uint32_t>(part.banks.size() - part.told);
  part.told = part.banks.size();
  // Nodes of the graph do not move, so the address of the entry state identifies block and state.
  const Passage passage{&graph.entry(), address, accesses};
  const auto [position, is_new] =
      known_.try_emplace(passage, static_cast<uint32_t>(blocks_.size()));
  if (is_new) {
    Block& made = blocks_.emplace_back();
    made.first = block.front().address;
    made.accesses = accesses;
    const BlockExit exit = graph.exit_to(address);
    made.steps = timing_.fetched_steps(block, exit, graph.entry());
    PipelineState state = graph.entry();
    made.cycles = timing_.run(block, exit, state);
  }
  part.blocks.push_back(position->second);
  part.cycles += blocks_[position->second].cycles;
}

BankContest::Met BankContest::run_together(const std::array<Place, 2>& from, uint64_t limit) const {
  Turns turns;
  Met met;
  met.to = from;
  std::array<Side, 2> sides = {Side(blocks_, parts_[0], from[0], parts_[0].blocks.size()),
                               Side(blocks_, parts_[1], from[1], parts_[1].blocks.size())};
  for (uint64_t now = 1; now <= limit; ++now) {
    const size_t cores = now > kSecondStarts ? 2 : 1;
    for (size_t core = 0; core < cores; ++core) turns.ask(core, sides[core].step(banks_));
    turns.serve();
    for (size_t core = 0; core < 2; ++core) {
      Side& side = sides[core];
      side.delay(turns.waits(core, Turns::kData), turns.waits(core, Turns::kCode));
      if (side.place().block == met.to[core].block) continue;
      met.to[core] = side.place();
      met.cycles[core] = now - core * kSecondStarts;
    }
    const bool over0 = sides[0].is_over(), over1 = sides[1].is_over();
    if ((over0 && over1) || (limit != kNoLimit && (over0 || over1))) break;
  }
  return met;
}

uint64_t BankContest::run_alone(size_t core, const Place& from, const Place& to) const {
  if (timing_.has_buffer()) return to.cycles - from.cycles;
  Side side(blocks_, parts_[core], from, to.block);
  uint64_t cycles = 0;
  for (; !side.is_over(); ++cycles) side.step(banks_);
  return cycles;
}

BankContest::Place BankContest::later(size_t core, Place from, uint64_t cycles) const {
  const Part& part = parts_[core];
  for (; from.block < part.blocks.size() && from.cycles < cycles; ++from.block) {
    const Block& block = blocks_[part.blocks[from.block]];
    from.cycles += block.cycles;
    from.access += block.accesses;
  }
  return from;
}

std::array<double, 2> BankContest::shares_lost() const {
  const std::array<uint64_t, 2> all = {parts_[0].cycles, parts_[1].cycles};
  const uint64_t shared = std::min(all[0], all[1]);
  if (shared == 0) return {};
  const bool is_short = std::max(all[0], all[1]) <= kWindows * kWindowCycles;
  std::array<Place, 2> at;
  std::array<uint64_t, 2> alone{}, lost{};
  for (uint64_t window = 0; window < (is_short ? 1 : kWindows); ++window) {
    for (size_t core = 0; core < 2; ++core)
      at[core] = later(core, at[core], shared / kWindows * window);
    const Met met = run_together(at, is_short ? kNoLimit : kWindowCycles);
    for (size_t core = 0; core < 2; ++core) {
      const uint64_t quiet = run_alone(core, at[core], met.to[core]);
      alone[core] += quiet;
      lost[core] += met.cycles[core] - std::min(met.cycles[core], quiet);
    }
  }
  std::array<double, 2> shares{};
  for (size_t core = 0; core < 2; ++core) {
    const double beside =
        is_short ? 1.0 : static_cast<double>(shared) / static_cast<double>(all[core]);
    if (alone[core] > 0)
      shares[core] = beside * static_cast<double>(lost[core]) / static_cast<double>(alone[core]);
  }
  return shares;
}

}  // namespace tinytune
