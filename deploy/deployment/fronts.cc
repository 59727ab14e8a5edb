#include "deploy/deployment/fronts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "deploy/deployment/kernel_moves.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/fitting.h"
#include "deploy/strip_plan/orders.h"

namespace tinytune {
namespace {

constexpr int kLimits = 8;

/// Scratch beside the tensors, in bytes: of the leanest fast kernels, and enough for most.
constexpr uint64_t kScratch[] = {768, 3072};

std::vector<uint64_t> limits_between(uint64_t smallest, uint64_t largest) {
  std::vector<uint64_t> limits;
  const double ratio = static_cast<double>(smallest) / static_cast<double>(largest);
  for (int i = 1; i <= kLimits; ++i)
    limits.push_back(static_cast<uint64_t>(
        std::ceil(static_cast<double>(largest) * std::pow(ratio, double{1} * i / kLimits))));
  return limits;
}

/// Returns the Pareto front, by increasing cycles.
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

// Records give flash and cycles of the kernels; the rest of the network is the same for all points.
Result<std::vector<FlashPoint>> flash_front(const Deployment& deployment, LayoutChoice& layouts,
                                            const GeneratedNetwork& network,
                                            const Footprint& footprint) {
  constexpr uint64_t kMost = 16;
  const KernelLimits allowed{.arena_bytes = arena_allowance(deployment.limits).bytes};
  TT_TRY_ASSIGN(const MeasuredFront front,
                measured_front(deployment.model.state().network, deployment.device,
                               deployment.records, allowed, deployment.options(layouts), network));
  TT_TRY(layouts.status());
  std::vector<FlashPoint> told;
  if (front.points.empty()) return told;
  told.push_back({footprint.flash_bytes, footprint.cycles});
  const uint64_t kernels = front.chosen.flash_bytes, least = front.points.front().flash_bytes;
  for (size_t i = front.points.size(); i-- > 0;) {
    const FlashPoint& point = front.points[i];
    if (point.flash_bytes >= kernels || point.cycles < front.chosen.cycles) continue;
    const uint64_t saved = kernels - point.flash_bytes;
    if (saved < told.size() * (kernels - least) / (kMost - 1) && i > 0) continue;
    told.push_back({footprint.flash_bytes - std::min(saved, footprint.flash_bytes),
                    footprint.cycles + point.cycles - front.chosen.cycles});
  }
  return told;
}

// Limits shrink by a constant factor from the given network's arena to the smallest that strips
// reach. At each limit the groups of fewest cycles are generated, with some room for the kernels'
// scratch. Every point was generated and run.
Result<std::vector<ArenaPoint>> arena_front(const Deployment& deployment, LayoutChoice& layouts,
                                            const GeneratedNetwork& network,
                                            const Footprint& footprint) {
  const Model& model = deployment.model;
  std::vector<ArenaPoint> points = {{network.arena_bytes, footprint.cycles}};
  if (!model.state().network.may_run_in_strips) return points;
  NetworkOptions options = deployment.options(layouts);
  const StripOrders search(model.state().network, options, deployment.device, deployment.input);
  TT_TRY(layouts.status());
  const uint64_t smallest = search.smallest_arena();
  if (smallest >= network.arena_bytes) return points;
  const MessageSink silent;
  std::set<StripPlan> tried;
  for (const uint64_t limit : limits_between(smallest, network.arena_bytes)) {
    const auto plan = search.within(limit);
    if (!plan || !tried.insert(*plan).second) continue;
    plan->apply_to(options);
    for (const uint64_t scratch : kScratch) {
      MemoryLimits narrowed = deployment.limits;
      narrowed.arena_bytes = limit + scratch;
      const Deployment within{model,  deployment.device, deployment.records, narrowed,
                              silent, deployment.input};
      auto other = fastest_kernels(within, options);
      if (!other) continue;  // kernels need more scratch
      TT_TRY(run_once(within, *other));
      points.push_back({other->network.arena_bytes, other->ran->footprint.cycles});
    }
  }
  return front_of(std::move(points));
}

}  // namespace tinytune
