#include "deploy/kernel_options.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "codegen/kernels/kernel.h"
#include "deploy/lean_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

/// The options of one group, the fastest first.
class Gatherer {
 public:
  Gatherer(const NetworkMemory& memory, const LayerGroup& group, const Device& device,
           KnownSpaces& spaces, const Records& records, const KernelLimits& limits,
           const FlashWaits& waits)
      : memory_(memory),
        group_(group),
        device_(device),
        spaces_(spaces),
        records_(records),
        limits_(limits),
        waits_(waits),
        workload_(memory.layers[group.layers[0]].op.workload) {
    for (const size_t layer : group.layers)
      calls_ += static_cast<uint64_t>(memory.layers[layer].calls);
  }

  Result<TaskOptions> gather(Unmeasured unmeasured) {
    for (const size_t layer : group_.layers)
      task_.live_bytes = std::max(task_.live_bytes, memory_.layers[layer].live_bytes);
    TT_TRY(offer_measured());
    if (unmeasured == Unmeasured::kOffered) TT_TRY(offer_unmeasured());
    return std::move(task_);
  }

 private:
  Status offer_measured() {
    TT_TRY(offer_records_of(group_.workload, 1));
    // A strip that was never measured is taken to be as fast as its share of the whole layer.
    const auto& whole = memory_.layers[group_.layers[0]].strip_of;
    if (!whole || !task_.options.empty()) return ok_status();
    return offer_records_of(to_text(*whole), static_cast<double>(workload_.macs()) /
                                                 static_cast<double>(whole->macs()));
  }

  Status offer_records_of(const std::string& workload, double share) {
    std::vector<const Measurement*> measured;
    for (const Measurement* m : records_.of(workload))
      if (m->outcome == Outcome::kOk) measured.push_back(m);
    std::stable_sort(measured.begin(), measured.end(),
                     [](const Measurement* a, const Measurement* b) {
                       return *a->median_cycles() < *b->median_cycles();
                     });
    for (const Measurement* m : measured) {
      const Result<Schedule> schedule = parse_schedule(m->schedule);
      if (!schedule) continue;
      slowest_ = static_cast<uint64_t>(static_cast<double>(*m->median_cycles()) * share) + 1;
      if (share == 1) slowest_ = *m->median_cycles();
      TT_TRY(offer(*schedule, slowest_, m->code.code_bytes));
    }
    return ok_status();
  }

  /// Their cycles are not known, and only order them.
  Status offer_unmeasured() {
    const std::vector<Schedule> defaults = default_schedules_of(workload_, device_);
    if (defaults.empty()) return default_schedule_of(workload_, device_).error();
    // Defaults come in the order of their speed, and large layers gain most by an earlier one.
    const uint64_t step = std::max(slowest_, static_cast<uint64_t>(workload_.macs()));
    uint64_t guess = slowest_;
    const auto others = std::find_if(defaults.begin(), defaults.end(), [&](const Schedule& s) {
      return s.template_name() != defaults.front().template_name();
    });
    for (auto schedule = defaults.begin(); schedule != defaults.end(); ++schedule) {
      TT_TRY(offer(*schedule, guess += step, std::nullopt));
      // With less scratch, the fastest template comes before the next.
      if (schedule + 1 == others) TT_TRY(offer_within_room(defaults.front(), guess += step));
    }
    for (const Schedule& schedule : std::span(defaults).subspan(1))
      TT_TRY(offer_within_room(schedule, guess += step));
    const auto all = spaces_.of(workload_, device_);
    return offer_one(nearest_within(*all, workload_, defaults.front(), 0), guess += step);
  }

  /// What is nearest to a default, of its template, in the room that live tensors leave.
  Status offer_within_room(const Schedule& usual, uint64_t cycles) {
    const uint64_t arena = *limits_.arena_bytes;
    const uint64_t room = arena - std::min<uint64_t>(arena, task_.live_bytes);
    if (scratch_bytes_of(workload_, usual) <= room) return ok_status();
    TT_TRY_ASSIGN(const KernelTemplate* owner, find_template(usual));
    const auto space = spaces_.of(*owner, workload_, device_);
    if (least_scratch_in(*space, workload_) > room) return ok_status();
    return offer_one(nearest_within(*space, workload_, usual, room), cycles);
  }

  /// The first that the weights permit.
  Status offer_one(const std::vector<Schedule>& schedules, uint64_t cycles) {
    for (const Schedule& schedule : schedules) {
      const size_t before = task_.options.size();
      TT_TRY(offer(schedule, cycles, std::nullopt));
      if (task_.options.size() > before) break;
    }
    return ok_status();
  }

  /// Kept if every layer's weights permit it and no faster one needs as little memory.
  Status offer(const Schedule& schedule, uint64_t cycles, std::optional<uint64_t> code_bytes) {
    KernelOption option{schedule, cycles * calls_, 0, 0};
    const auto owner = find_template(schedule);
    if (!owner || !(*owner)->supports(workload_, device_) ||
        !spaces_.of(**owner, workload_, device_)->find(schedule))
      return ok_status();
    option.scratch_bytes = scratch_bytes_of(workload_, schedule);
    if (!counts_bytes() && is_beaten(option)) return ok_status();
    if (!add_constants(**owner, option)) return ok_status();
    option.flash_bytes = option.constant_bytes;
    if (limits_.flash_bytes) {
      if (!code_bytes) {
        TT_TRY_ASSIGN(code_bytes, code_bytes_of(schedule));
      }
      option.flash_bytes += *code_bytes;
    }
    if (counts_bytes() && is_beaten(option)) return ok_status();
    keep(std::move(option));
    return ok_status();
  }

  bool counts_bytes() const { return limits_.flash_bytes || limits_.copies_bytes; }

  /// Of all layers; false where the weights of one do not permit the schedule.
  bool add_constants(const KernelTemplate& owner, KernelOption& option) const {
    double waits = 0;
    for (const size_t layer : group_.layers) {
      const auto packed = owner.pack(workload_, memory_.layers[layer].op.data, option.schedule);
      if (!packed) return false;
      uint64_t bytes = 0;
      for (const PackedConstant& constant : *packed) bytes += constant.bytes.size();
      if (!memory_.layers[layer].shares_constants) option.constant_bytes += bytes;
      option.largest_constant_bytes = std::max(option.largest_constant_bytes, bytes);
      const auto wait = waits_.find(memory_.layers[layer].index);
      if (wait != waits_.end()) waits += wait->second * static_cast<double>(bytes);
    }
    option.wait_cycles = static_cast<uint64_t>(waits);
    return true;
  }

  Result<uint64_t> code_bytes_of(const Schedule& schedule) const {
    TT_TRY_ASSIGN(const CompiledKernel kernel,
                  compile_kernel(workload_, schedule, device_, "kernel", Emit::kObject));
    TT_TRY_ASSIGN(const Image image, link_image({&kernel.object, 1}, device_, "kernel"));
    return image.code_bytes;
  }

  bool is_beaten(const KernelOption& option) const {
    return std::any_of(task_.options.begin(), task_.options.end(), [&](const KernelOption& other) {
      return other.scratch_bytes <= option.scratch_bytes &&
             (!counts_bytes() || (other.flash_bytes <= option.flash_bytes &&
                                  other.constant_bytes <= option.constant_bytes));
    });
  }

  /// Of equal cycles, those with less memory.
  void keep(KernelOption option) {
    std::erase_if(task_.options, [&](const KernelOption& other) {
      return option.cycles <= other.cycles && option.scratch_bytes <= other.scratch_bytes &&
             (!counts_bytes() || (option.flash_bytes <= other.flash_bytes &&
                                  option.constant_bytes <= other.constant_bytes));
    });
    task_.options.push_back(std::move(option));
  }

  const NetworkMemory& memory_;
  const LayerGroup& group_;
  const Device& device_;
  KnownSpaces& spaces_;
  const Records& records_;
  const KernelLimits& limits_;
  const FlashWaits& waits_;
  const Workload& workload_;
  TaskOptions task_;
  uint64_t calls_ = 0;    ///< of the kernel, an inference
  uint64_t slowest_ = 1;  ///< cycles of the slowest measured
};

}  // namespace

std::vector<LayerGroup> group_by_workload(const NetworkMemory& memory) {
  std::vector<LayerGroup> groups;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < memory.layers.size(); ++i) {
    const std::string text = to_text(memory.layers[i].op.workload);
    const auto [at, is_new] = known.try_emplace(text, groups.size());
    if (is_new) groups.push_back({text, {}});
    groups[at->second].layers.push_back(i);
  }
  return groups;
}

Result<std::vector<TaskOptions>> kernel_options(const NetworkMemory& memory,
                                                const std::vector<LayerGroup>& groups,
                                                const Device& device, KnownSpaces& spaces,
                                                const Records& records, const KernelLimits& limits,
                                                const FlashWaits& waits, Unmeasured unmeasured) {
  std::vector<TaskOptions> tasks;
  for (const LayerGroup& group : groups) {
    TT_TRY_ASSIGN(
        TaskOptions task,
        Gatherer(memory, group, device, spaces, records, limits, waits).gather(unmeasured));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace tinytune
