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

uint32_t align_up(uint32_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool live_together(const ArenaBuffer& a, const ArenaBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

class Planner {
 public:
  explicit Planner(std::span<const ArenaBuffer> buffers) : buffers_(buffers) {
    for (const ArenaBuffer& b : buffers) {
      sizes_.push_back(align_up(b.bytes));
      blocks_ = std::max(blocks_, block_of(b.last_step) + 1);
    }
  }

  uint32_t lower_bound() const {
    std::map<int, int64_t> changes;  // of the bytes alive, by step
    for (size_t i = 0; i < buffers_.size(); ++i) {
      changes[buffers_[i].first_step] += sizes_[i];
      changes[buffers_[i].last_step + 1] -= sizes_[i];
    }
    int64_t live = 0, most = 0;
    for (const auto& [step, change] : changes) most = std::max(most, live += change);
    TT_CHECK(most < (int64_t{1} << 31), "an arena is below 2 GiB");
    return static_cast<uint32_t>(most);
  }

  // Each buffer in turn at the lowest offset that is free for all of its life.
  MemoryPlan place(const std::vector<size_t>& order) const {
    MemoryPlan plan;
    plan.offsets.assign(buffers_.size(), 0);
    // Of what is placed, by block of steps and then by offset: what lives in it, and what of that
    // begins in it.
    std::vector<std::vector<size_t>> living(blocks_), beginning(blocks_);
    const auto lower = [&](size_t x, size_t y) { return plan.offsets[x] < plan.offsets[y]; };
    const auto add = [&](size_t b, std::vector<size_t>& placed) {
      const bool last = placed.empty() || !lower(b, placed.back());
      placed.insert(last ? placed.end() : std::upper_bound(placed.begin(), placed.end(), b, lower),
                    b);
    };
    std::vector<size_t> neighbours;
    for (const size_t b : order) {
      neighbours.clear();
      const auto meet = [&](const std::vector<size_t>& placed) {
        for (const size_t p : placed)
          if (live_together(buffers_[b], buffers_[p])) neighbours.push_back(p);
      };
      // Each once: those that are there already, in order, then the few that come.
      meet(living[first_block(b)]);
      const auto there = static_cast<std::ptrdiff_t>(neighbours.size());
      for (size_t block = first_block(b) + 1; block <= last_block(b); ++block)
        meet(beginning[block]);
      std::sort(neighbours.begin() + there, neighbours.end(), lower);
      std::inplace_merge(neighbours.begin(), neighbours.begin() + there, neighbours.end(), lower);
      uint32_t offset = 0;
      for (const size_t n : neighbours) {
        if (offset + sizes_[b] <= plan.offsets[n]) break;
        offset = std::max(offset, plan.offsets[n] + sizes_[n]);
      }
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
             static_cast<uint64_t>(buffers_[b].last_step - buffers_[b].first_step + 1);
    };
    std::vector<size_t> by_size = in_time, by_area = in_time;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](size_t x, size_t y) { return sizes_[x] > sizes_[y]; });
    std::stable_sort(by_area.begin(), by_area.end(),
                     [&](size_t x, size_t y) { return area(x) > area(y); });
    return {by_size, by_area, in_time};
  }

 private:
  // Steps are looked up in blocks: most buffers live for a few steps of thousands. Inputs begin
  // before the first one.
  static size_t block_of(int step) { return static_cast<size_t>(std::max(step, 0)) / 16; }
  size_t first_block(size_t b) const { return block_of(buffers_[b].first_step); }
  size_t last_block(size_t b) const { return block_of(buffers_[b].last_step); }

  std::span<const ArenaBuffer> buffers_;
  std::vector<uint32_t> sizes_;
  size_t blocks_ = 0;
};

}  // namespace

MemoryPlan plan_memory(std::span<const ArenaBuffer> buffers) {
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
    // A buffer moved to another place in the order; equal plans are accepted, to cross plateaus.
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

}  // namespace tinytune
