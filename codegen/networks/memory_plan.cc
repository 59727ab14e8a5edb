#include "codegen/networks/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.h"
#include "base/rng.h"

namespace tinytune {
namespace {

// Orders tried before the climb gives up. 4000 take some milliseconds for 60 buffers; from 250 on
// fewer are tried, so that ten thousand buffers take no longer than 250.
constexpr int64_t kAttempts = 4000;

int64_t attempts_for(size_t buffers) {
  constexpr int64_t kMostPairs = kAttempts * 250 * 250;
  const auto count = static_cast<int64_t>(buffers);
  return std::min(kAttempts, kMostPairs / (count * count + 1));
}

bool live_together(const ArenaBuffer& a, const ArenaBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

class Planner {
 public:
  explicit Planner(std::span<const ArenaBuffer> buffers) : buffers_(buffers) {
    related_.resize(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      const ArenaBuffer& b = buffers[i];
      sizes_.push_back(aligned_in_arena(b.bytes));
      blocks_ = std::max(blocks_, block_of(b.last_step) + 1);
      if (b.runs_into) related_[i] = related_[b.runs_into->buffer] = true;
    }
  }

  uint32_t lower_bound() const {
    std::map<int, int64_t> changes;  // change of the live bytes, by step
    for (size_t i = 0; i < buffers_.size(); ++i) {
      changes[buffers_[i].first_step] += sizes_[i];
      changes[buffers_[i].last_step + 1] -= sizes_[i];
      if (!buffers_[i].runs_into) continue;
      const ArenaBuffer& above = buffers_[buffers_[i].runs_into->buffer];
      if (!live_together(buffers_[i], above)) continue;
      const int64_t once = shared(i);
      changes[std::max(buffers_[i].first_step, above.first_step)] -= once;
      changes[std::min(buffers_[i].last_step, above.last_step) + 1] += once;
    }
    int64_t live = 0, most = 0;
    for (const auto& [step, change] : changes) most = std::max(most, live += change);
    TT_CHECK(most < (int64_t{1} << 31), "an arena is below 2 GiB");
    return static_cast<uint32_t>(most);
  }

  // Places each buffer in turn at the lowest offset that is free throughout its live range.
  MemoryPlan place(const std::vector<size_t>& order) const {
    MemoryPlan plan;
    plan.offsets.assign(buffers_.size(), 0);
    // Placed buffers by block of steps, sorted by offset: those that live in the block, and those
    // of them that begin in it.
    std::vector<std::vector<size_t>> living(blocks_), beginning(blocks_);
    const auto lower = [&](size_t x, size_t y) { return plan.offsets[x] < plan.offsets[y]; };
    const auto add = [&](size_t b, std::vector<size_t>& placed) {
      const bool last = placed.empty() || !lower(b, placed.back());
      placed.insert(last ? placed.end() : std::upper_bound(placed.begin(), placed.end(), b, lower),
                    b);
    };
    std::vector<size_t> neighbours;
    std::vector<Forbidden> taken;
    for (const size_t b : order) {
      neighbours.clear();
      const auto meet = [&](const std::vector<size_t>& placed) {
        for (const size_t p : placed)
          if (live_together(buffers_[b], buffers_[p])) neighbours.push_back(p);
      };
      // Visits each neighbour once: those of the first block, in order, then the few later ones.
      meet(living[first_block(b)]);
      const auto there = static_cast<std::ptrdiff_t>(neighbours.size());
      for (size_t block = first_block(b) + 1; block <= last_block(b); ++block)
        meet(beginning[block]);
      std::sort(neighbours.begin() + there, neighbours.end(), lower);
      std::inplace_merge(neighbours.begin(), neighbours.begin() + there, neighbours.end(), lower);
      const uint32_t offset = lowest_free(b, neighbours, plan.offsets, taken);
      plan.offsets[b] = offset;
      plan.arena_bytes = std::max(plan.arena_bytes, offset + sizes_[b]);
      add(b, beginning[first_block(b)]);
      for (size_t block = first_block(b); block <= last_block(b); ++block) add(b, living[block]);
    }
    return plan;
  }

  std::vector<std::vector<size_t>> starting_orders() const {
    std::vector<size_t> in_time(buffers_.size());
    std::iota(in_time.begin(), in_time.end(), size_t{0});
    std::stable_sort(in_time.begin(), in_time.end(), [&](size_t x, size_t y) {
      return buffers_[x].first_step < buffers_[y].first_step;
    });
    const auto area = [&](size_t b) {
      return uint64_t{sizes_[b]} *
             static_cast<uint64_t>(buffers_[b].last_step - std::max(buffers_[b].first_step, 0) + 1);
    };
    std::vector<size_t> by_size = in_time, by_area = in_time;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](size_t x, size_t y) { return sizes_[x] > sizes_[y]; });
    std::stable_sort(by_area.begin(), by_area.end(),
                     [&](size_t x, size_t y) { return area(x) > area(y); });
    if (std::find(related_.begin(), related_.end(), true) == related_.end())
      return {by_size, by_area, in_time};
    // A buffer that runs into another must lie below it, so such chains are placed first; small
    // buffers fit into the gaps at a chain's ends.
    std::vector<size_t> chains_first(in_time.rbegin(), in_time.rend());
    std::stable_sort(chains_first.begin(), chains_first.end(), [&](size_t x, size_t y) {
      if (related_[x] != related_[y]) return static_cast<bool>(related_[x]);
      return !related_[x] && sizes_[x] > sizes_[y];
    });
    return {chains_first, by_size, by_area, in_time};
  }

 private:
  int64_t shared(size_t below) const {
    const RunsIntoBuffer& into = *buffers_[below].runs_into;
    const int64_t apart = int64_t{sizes_[below]} + sizes_[into.buffer];
    const int64_t joined = int64_t{aligned_in_arena(into.distance)} + sizes_[into.buffer];
    return std::max<int64_t>(0, apart - std::max<int64_t>(sizes_[below], joined));
  }

  // Offsets that a buffer cannot have because of another: those strictly between both limits.
  struct Forbidden {
    int64_t above = 0, below = 0;
  };

  Forbidden forbidden_by(size_t neighbour, size_t b, uint32_t offset) const {
    const int64_t at = offset;
    Forbidden none{at - int64_t{sizes_[b]}, at + int64_t{sizes_[neighbour]}};
    const auto &mine = buffers_[b].runs_into, &theirs = buffers_[neighbour].runs_into;
    if (mine && mine->buffer == neighbour)
      none.above = std::max(none.above, at - int64_t{aligned_in_arena(mine->distance)});
    if (theirs && theirs->buffer == b)
      none.below = std::min(none.below, at + int64_t{aligned_in_arena(theirs->distance)});
    return none;
  }

  // Returns the lowest offset at which `neighbours`, sorted by offset, leave room for `b`.
  uint32_t lowest_free(size_t b, const std::vector<size_t>& neighbours,
                       const std::vector<uint32_t>& offsets, std::vector<Forbidden>& taken) const {
    taken.clear();
    for (const size_t n : neighbours) taken.push_back(forbidden_by(n, b, offsets[n]));
    if (related_[b])
      std::sort(taken.begin(), taken.end(),
                [](const Forbidden& x, const Forbidden& y) { return x.above < y.above; });
    int64_t offset = 0;
    for (const Forbidden& range : taken) {
      if (offset <= range.above) break;
      offset = std::max(offset, range.below);
    }
    return static_cast<uint32_t>(offset);
  }

  // Steps are grouped into blocks for lookup, since most buffers live for a few steps of thousands.
  // Inputs begin before the first step.
  static size_t block_of(int step) { return static_cast<size_t>(std::max(step, 0)) / 16; }
  size_t first_block(size_t b) const { return block_of(buffers_[b].first_step); }
  size_t last_block(size_t b) const { return block_of(buffers_[b].last_step); }

  std::span<const ArenaBuffer> buffers_;
  std::vector<uint32_t> sizes_;
  std::vector<bool> related_;  // runs into another buffer, or another into it
  size_t blocks_ = 0;
};

}  // namespace

uint32_t shared_bytes(const ArenaBuffer& below, const ArenaBuffer& above) {
  if (!below.runs_into || !live_together(below, above)) return 0;
  const uint64_t apart = uint64_t{below.bytes} + above.bytes;
  const uint64_t joined = uint64_t{below.runs_into->distance} + above.bytes;
  return static_cast<uint32_t>(apart - std::min(apart, std::max<uint64_t>(below.bytes, joined)));
}

uint32_t aligned_in_arena(uint32_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

namespace {

MemoryPlan plan_free(std::span<const ArenaBuffer> buffers) {
  const Planner planner(buffers);
  const uint32_t lower_bound = planner.lower_bound();
  MemoryPlan best;
  std::vector<size_t> order;
  for (std::vector<size_t>& start : planner.starting_orders()) {
    MemoryPlan plan = planner.place(start);
    if (order.empty() || plan.arena_bytes < best.arena_bytes) best = plan, order = std::move(start);
  }
  Rng rng(1);
  const int64_t attempts = attempts_for(buffers.size());
  for (int64_t i = 0; i < attempts && buffers.size() > 1 && best.arena_bytes > lower_bound; ++i) {
    std::vector<size_t> next = order;
    // Moves a buffer to another place in the order; accepts equal plans, to cross plateaus.
    const size_t from = rng.below(next.size()), to = rng.below(next.size());
    const size_t moved = next[from];
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(from));
    next.insert(next.begin() + static_cast<std::ptrdiff_t>(to), moved);
    MemoryPlan plan = planner.place(next);
    if (plan.arena_bytes > best.arena_bytes) continue;
    best = std::move(plan);
    order = std::move(next);
  }
  best.lower_bound = lower_bound;
  return best;
}

}  // namespace

MemoryPlan plan_memory(std::span<const ArenaBuffer> buffers) {
  constexpr auto kNone = static_cast<size_t>(-1);
  uint32_t fixed_bytes = 0;
  std::vector<ArenaBuffer> others;
  std::vector<size_t> place_of(buffers.size(), kNone);  // in `others`
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].fixed_at) {
      fixed_bytes += aligned_in_arena(buffers[i].bytes);
      continue;
    }
    place_of[i] = others.size();
    others.push_back(buffers[i]);
  }
  if (others.size() == buffers.size()) return plan_free(buffers);
  for (ArenaBuffer& buffer : others) {
    if (!buffer.runs_into) continue;
    buffer.runs_into->buffer = place_of[buffer.runs_into->buffer];
    TT_CHECK(buffer.runs_into->buffer != kNone, "nothing runs into a buffer whose place is fixed");
  }
  const MemoryPlan behind = plan_free(others);
  MemoryPlan plan;
  plan.arena_bytes = fixed_bytes + behind.arena_bytes;
  plan.lower_bound = fixed_bytes + behind.lower_bound;
  for (size_t i = 0; i < buffers.size(); ++i)
    plan.offsets.push_back(buffers[i].fixed_at ? *buffers[i].fixed_at
                                               : fixed_bytes + behind.offsets[place_of[i]]);
  return plan;
}

}  // namespace tinytune
