#include "tuner/fitting.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"
#include "codegen/kernel.h"
#include "codegen/network_memory.h"
#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tuner/kernel_choice.h"
#include "tuner/network_simulation.h"

namespace tinytune {
namespace {

/// Layers of one workload.
struct Group {
  std::string workload;
  std::vector<size_t> layers;  // of NetworkMemory
};

std::vector<Group> group_by_workload(const NetworkMemory& memory) {
  std::vector<Group> groups;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < memory.layers.size(); ++i) {
    const std::string text = to_text(memory.layers[i].op.workload);
    const auto [at, is_new] = known.try_emplace(text, groups.size());
    if (is_new) groups.push_back({text, {}});
    groups[at->second].layers.push_back(i);
  }
  return groups;
}

class Options {
 public:
  Options(const NetworkMemory& memory, const Device& device, const Records& records,
          const MemoryLimits& limits)
      : memory_(memory), device_(device), records_(records), limits_(limits) {}

  Result<TaskOptions> of(const Group& group) const {
    const Workload& workload = memory_.layers[group.layers[0]].op.workload;
    TaskOptions task;
    for (const size_t layer : group.layers)
      task.live_bytes = std::max(task.live_bytes, memory_.layers[layer].live_bytes);
    std::vector<const Measurement*> measured;
    for (const Measurement* m : records_.of(group.workload))
      if (m->outcome == Outcome::kOk) measured.push_back(m);
    std::stable_sort(measured.begin(), measured.end(),
                     [](const Measurement* a, const Measurement* b) {
                       return *a->median_cycles() < *b->median_cycles();
                     });
    uint64_t slowest = 1;
    for (const Measurement* m : measured) {
      const Result<Schedule> schedule = parse_schedule(m->schedule);
      if (!schedule) continue;
      slowest = *m->median_cycles();
      TT_TRY(offer(task, group, *schedule, slowest, m->code_bytes));
    }
    // Unmeasured ones are for when nothing measured fits: their cycles only order them.
    const std::vector<Schedule> defaults = default_schedules_of(workload, device_);
    if (defaults.empty()) return default_schedule_of(workload, device_).error();
    uint64_t guess = slowest;
    for (const Schedule& schedule : defaults)
      TT_TRY(offer(task, group, schedule, guess += slowest, std::nullopt));
    const ConfigSpace space = space_of(workload, device_);
    const uint64_t room =
        *limits_.ram_bytes - std::min<uint64_t>(*limits_.ram_bytes, task.live_bytes);
    for (const uint64_t scratch : {room, uint64_t{0}})
      TT_TRY(offer_one(task, group, nearest_within(space, workload, defaults.front(), scratch),
                       guess += slowest));
    return task;
  }

 private:
  // The first that the weights permit.
  Status offer_one(TaskOptions& task, const Group& group, const std::vector<Schedule>& schedules,
                   uint64_t cycles) const {
    for (const Schedule& schedule : schedules) {
      const size_t before = task.options.size();
      TT_TRY(offer(task, group, schedule, cycles, std::nullopt));
      if (task.options.size() > before) break;
    }
    return ok_status();
  }

  // Kept if every layer's weights permit it and no faster one needs as little memory.
  Status offer(TaskOptions& task, const Group& group, const Schedule& schedule, uint64_t cycles,
               std::optional<uint64_t> code_bytes) const {
    const Workload& workload = memory_.layers[group.layers[0]].op.workload;
    KernelOption option{schedule, cycles * group.layers.size(), 0, 0};
    const auto owner = find_template(schedule);
    if (!owner || !(*owner)->supports(workload, device_) ||
        !(*owner)->space(workload, device_).find(schedule))
      return ok_status();
    option.scratch_bytes = scratch_bytes_of(workload, schedule);
    if (!limits_.flash_bytes && is_worse(task, option)) return ok_status();
    for (const size_t layer : group.layers) {
      const auto packed = (*owner)->pack(workload, memory_.layers[layer].op.data, schedule);
      if (!packed) return ok_status();
      for (const PackedConstant& constant : *packed) option.flash_bytes += constant.bytes.size();
    }
    if (limits_.flash_bytes) {
      if (!code_bytes) {
        TT_TRY_ASSIGN(const CompiledKernel kernel,
                      compile_kernel(workload, schedule, device_, "kernel", Emit::kObject));
        TT_TRY_ASSIGN(const Image image, link_image({&kernel.object, 1}, device_, "kernel"));
        code_bytes = image.code_bytes;
      }
      option.flash_bytes += *code_bytes;
      if (is_worse(task, option)) return ok_status();
    }
    // Of equal cycles, those with less memory.
    std::erase_if(task.options, [&](const KernelOption& other) {
      return option.cycles <= other.cycles && option.scratch_bytes <= other.scratch_bytes &&
             (!limits_.flash_bytes || option.flash_bytes <= other.flash_bytes);
    });
    task.options.push_back(std::move(option));
    return ok_status();
  }

  bool is_worse(const TaskOptions& task, const KernelOption& option) const {
    return std::any_of(task.options.begin(), task.options.end(), [&](const KernelOption& other) {
      return other.scratch_bytes <= option.scratch_bytes &&
             (!limits_.flash_bytes || other.flash_bytes <= option.flash_bytes);
    });
  }

  const NetworkMemory& memory_;
  const Device& device_;
  const Records& records_;
  const MemoryLimits& limits_;
};

uint32_t least_scratch(const ConfigSpace& space, const Workload& workload) {
  uint32_t least = space.size() == 0 ? 0 : std::numeric_limits<uint32_t>::max();
  for (size_t point = 0; point < space.size() && least > 0; ++point)
    least = std::min(least, scratch_bytes_of(workload, space.schedule(point)));
  return least;
}

/// `least`: what the leanest kernels need. Whether the device has that much is not asked here.
uint64_t limit_of(const NetworkMemory& memory, const Device& device, std::optional<uint64_t> asked,
                  uint64_t least) {
  const uint64_t device_has = device.memory(device.data_memory).size_bytes;
  if (asked) return std::min(*asked, std::max(device_has, least));
  const uint64_t near_bound = uint64_t{memory.lower_bound} + memory.lower_bound / 20;
  return std::max(least, std::min(near_bound, device_has));
}

/// Nothing without a compiler.
Result<std::optional<uint64_t>> linked_flash(const GeneratedNetwork& network,
                                             const Device& device) {
  const auto elf = build_library(network, device);
  if (!elf && elf.error().code() == ErrorCode::kNotFound) return std::optional<uint64_t>();
  if (!elf) return elf.error();
  TT_TRY_ASSIGN(Simulator simulator, Simulator::create(device));
  TT_TRY_ASSIGN(const ElfInfo info, simulator.load(*elf));
  return std::optional<uint64_t>(info.code_bytes + info.data_bytes);
}

}  // namespace

uint32_t scratch_bytes_of(const Workload& workload, const Schedule& schedule) {
  const auto owner = find_template(schedule);
  TT_CHECK(owner.has_value(), "a schedule of this build's templates");
  return static_cast<uint32_t>((*owner)->scratch_bytes(workload, schedule));
}

std::vector<Schedule> nearest_within(const ConfigSpace& space, const Workload& workload,
                                     const Schedule& schedule, uint64_t scratch) {
  constexpr size_t kMost = 16;  // weights may forbid some
  struct Candidate {
    uint64_t excess, bytes;
    size_t different, point;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> ranked;
  for (size_t point = 0; point < space.size(); ++point) {
    const Schedule other = space.schedule(point);
    size_t different = other.template_name() == schedule.template_name() ? 0 : other.knobs().size();
    for (const auto& [knob, value] : other.knobs())
      different += schedule.has(knob) && schedule.get(knob) == value ? 0 : 1;
    const uint64_t bytes = scratch_bytes_of(workload, other);
    const uint64_t excess = bytes > scratch ? bytes - scratch : 0;
    ranked.push_back({excess, excess > 0 ? bytes : 0, different, point});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<Schedule> schedules;
  for (size_t i = 0; i < std::min(kMost, ranked.size()); ++i)
    schedules.push_back(space.schedule(ranked[i].point));
  return schedules;
}

uint64_t ram_limit(const IntegerNetwork& network, const Device& device,
                   const NetworkOptions& options, std::optional<uint64_t> asked) {
  const NetworkMemory memory = network_memory(network, options);
  std::vector<uint32_t> least;
  std::map<std::string, uint32_t> known;  // by workload
  for (const NetworkMemory::Layer& layer : memory.layers) {
    const Workload& workload = layer.op.workload;
    const auto [at, is_new] = known.try_emplace(to_text(workload), 0);
    if (is_new) at->second = least_scratch(space_of(workload, device), workload);
    least.push_back(at->second);
  }
  return limit_of(memory, device, asked, memory.arena_bytes(least));
}

Status keep_fitting(const IntegerNetwork& network, const Device& device, uint64_t ram_bytes,
                    std::vector<TuningTask>& tasks, Records& records) {
  // Around a layer, NCHW tensors have the bytes of NHWC ones.
  const NetworkMemory memory = network_memory(network, {"network"});
  std::map<int, uint32_t> live_bytes;
  for (const NetworkMemory::Layer& layer : memory.layers)
    live_bytes[layer.index] = layer.live_bytes;
  std::set<std::pair<std::string, std::string>> dropped;
  for (TuningTask& task : tasks) {
    uint64_t live = 0;
    for (const int layer : task.task->layers) live = std::max<uint64_t>(live, live_bytes[layer]);
    const Workload& workload = task.task->workload;
    const ConfigSpace all = std::move(task.space);
    const Schedule by_default = all.schedule(task.default_point);
    const auto fits = [&](const Schedule& schedule) {
      return live + scratch_bytes_of(workload, schedule) <= ram_bytes;
    };
    ConfigSpace kept;
    for (size_t f = 0; f < all.family_count(); ++f)
      kept.add(all.family(f), [&](const Schedule& s) { return all.find(s) && fits(s); });
    if (kept.size() == 0) {
      const Schedule lean = nearest_within(all, workload, by_default, 0).front();
      return Error(ErrorCode::kFailed,
                   "task " + std::to_string(task.index) + " (" + task.task->name + ") takes " +
                       std::to_string(live + scratch_bytes_of(workload, by_default)) +
                       " bytes of arena, --ram allows " + std::to_string(ram_bytes) +
                       "; the smallest achievable is " +
                       std::to_string(live + scratch_bytes_of(workload, lean)));
    }
    Schedule start = nearest_within(kept, workload, by_default, ram_bytes - live)[0];
    for (const Schedule& usual : default_schedules_of(workload, device))
      if (kept.find(usual)) {
        start = usual;
        break;
      }
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

Result<GeneratedNetwork> generate_within(const IntegerNetwork& executed, const Device& device,
                                         const Records& records, const MemoryLimits& asked,
                                         const NetworkOptions& options) {
  MemoryLimits limits = asked;
  limits.ram_bytes = ram_limit(executed, device, options, asked.ram_bytes);
  const NetworkMemory memory = network_memory(executed, options);
  const std::vector<Group> groups = group_by_workload(memory);
  const Options options_of(memory, device, records, limits);
  std::vector<TaskOptions> tasks;
  for (const Group& group : groups) {
    TT_TRY_ASSIGN(TaskOptions task, options_of.of(group));
    tasks.push_back(std::move(task));
  }
  const ArenaOf arena_of = [&](std::span<const uint32_t> scratch) {
    std::vector<uint32_t> by_layer(memory.layers.size());
    for (size_t g = 0; g < groups.size(); ++g)
      for (const size_t layer : groups[g].layers) by_layer[layer] = scratch[g];
    return memory.arena_bytes(by_layer);
  };
  // Weights may forbid the leanest kernels of a space.
  std::vector<uint32_t> least;
  for (const TaskOptions& task : tasks) least.push_back(task.least_scratch());
  limits.ram_bytes = limit_of(memory, device, asked.ram_bytes, arena_of(least));
  // What the library needs besides its kernels is known once one is linked.
  constexpr int kRounds = 4;
  uint64_t other_flash = 0;
  for (int round = 0;; ++round) {
    TT_TRY_ASSIGN(const KernelChoice choice, choose_kernels(tasks, limits, other_flash, arena_of));
    std::map<std::string, Schedule> chosen;
    std::set<int> measured;  // layers
    for (size_t g = 0; g < groups.size(); ++g) {
      const Schedule& schedule = tasks[g].options[choice.chosen[g]].schedule;
      chosen[groups[g].workload] = schedule;
      if (records.find(groups[g].workload, to_text(schedule)) == nullptr) continue;
      for (const size_t layer : groups[g].layers) measured.insert(memory.layers[layer].index);
    }
    const auto source = [&](const Workload& workload) -> std::optional<Schedule> {
      const std::string text = to_text(workload);
      const auto found = chosen.find(text);
      if (found == chosen.end()) return std::nullopt;
      return found->second;
    };
    TT_TRY_ASSIGN(GeneratedNetwork network, generate_network(executed, device, source, options));
    for (GeneratedLayer& layer : network.layers) layer.tuned = measured.contains(layer.index);
    if (!limits.flash_bytes) return network;
    TT_TRY_ASSIGN(const auto linked, linked_flash(network, device));
    if (!linked || *linked <= *limits.flash_bytes) return network;
    if (round == kRounds) {
      return Error(ErrorCode::kFailed, "the library takes " + std::to_string(*linked) +
                                           " bytes, --flash allows " +
                                           std::to_string(*limits.flash_bytes));
    }
    other_flash += *linked - choice.flash_bytes;
  }
}

}  // namespace tinytune
