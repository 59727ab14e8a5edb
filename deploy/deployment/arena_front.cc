// What each kilobyte of the arena buys, from the network as it was asked for down to the smallest
// that strips reach.
//
// Between both, limits that shrink by the same factor: at each the groups that cost fewest cycles,
// with kernels that have some room for scratch. Every point was generated and run.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "deploy/deployment/deployment.h"
#include "deploy/model/model_state.h"
#include "deploy/strip_plan/orders.h"

namespace tinytune {
namespace {

constexpr int kLimits = 8;

/// Beside tensors' bytes: what the leanest of the fast kernels take, and enough for most.
constexpr uint64_t kScratch[] = {768, 3072};

std::vector<uint64_t> limits_between(uint64_t smallest, uint64_t largest) {
  std::vector<uint64_t> limits;
  const double ratio = static_cast<double>(smallest) / static_cast<double>(largest);
  for (int i = 1; i <= kLimits; ++i)
    limits.push_back(static_cast<uint64_t>(
        std::ceil(static_cast<double>(largest) * std::pow(ratio, double{1} * i / kLimits))));
  return limits;
}

/// Smaller ones only where none is both smaller and faster.
std::vector<ArenaPoint> front_of(std::vector<ArenaPoint> points) {
  std::sort(points.begin(), points.end(), [](const ArenaPoint& a, const ArenaPoint& b) {
    return a.cycles != b.cycles ? a.cycles < b.cycles : a.arena_bytes < b.arena_bytes;
  });
  std::vector<ArenaPoint> front;
  for (const ArenaPoint& point : points)
    if (front.empty() || point.arena_bytes < front.back().arena_bytes) front.push_back(point);
  return front;
}

}  // namespace

Result<std::vector<ArenaPoint>> Deployment::arena_front(LayoutChoice& layouts,
                                                        const GeneratedNetwork& network,
                                                        const Footprint& footprint) const {
  std::vector<ArenaPoint> points = {{network.arena_bytes, footprint.cycles}};
  if (!model.state().network.may_run_in_strips) return points;
  NetworkOptions options;
  options.name = model.info().name;
  options.builds = model.state().builds;
  options.layouts = layouts.source();
  const StripOrders search(model.state().network, options, device, input);
  TT_TRY(layouts.status());
  const uint64_t smallest = search.smallest_arena();
  if (smallest >= network.arena_bytes) return points;
  std::set<StripPlan> tried;
  for (const uint64_t limit : limits_between(smallest, network.arena_bytes)) {
    const auto plan = search.within(limit);
    if (!plan || !tried.insert(*plan).second) continue;
    plan->apply_to(options);
    for (const uint64_t scratch : kScratch) {
      MemoryLimits narrowed = limits;
      narrowed.arena_bytes = limit + scratch;
      const Deployment within{model, device, records, narrowed, {}, input};
      const auto other = within.within_ram(options);
      if (!other) continue;  // kernels need more than that
      TT_TRY_ASSIGN(const Footprint takes, measure(*other));
      points.push_back({other->arena_bytes, takes.cycles});
    }
  }
  return front_of(std::move(points));
}

}  // namespace tinytune
