#include "simulator/memory_timing.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "simulator/arrival.h"

namespace tinytune {

Cache::Cache(const CacheModel& model)
    : line_bytes_(model.line_bytes),
      line_shift_(static_cast<uint32_t>(std::countr_zero(model.line_bytes))),
      fill_shift_(static_cast<uint32_t>(std::countr_zero(model.fill_bytes))),
      ways_(model.ways),
      moves_on_hit_(model.replacement == CacheModel::Replacement::kLru),
      sets_(model.size_bytes / model.line_bytes / model.ways) {
  clear();
}

void Cache::clear() {
  for (std::vector<Line>& set : sets_) set.assign(ways_, Line());
  latest_ = kNone;
  latest_line_ = nullptr;
}

uint32_t Cache::fills_of(uint32_t line, uint32_t address, uint32_t size_bytes) const {
  const uint32_t start = line * line_bytes_;
  const uint32_t from = address > start ? address - start : 0;
  const uint32_t to = std::min(address + size_bytes - 1 - start, line_bytes_ - 1);
  const uint32_t first = from >> fill_shift_, last = to >> fill_shift_;
  const uint32_t up_to_last = last == 31 ? 0xFFFFFFFF : (uint32_t{1} << (last + 1)) - 1;
  return up_to_last & ~((uint32_t{1} << first) - 1);
}

uint32_t Cache::touch_lines(uint32_t address, uint32_t size_bytes) {
  const uint32_t last = (address + size_bytes - 1) >> line_shift_;
  uint32_t fills = 0;
  for (uint32_t number = address >> line_shift_; number <= last; ++number) {
    Line& line = line_at(number);
    const uint32_t lacking = fills_of(number, address, size_bytes) & ~line.valid;
    fills += static_cast<uint32_t>(std::popcount(lacking));
    line.valid |= lacking;
    latest_ = number;
    latest_line_ = &line;
  }
  return fills;
}

void Cache::take_contents_of(const Cache& other) {
  sets_ = other.sets_;
  latest_ = kNone;
  latest_line_ = nullptr;
}

Cache::Line& Cache::line_at(uint32_t number) {
  std::vector<Line>& set = sets_[number % sets_.size()];
  auto found =
      std::find_if(set.begin(), set.end(), [&](const Line& line) { return line.number == number; });
  if (found != set.end() && !moves_on_hit_) return *found;
  if (found == set.end()) {
    found = set.end() - 1;  // the oldest goes
    *found = Line{number, 0};
  }
  std::rotate(set.begin(), found, found + 1);
  return set.front();
}

bool MemoryTiming::Region::meets(const AddressRange& other) const {
  return range.address < uint64_t{other.address} + other.size_bytes &&
         other.address < uint64_t{range.address} + range.size_bytes;
}

MemoryTiming::MemoryTiming(const Device& device) {
  for (const CacheModel& cache : device.caches) {
    caches_.emplace_back(cache);
    names_.push_back(cache.name);
  }
  const auto named = [&](const std::string& name) -> Cache* {
    for (size_t i = 0; i < device.caches.size(); ++i)
      if (device.caches[i].name == name) return &caches_[i];
    return nullptr;
  };
  const auto background = device.timing.cycles.find("fill_rest");
  const uint32_t rest =
      background == device.timing.cycles.end() ? 0 : static_cast<uint32_t>(background->second);
  for (const MemoryRegion& memory : device.memories) {
    if (memory.fetch_cache.empty() && memory.read_cache.empty()) continue;
    regions_.push_back({{memory.address, memory.size_bytes},
                        named(memory.fetch_cache),
                        named(memory.read_cache),
                        memory.fill_cycles,
                        memory.next_fill_cycles,
                        std::min(rest, memory.fill_cycles),
                        memory.name});
  }
}

void MemoryTiming::take_contents_of(const MemoryTiming& other) {
  for (size_t i = 0; i < caches_.size(); ++i) caches_[i].take_contents_of(other.caches_[i]);
  for (Region& region : regions_) region.begin();
  waits_ = Waits();
  fetched_to_ = other.fetched_to_;
}

void MemoryTiming::begin() {
  for (Cache& cache : caches_) cache.clear();
  for (Region& region : regions_) region.begin();
  waits_ = Waits();
  fetched_to_ = 0;
}

std::vector<std::pair<std::string, uint64_t>> MemoryTiming::waits_by_memory() const {
  std::vector<std::pair<std::string, uint64_t>> all;
  for (const Region& region : regions_) all.emplace_back(region.name, region.waited);
  return all;
}

// Adds the wait of a miss for the transfer of a unit at the same port.
uint64_t MemoryTiming::with_turn(const Cache* cache, uint64_t cycles) {
  if (cycles == 0 || arrival_ == nullptr) return cycles;
  if (names_[static_cast<size_t>(cache - caches_.data())] != arrival_->way().cache) return cycles;
  return arrival_->miss(cycles) + cycles;
}

void MemoryTiming::fetch(uint32_t address, uint32_t size_bytes) {
  for (Region& region : regions_) {
    if (!region.contains(address) || region.fetch == nullptr) continue;
    // A jump's target waits for a full fill; all other fills continue the one before.
    const bool runs_on = address == fetched_to_ || region.next_fill_cycles == region.fill_cycles;
    const uint32_t jumped = runs_on ? 0 : region.fetch->touch(address, 1);
    const uint32_t next = region.fetch->touch(address, size_bytes);
    const uint64_t cycles = with_turn(region.fetch, uint64_t{region.fill_cycles} * jumped +
                                                        uint64_t{region.next_fill_cycles} * next);
    region.waited += cycles;
    waits_.fetch += cycles;
    fetched_to_ = address + size_bytes;
  }
}

uint64_t MemoryTiming::filled(Region& region, uint32_t fills, uint64_t now) {
  if (region.rest_cycles == 0 && region.busy_until <= now)
    return uint64_t{region.fill_cycles} * fills;
  const uint64_t asked = now;
  for (; fills != 0; --fills) {
    const uint64_t begun = std::max(now, region.busy_until);
    region.busy_until = begun + region.fill_cycles;
    now = region.busy_until - region.rest_cycles;
  }
  return now - asked;
}

uint64_t MemoryTiming::awaited(const Region& region, uint32_t address, uint64_t now) {
  if (region.busy_until <= now) return 0;
  const uint32_t line = region.read->line_of(address);
  for (const Region::Coming& coming : region.coming)
    if (coming.address == line && coming.there > now) return coming.there - now;
  return 0;
}

void MemoryTiming::prefetch(uint32_t address, uint64_t now) {
  now += waits_.fetch + waits_.read;
  for (Region& region : regions_) {
    if (!region.contains(address) || region.read == nullptr) continue;
    const uint32_t line = region.read->line_of(address);
    const uint32_t fills = region.read->touch(line, region.read->line_bytes());
    if (fills == 0) continue;
    if (const uint64_t free = region.coming[0].there; free > now) {
      region.waited += free - now;
      waits_.read += free - now;
      now = free;
    }
    region.busy_until = std::max(now, region.busy_until) + uint64_t{region.fill_cycles} * fills;
    region.coming[0] = std::exchange(region.coming[1], {line, region.busy_until});
  }
}

void MemoryTiming::read(uint32_t address, uint32_t size_bytes, uint64_t now) {
  now += waits_.fetch + waits_.read;
  for (Region& region : regions_) {
    if (!region.contains(address) || region.read == nullptr) continue;
    const uint32_t fills = region.read->touch(address, size_bytes);
    const uint64_t cycles = fills == 0 ? awaited(region, address, now)
                                       : with_turn(region.read, filled(region, fills, now));
    region.waited += cycles;
    waits_.read += cycles;
  }
}

void MemoryTiming::fill(const std::string& cache, uint32_t address, uint32_t size_bytes) {
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == cache) caches_[i].touch(address, size_bytes);
}

bool MemoryTiming::times_fetches(std::span<const AddressRange> ranges) const {
  return std::any_of(regions_.begin(), regions_.end(), [&](const Region& region) {
    return region.fetch != nullptr &&
           std::any_of(ranges.begin(), ranges.end(),
                       [&](const AddressRange& range) { return region.meets(range); });
  });
}

bool MemoryTiming::times_reads(std::span<const AddressRange> ranges) const {
  return std::any_of(regions_.begin(), regions_.end(), [&](const Region& region) {
    return region.read != nullptr &&
           std::any_of(ranges.begin(), ranges.end(),
                       [&](const AddressRange& range) { return region.meets(range); });
  });
}

std::vector<AddressRange> MemoryTiming::timed_reads() const {
  std::vector<AddressRange> ranges;
  for (const Region& region : regions_)
    if (region.read != nullptr) ranges.push_back(region.range);
  return ranges;
}

std::vector<AddressRange> MemoryTiming::ranges_behind(const std::string& cache) const {
  std::vector<AddressRange> ranges;
  for (size_t i = 0; i < names_.size(); ++i)
    for (const Region& region : regions_)
      if (names_[i] == cache && (region.fetch == &caches_[i] || region.read == &caches_[i]))
        ranges.push_back(region.range);
  return ranges;
}

}  // namespace tinytune
