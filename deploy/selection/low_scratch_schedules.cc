#include "deploy/selection/low_scratch_schedules.h"

#include <algorithm>
#include <compare>
#include <limits>

#include "base/check.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

/// Returns the number of knobs of `a` that differ in `b`; more if the templates differ.
size_t differences(const Schedule& a, const Schedule& b) {
  size_t different = a.template_name() == b.template_name() ? 0 : a.knobs().size();
  for (const auto& [knob, value] : a.knobs())
    different += b.has(knob) && b.get(knob) == value ? 0 : 1;
  return different;
}

}  // namespace

uint32_t scratch_bytes_of(const Workload& workload, const Schedule& schedule) {
  const auto owner = find_template(schedule);
  TT_CHECK(owner.has_value(), "a schedule of this build's templates");
  return static_cast<uint32_t>((*owner)->scratch_bytes(workload, schedule));
}

uint32_t least_scratch_in(const ConfigSpace& space, const Workload& workload) {
  uint32_t least = space.size() == 0 ? 0 : std::numeric_limits<uint32_t>::max();
  for (size_t point = 0; point < space.size() && least > 0; ++point)
    least = std::min(least, scratch_bytes_of(workload, space.schedule(point)));
  return least;
}

std::vector<Schedule> nearest_within(const ConfigSpace& space, const Workload& workload,
                                     const Schedule& schedule, uint64_t scratch) {
  constexpr size_t kMost = 16;  // weights may forbid some
  struct Candidate {
    uint64_t excess, bytes;
    size_t different;
    uint64_t unused;
    size_t point;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> ranked;
  for (size_t point = 0; point < space.size(); ++point) {
    const Schedule other = space.schedule(point);
    const uint64_t bytes = scratch_bytes_of(workload, other);
    const uint64_t excess = bytes > scratch ? bytes - scratch : 0;
    ranked.push_back({excess, excess > 0 ? bytes : 0, differences(other, schedule),
                      excess > 0 ? 0 : scratch - bytes, point});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<Schedule> schedules;
  for (size_t i = 0; i < std::min(kMost, ranked.size()); ++i)
    schedules.push_back(space.schedule(ranked[i].point));
  return schedules;
}

}  // namespace tinytune
