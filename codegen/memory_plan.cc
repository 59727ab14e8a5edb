#include "codegen/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/rng.h"

namespace tinytune {
namespace {

// Orders tried before the climb gives up. 4000 take some milliseconds for 60 buffers.
constexpr int kAttempts = 4000;

uint32_t align_up(uint32_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool live_together(const ArenaBuffer& a, const ArenaBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

class Planner {
 public:
  explicit Planner(std::span<const ArenaBuffer> buffers) : buffers_(buffers) {
    for (const ArenaBuffer& b : buffers) sizes_.push_back(align_up(b.bytes));
  }

  uint32_t lower_bound() const {
    uint64_t most = 0;
    for (const ArenaBuffer& at : buffers_) {  // the sum only grows where a buffer begins
      uint64_t live = 0;
      for (size_t i = 0; i < buffers_.size(); ++i)
        if (buffers_[i].first_step <= at.first_step && at.first_step <= buffers_[i].last_step)
          live += sizes_[i];
      most = std::max(most, live);
    }
    TT_CHECK(most < (uint64_t{1} << 31), "an arena is below 2 GiB");
    return static_cast<uint32_t>(most);
  }

  // Each buffer in turn at the lowest offset that is free for all of its life.
  MemoryPlan place(const std::vector<size_t>& order) const {
    MemoryPlan plan;
    plan.offsets.assign(buffers_.size(), 0);
    std::vector<size_t> placed, neighbours;
    for (const size_t b : order) {
      neighbours.clear();
      for (const size_t p : placed)
        if (live_together(buffers_[b], buffers_[p])) neighbours.push_back(p);
      std::sort(neighbours.begin(), neighbours.end(),
                [&](size_t x, size_t y) { return plan.offsets[x] < plan.offsets[y]; });
      uint32_t offset = 0;
      for (const size_t n : neighbours) {
        if (offset + sizes_[b] <= plan.offsets[n]) break;
        offset = std::max(offset, plan.offsets[n] + sizes_[n]);
      }
      plan.offsets[b] = offset;
      plan.arena_bytes = std::max(plan.arena_bytes, offset + sizes_[b]);
      placed.push_back(b);
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
  std::span<const ArenaBuffer> buffers_;
  std::vector<uint32_t> sizes_;
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
  for (int i = 0; i < kAttempts && buffers.size() > 1 && best.arena_bytes > lower_bound; ++i) {
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
