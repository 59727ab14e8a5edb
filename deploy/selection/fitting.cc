#include "deploy/selection/fitting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/kernels/build_cache.h"
#include "codegen/networks/network_memory.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/arena_worth.h"
#include "deploy/selection/flash_limit.h"
#include "deploy/selection/kernel_choice.h"
#include "deploy/selection/kernel_options.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

/// The price that an arena without a limit minimises: 1 % more bytes have to save 0.25 % of the
/// cycles. kBesideArena: bytes of data and stack that are needed in any case.
double price_of(uint64_t arena_bytes, uint64_t cycles) {
  constexpr double kBesideArena = 512, kWorthOfBytes = 0.25;
  return static_cast<double>(cycles) *
         std::pow(static_cast<double>(arena_bytes) + kBesideArena, kWorthOfBytes);
}

/// Chooses kernels for one network, and generates it with them.
class Fitting {
 public:
  Fitting(const IntegerNetwork& executed, const Device& device, const Records& records,
          const NetworkOptions& options)
      : executed_(executed),
        device_(device),
        records_(records),
        options_(options),
        builds_(options.builds ? options.builds : std::make_shared<BuildCache>()),
        memory_(network_memory(executed, options)),
        groups_(group_by_workload(memory_)) {}

  /// Collects the options of all groups, and sets the limit of the arena.
  Status gather(const KernelLimits& asked, const FlashWaits& waits, Unmeasured unmeasured) {
    limits_ = asked;
    const uint64_t ram = device_.memory(device_.data_memory).size_bytes;
    most_arena_bytes_ = std::min(asked.arena_bytes.value_or(ram), ram);
    limits_.arena_bytes = arena_limit(memory_, device_, asked.arena_bytes,
                                      least_arena(memory_, device_, builds_->spaces()));
    TT_TRY_ASSIGN(tasks_, kernel_options(memory_, groups_, device_, *builds_, records_, limits_,
                                         waits, unmeasured));
    for (const TaskOptions& task : tasks_)
      if (task.options.empty()) return ok_status();  // nothing to choose from
    // Weights may forbid the leanest kernels of a space.
    std::vector<uint32_t> least;
    for (const TaskOptions& task : tasks_) least.push_back(task.least_scratch());
    limits_.arena_bytes = arena_limit(memory_, device_, asked.arena_bytes, arena_bytes(least));
    if (asked.arena_bytes) return ok_status();
    TT_TRY_ASSIGN(const uint64_t untuned, untuned_arena(asked, waits));
    limits_.arena_bytes = worthwhile_arena(std::max<uint64_t>(arena_bytes(least), untuned));
    return ok_status();
  }

  /// Returns arena and cycles of the kernels within the limit, and without a limit on the arena.
  std::optional<ArenaWorth> worth() const {
    const auto within = within_arena(*limits_.arena_bytes);
    const auto most = within_arena(std::numeric_limits<uint64_t>::max());
    if (!within || !most) return std::nullopt;
    return ArenaWorth{within->arena_bytes, within->cycles, most->arena_bytes, most->cycles};
  }

  Result<KernelChoice> choose(uint64_t other_flash) const {
    const ArenaOf arena_of = [this](std::span<const uint32_t> scratch) {
      return arena_bytes(scratch);
    };
    return choose_kernels(tasks_, limits_, other_flash, arena_of);
  }

  /// Finds the least flash at which choose() succeeds, by bisection; builds nothing.
  Result<KernelChoice> choose_smallest() {
    limits_.flash_bytes = std::numeric_limits<uint64_t>::max();
    TT_TRY_ASSIGN(KernelChoice best, choose(0));
    for (uint64_t too_few = 0; too_few + 1 < best.flash_bytes;) {
      limits_.flash_bytes = too_few + (best.flash_bytes - too_few) / 2;
      Result<KernelChoice> smaller = choose(0);
      if (smaller)
        best = std::move(*smaller);
      else
        too_few = *limits_.flash_bytes;
    }
    return best;
  }

  /// Returns flash and cycles of the network's kernels; nothing if one is not among the options.
  std::optional<FlashPoint> kernels_of(const GeneratedNetwork& network) const {
    std::map<int, Schedule> schedules;  // by layer
    for (const GeneratedLayer& layer : network.layers)
      if (layer.schedule) schedules[layer.index] = *layer.schedule;
    FlashPoint sum;
    for (size_t g = 0; g < groups_.size(); ++g) {
      std::vector<Schedule> used;
      for (const size_t layer : groups_[g].layers)
        used.push_back(schedules[memory_.layers[layer].index]);
      const auto is_used = [&](const Schedule& s) {
        return std::find(used.begin(), used.end(), s) != used.end();
      };
      const std::vector<KernelOption>& options = tasks_[g].options;
      const auto option = std::find_if(options.begin(), options.end(), [&](const auto& o) {
        return is_used(o.schedule) && (!o.otherwise || is_used(*o.otherwise)) &&
               std::all_of(used.begin(), used.end(),
                           [&](const Schedule& s) { return s == o.schedule || s == o.otherwise; });
      });
      if (option == options.end()) return std::nullopt;
      sum.flash_bytes += option->flash_bytes;
      sum.cycles += option->cycles;
    }
    return sum;
  }

  /// Returns the front of the options. `chosen`: the kernels of the network to compare with.
  MeasuredFront front(const FlashPoint& chosen) const {
    MeasuredFront front{{}, chosen};
    for (const TaskOptions& task : tasks_)
      if (task.options.empty()) return front;
    front.points = flash_front(tasks_, limits_, [this](std::span<const uint32_t> scratch) {
      return arena_bytes(scratch);
    });
    return front;
  }

  Result<GeneratedNetwork> generate(const KernelChoice& choice) const {
    std::map<std::string, GivenSchedule> chosen;  // by workload
    for (size_t g = 0; g < groups_.size(); ++g) {
      const bool measured = is_tuned(groups_[g].workload);
      chosen[groups_[g].workload] = {schedule_of(g, choice), measured,
                                     option_of(g, choice).otherwise};
    }
    const auto source = [&](const Workload& workload) -> std::optional<GivenSchedule> {
      const auto found = chosen.find(to_text(workload));
      return found == chosen.end() ? std::nullopt : std::optional(found->second);
    };
    NetworkOptions options = options_;
    options.decoding_arena_bytes = most_arena_bytes_;
    return generate_network(executed_, device_, source, options);
  }

 private:
  /// Returns whether the workload or its shape has records; the kernel is then the best of these
  /// and of the defaults.
  bool is_tuned(const std::string& workload) const {
    return records_.tally(workload).valid > 0 || !records_.of_shape(workload).empty();
  }

  uint32_t arena_bytes(std::span<const uint32_t> scratch) const {  // by group
    std::vector<uint32_t> by_layer(memory_.layers.size());
    for (size_t g = 0; g < groups_.size(); ++g)
      for (const size_t layer : groups_[g].layers) by_layer[layer] = scratch[g];
    return memory_.arena_bytes(by_layer);
  }

  struct Candidate {
    uint64_t arena_bytes = 0, cycles = 0;
  };

  /// Returns the arena of one layer. If two cores compute the layer, two kernels have scratch.
  static uint64_t arena_of(const TaskOptions& task, const KernelOption& option) {
    return uint64_t{task.live_bytes} + uint64_t{task.at_once} * option.scratch_bytes;
  }

  /// Returns the fastest kernels whose scratch fits beside their layers' tensors in `bytes`; gaps
  /// of the memory plan may add to the arena.
  std::optional<Candidate> within_arena(uint64_t bytes) const {
    Candidate candidate;
    std::vector<uint32_t> scratch;
    for (const TaskOptions& task : tasks_) {
      const auto fits = [&](const KernelOption& option) { return arena_of(task, option) <= bytes; };
      const auto fastest = std::find_if(task.options.begin(), task.options.end(), fits);
      if (fastest == task.options.end()) return std::nullopt;
      candidate.cycles += fastest->cycles;
      scratch.push_back(fastest->scratch_bytes);
    }
    candidate.arena_bytes = arena_bytes(scratch);
    return candidate;
  }

  /// Returns the arena that the network gets without its log, so that a log never makes it slower;
  /// 0 without records. Flash is not limited: counting it would build the untuned kernels.
  Result<uint64_t> untuned_arena(const KernelLimits& asked, const FlashWaits& waits) const {
    const auto is_known = [&](const LayerGroup& group) { return is_tuned(group.workload); };
    if (std::none_of(groups_.begin(), groups_.end(), is_known)) return 0;
    const Records none;
    Fitting untuned(executed_, device_, none, options_);
    KernelLimits limits = asked;
    limits.flash_bytes.reset();
    TT_TRY(untuned.gather(limits, waits, Unmeasured::kOffered));
    return *untuned.limits_.arena_bytes;
  }

  /// Returns the arena, within the limit, with the lowest price_of().
  uint64_t worthwhile_arena(uint64_t least) const {
    std::set<uint64_t> arenas = {least};
    for (const TaskOptions& task : tasks_)
      for (const KernelOption& option : task.options) arenas.insert(arena_of(task, option));
    uint64_t best = least;
    double best_price = std::numeric_limits<double>::infinity();
    for (const uint64_t bytes : arenas) {
      if (bytes < least) continue;
      const auto candidate = within_arena(bytes);
      if (!candidate || candidate->arena_bytes > *limits_.arena_bytes) continue;
      const double price = price_of(candidate->arena_bytes, candidate->cycles);
      if (price >= best_price) continue;
      best = candidate->arena_bytes;
      best_price = price;
    }
    return best;
  }

  const KernelOption& option_of(size_t group, const KernelChoice& choice) const {
    return tasks_[group].options[choice.chosen[group]];
  }

  // Returns the group's schedule. The first and the last strip of a layer use the kernel, and so
  // the packed weights, of the strips between, if that kernel exists for their rows and takes no
  // more scratch than the chosen one.
  Schedule schedule_of(size_t group, const KernelChoice& choice) const {
    const KernelOption& own = option_of(group, choice);
    const NetworkMemory::Layer& layer = memory_.layers[groups_[group].layers[0]];
    if (!layer.shares_constants) return own.schedule;
    for (size_t g = 0; g < groups_.size(); ++g)
      for (const size_t l : groups_[g].layers) {
        if (memory_.layers[l].index != layer.index || memory_.layers[l].shares_constants) continue;
        const Schedule& shared = option_of(g, choice).schedule;
        const Workload& workload = layer.op.workload;
        const bool exists = builds_->spaces().of(workload, device_)->find(shared).has_value();
        return exists && scratch_bytes_of(workload, shared) <= own.scratch_bytes ? shared
                                                                                 : own.schedule;
      }
    return own.schedule;
  }

  const IntegerNetwork& executed_;
  const Device& device_;
  const Records& records_;
  const NetworkOptions& options_;
  const std::shared_ptr<BuildCache> builds_;
  const NetworkMemory memory_;
  const std::vector<LayerGroup> groups_;
  KernelLimits limits_;
  uint64_t most_arena_bytes_ = 0;   // the arena limit of the user, or all RAM
  std::vector<TaskOptions> tasks_;  // one per group
};

/// Returns the flash of the linked library; nothing without a compiler. Estimated if the library
/// overflows its region and so cannot be linked.
Result<std::optional<uint64_t>> linked_flash(const GeneratedNetwork& network,
                                             const Device& device) {
  const auto built = build_library(network, device);
  if (built) return std::optional<uint64_t>(built->footprint.flash_bytes);
  if (built.error().code() == ErrorCode::kNotFound) return std::optional<uint64_t>();
  if (!may_overflow(network, device)) return built.error();
  const uint64_t room = device.memory(device.rodata_memory).size_bytes;
  return std::optional<uint64_t>(std::max(network.constant_bytes, room) +
                                 4 * network.assembly_lines);
}

}  // namespace

bool may_overflow(const GeneratedNetwork& network, const Device& device) {
  constexpr uint64_t kOtherCode = 64 * 1024;  // more than in any network seen
  return network.constant_bytes + 4 * network.assembly_lines + kOtherCode >
         device.memory(device.rodata_memory).size_bytes;
}

Result<GeneratedNetwork> generate_within(const IntegerNetwork& executed, const Device& device,
                                         const Records& records, const KernelLimits& limits,
                                         const NetworkOptions& options, const FlashWaits& waits,
                                         const PlaceParts& place_parts) {
  Fitting fitting(executed, device, records, options);
  TT_TRY(fitting.gather(limits, waits, Unmeasured::kOffered));
  // A network that overflows flash cannot run and so cannot be placed; its flash is estimated.
  const auto flash_of = [&](const GeneratedNetwork& network) {
    if (place_parts)
      if (const auto placed = place_parts(network)) return linked_flash(*placed, device);
    return linked_flash(network, device);
  };
  if (!limits.flash_bytes) {
    TT_TRY_ASSIGN(const KernelChoice fastest, fitting.choose(0));
    return fitting.generate(fastest);
  }
  const FlashChoices choices{
      .fastest = [&](uint64_t other_flash) { return fitting.choose(other_flash); },
      .smallest = [&] { return fitting.choose_smallest(); },
      .link = [&](const KernelChoice& choice) -> Result<LinkedChoice> {
        TT_TRY_ASSIGN(GeneratedNetwork network, fitting.generate(choice));
        TT_TRY_ASSIGN(const auto flash, flash_of(network));
        return LinkedChoice{choice, std::move(network), flash};
      }};
  return fastest_within_flash(choices, *limits.flash_bytes);
}

Result<GeneratedNetwork> generate_smallest(const IntegerNetwork& executed, const Device& device,
                                           const Records& records, const KernelLimits& limits,
                                           const NetworkOptions& options) {
  KernelLimits counted = limits;
  counted.flash_bytes = std::numeric_limits<uint64_t>::max();
  Fitting fitting(executed, device, records, options);
  TT_TRY(fitting.gather(counted, {}, Unmeasured::kOffered));
  TT_TRY_ASSIGN(const KernelChoice choice, fitting.choose_smallest());
  return fitting.generate(choice);
}

Result<std::optional<ArenaWorth>> arena_worth(const IntegerNetwork& executed, const Device& device,
                                              const Records& records, uint64_t arena_bytes,
                                              const NetworkOptions& options) {
  Fitting fitting(executed, device, records, options);
  TT_TRY(fitting.gather({.arena_bytes = arena_bytes}, {}, Unmeasured::kOffered));
  return fitting.worth();
}

Result<uint64_t> arena_within(const IntegerNetwork& executed, const Device& device,
                              const Records& records, const KernelLimits& limits,
                              const NetworkOptions& options) {
  KernelLimits arena_alone;
  arena_alone.arena_bytes = limits.arena_bytes;
  arena_alone.arena_says = limits.arena_says;
  Fitting fitting(executed, device, records, options);
  TT_TRY(fitting.gather(arena_alone, {}, Unmeasured::kOffered));
  TT_TRY_ASSIGN(const KernelChoice choice, fitting.choose(0));
  return uint64_t{choice.arena_bytes};
}

Result<MeasuredFront> measured_front(const IntegerNetwork& executed, const Device& device,
                                     const Records& records, const KernelLimits& limits,
                                     const NetworkOptions& options,
                                     const GeneratedNetwork& network) {
  KernelLimits counted = limits;
  counted.flash_bytes = std::numeric_limits<uint64_t>::max();
  if (!counted.arena_bytes) counted.arena_bytes = network.arena_bytes;
  Fitting fitting(executed, device, records, options);
  // The network may have kernels that were counted but not measured, so these are offered first.
  TT_TRY(fitting.gather(counted, {}, Unmeasured::kOffered));
  const auto chosen = fitting.kernels_of(network);
  if (!chosen) return MeasuredFront();
  TT_TRY(fitting.gather(counted, {}, Unmeasured::kLeftOut));
  return fitting.front(*chosen);
}

}  // namespace tinytune
