#include "tuner/filter_by_arena.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "codegen/networks/network_memory.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

bool permitted(const Schedule& schedule, const Task& task) {
  const auto owner = find_template(schedule);
  return owner && (*owner)->pack(task.workload, task.data, schedule) &&
         permitted_by_others(task, schedule);
}

/// Returns the new default, by the rule of networks (deploy/selection/kernel_options.cc): a
/// schedule of the default's template with less scratch comes before the next template.
Schedule start_within(const ConfigSpace& kept, const Task& task, const Schedule& by_default,
                      const Device& device, uint64_t room) {
  const auto same = [&](const Schedule& s) {
    return s.template_name() == by_default.template_name();
  };
  const auto usual = permitted_default_of(task.workload, task.data, device, [&](const Schedule& s) {
    return kept.find(s).has_value() && permitted_by_others(task, s);
  });
  if (usual && same(usual->schedule)) return usual->schedule;
  for (const Schedule& lean : nearest_within(kept.filtered(same), task.workload, by_default, room))
    if (permitted(lean, task)) return lean;
  return usual ? usual->schedule : nearest_within(kept, task.workload, by_default, room).front();
}

}  // namespace

Status filter_by_arena(const NetworkMemory& memory, const Device& device,
                       const ArenaAllowance& arena, std::vector<TuningTask>& tasks,
                       Records& records) {
  // A layer's NCHW tensors have the same sizes as its NHWC ones.
  const auto key_of = [](int layer, Workload workload) {
    workload.layout = Layout::kNhwc;
    return std::pair(layer, to_text(workload));
  };
  std::map<std::pair<int, std::string>, uint32_t> live_bytes;
  for (const NetworkMemory::Layer& layer : memory.layers) {
    uint32_t& bytes = live_bytes[key_of(layer.index, layer.op.workload)];
    bytes = std::max(bytes, layer.live_bytes);
  }
  const uint64_t arena_bytes = arena.bytes.value();
  std::set<std::pair<std::string, std::string>> dropped;
  for (TuningTask& task : tasks) {
    uint64_t live = 0;
    for (const int layer : task.task->layers)
      live = std::max<uint64_t>(live, live_bytes[key_of(layer, task.task->workload)]);
    const Workload& workload = task.task->workload;
    const ConfigSpace all = std::move(task.space);
    const Schedule by_default = all.schedule(task.default_point);
    const auto fits = [&](const Schedule& schedule) {
      return live + scratch_bytes_of(workload, schedule) <= arena_bytes;
    };
    ConfigSpace kept = all.filtered(fits);
    if (kept.size() == 0) {
      const Schedule lean = nearest_within(all, workload, by_default, 0).front();
      return Error(ErrorCode::kFailed,
                   "task " + std::to_string(task.index) + " (" + task.task->name + ") takes " +
                       std::to_string(live + scratch_bytes_of(workload, by_default)) +
                       " bytes of arena, " + arena.says + "; the smallest achievable is " +
                       std::to_string(live + scratch_bytes_of(workload, lean)));
    }
    const Schedule start = start_within(kept, *task.task, by_default, device, arena_bytes - live);
    task.default_point = *kept.find(start);
    for (const Measurement* m : records.of(task.workload)) {
      const auto schedule = parse_schedule(m->schedule);
      if (schedule && all.find(*schedule) && !kept.find(*schedule))
        dropped.emplace(m->workload, m->schedule);
    }
    task.space = std::move(kept);
  }
  Records within;
  for (const Measurement& m : records.all())
    if (!dropped.contains({m.workload, m.schedule})) within.add(m);
  records = std::move(within);
  return ok_status();
}

}  // namespace tinytune
