#include "simulator/core_overlap.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {

CoreOverlap::CoreOverlap(const Device& device, const TimingModel& timing)
    : banks_(device), device_(device) {
  if (device.core_ports == 2) contest_ = std::make_unique<BankContest>(device, timing);
  for (const MemoryRegion& memory : device.memories) {
    if (!memory.fetch_cache.empty() || !memory.read_cache.empty())
      timed_.push_back({memory.address, memory.size_bytes});
    if (memory.writable && memory.name != device.stack_memory)
      writable_.push_back({{memory.address, memory.size_bytes}, {}});
  }
}

void CoreOverlap::begin(std::span<const CorePair> pairs) {
  pairs_.assign(pairs.begin(), pairs.end());
  section_ = -1;
  part_ = 0;
  pair_.reset();
  joined_.clear();
  race_.clear();
}

bool CoreOverlap::is_timed(uint32_t address) const {
  return std::any_of(timed_.begin(), timed_.end(), [&](const AddressRange& range) {
    return address - range.address < range.size_bytes;
  });
}

// All memories behind caches share one port.
size_t CoreOverlap::bank_of(uint32_t address) const {
  const uint8_t bank = banks_.at(address);
  return bank == BankMap::kNone && is_timed(address) ? kPort : bank;
}

void CoreOverlap::block(int section, uint64_t cycles, const AddressRange& code,
                        const MemoryTiming& timing) {
  if (section != section_) {
    if (pair_) close(cycles);
    open(section, cycles, timing);
  }
  now_ = cycles;
  if (!pair_) return;
  Part& part = parts_[part_];
  for (uint32_t at = code.address & ~3u; at < code.address + code.size_bytes; at += 4)
    ++part.by_bank[bank_of(at)];
  if (!is_timed(code.address)) return;
  part.events.push_back(
      {static_cast<uint32_t>(cycles - part.last), code.address, code.size_bytes, true});
  part.last = cycles;
}

void CoreOverlap::leave_for(uint32_t address, const BlockGraph& graph, uint64_t met) {
  met_ = met;
  if (pair_ && contest_) contest_->leave_for(address, graph);
}

void CoreOverlap::open(int section, uint64_t cycles, const MemoryTiming& timing) {
  section_ = section;
  for (size_t p = 0; section >= 0 && p < pairs_.size(); ++p) {
    const auto wanted = static_cast<size_t>(section);
    const bool is_second = part_ == 1 && pairs_[p].second == wanted;
    if (!is_second && pairs_[p].first != wanted) continue;
    pair_ = p;
    if (!is_second) {
      part_ = 0;
      if (!before_) before_ = std::make_unique<MemoryTiming>(device_);
      before_->take_contents_of(timing);
      for (Written& written : writable_) written.touched.assign(written.range.size_bytes, 0);
    }
    if (arrival_ != nullptr && is_second) arrival_->go_on(rest_);
    if (arrival_ != nullptr && !is_second) {
      rest_ = arrival_->rest();
      arrival_->hold(true);
    }
    Part& part = parts_[part_];
    part.events.clear();
    part.began = part.last = cycles;
    part.met_before = met_;
    if (contest_) contest_->begin(part_);
    part.by_bank.assign(kPort + 1, 0);
    return;
  }
}

void CoreOverlap::close(uint64_t cycles) {
  Part& part = parts_[part_];
  part.cycles = cycles - part.began;
  part.met = met_ - part.met_before;
  const size_t pair = *pair_;
  pair_.reset();
  if (part_ == 0) {
    part_ = 1;
    return;
  }
  part_ = 0;
  if (arrival_ == nullptr) {
    joined_.push_back(join(pair));
    return;
  }
  merged_now_ = 0;
  Arrival unit = arrival_->beside([this] { return merged_now_; });
  unit.go_on(rest_);
  before_->set_arrival(&unit);
  joined_.push_back(join(pair));
  before_->set_arrival(nullptr);
  merged_now_ = joined_.back().cycles + device_.fork_join_cycles;
  arrival_->go_on(unit.rest());
  arrival_->hold(false);
}

JoinedVisit CoreOverlap::join(size_t pair) {
  const std::array<uint64_t, 2> apart = merged();
  const std::array<double, 2> met = collisions(apart);
  const auto with = [&](size_t core) { return apart[core] + static_cast<uint64_t>(met[core]); };
  const uint64_t cycles_joined = std::max(with(0), with(1));
  return {pair, cycles_joined, cycles_joined - std::max(apart[0], apart[1])};
}

void CoreOverlap::finish(uint64_t cycles) {
  if (pair_) close(cycles);
  section_ = -1;
}

void CoreOverlap::access(uint32_t address, uint32_t size_bytes, bool is_write) {
  if (!pair_) return;
  Part& part = parts_[part_];
  ++part.by_bank[bank_of(address)];
  if (contest_) contest_->access(address);
  if (!is_write && is_timed(address)) {
    part.events.push_back({static_cast<uint32_t>(now_ - part.last), address, size_bytes, false});
    part.last = now_;
  }
  for (Written& written : writable_) {
    const uint32_t offset = address - written.range.address;
    if (offset >= written.range.size_bytes) continue;
    const uint32_t end = std::min(offset + size_bytes, written.range.size_bytes);
    const uint8_t forbidden = is_write ? kRead | kWritten : kWritten;
    for (uint32_t byte = offset; byte < end; ++byte) {
      if (part_ == 0) {
        written.touched[byte] |= is_write ? kWritten : kRead;
      } else if ((written.touched[byte] & forbidden) != 0 && race_.empty()) {
        race_ = fmt::format("{} at {:#010x}, which the other core {}", is_write ? "write" : "read",
                            written.range.address + byte,
                            (written.touched[byte] & kWritten) != 0 ? "writes" : "reads");
      }
    }
  }
}

// Returns the time at which each core ends, without collisions in banks.
std::array<uint64_t, 2> CoreOverlap::merged() {
  std::array<uint64_t, 2> at = {0, 0};
  std::array<size_t, 2> next = {0, 0};
  uint64_t port_free = 0;
  MemoryTiming& timing = *before_;
  for (;;) {
    std::optional<size_t> core;
    uint64_t soonest = 0;
    for (size_t c = 0; c < 2; ++c) {
      if (next[c] == parts_[c].events.size()) continue;
      const uint64_t comes = at[c] + parts_[c].events[next[c]].gap;
      if (!core || comes < soonest) core = c, soonest = comes;
    }
    if (!core) break;
    const Event& event = parts_[*core].events[next[*core]++];
    merged_now_ = std::max(soonest, port_free);
    const uint64_t waited = timing.waits().fetch + timing.waits().read;
    if (event.is_fetch)
      timing.fetch(event.address, event.size_bytes);
    else
      timing.read(event.address, event.size_bytes);
    const uint64_t fills = timing.waits().fetch + timing.waits().read - waited;
    at[*core] = merged_now_ + fills;
    if (fills > 0) port_free = at[*core];
  }
  for (size_t c = 0; c < 2; ++c)  // adds the cycles after its last event
    at[c] += parts_[c].began + parts_[c].cycles - parts_[c].last - parts_[c].met;
  return at;
}

double CoreOverlap::meetings(size_t first_bank, uint64_t cycles) const {
  double met = 0;
  for (size_t bank = first_bank; bank < parts_[0].by_bank.size(); ++bank)
    met += static_cast<double>(parts_[0].by_bank[bank]) *
           static_cast<double>(parts_[1].by_bank[bank]) /
           static_cast<double>(std::max<uint64_t>(cycles, 1));
  return met;
}

std::array<double, 2> CoreOverlap::collisions(const std::array<uint64_t, 2>& cycles) const {
  const uint64_t longest = std::max(cycles[0], cycles[1]);
  const double met = meetings(contest_ ? kPort : 1, longest);
  if (!contest_) return {met / 2, met / 2};
  std::array<double, 2> lost = contest_->shares_lost();
  // A core that waits for flash accesses no bank meanwhile, so it does not collide with the other.
  for (size_t core = 0; core < 2; ++core) {
    const auto busy = static_cast<double>(parts_[core].cycles - parts_[core].met);
    const auto other = static_cast<double>(parts_[1 - core].cycles - parts_[1 - core].met);
    const auto span = static_cast<double>(std::max<uint64_t>(cycles[1 - core], 1));
    lost[core] = lost[core] * busy * std::min(1.0, other / span) + met / 2;
  }
  return lost;
}

}  // namespace tinytune
