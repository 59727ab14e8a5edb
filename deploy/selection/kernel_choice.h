// Chooses the fastest kernels that fit: one schedule per task, under limits on arena, flash and
// copies.
//
// Scratch lives only while its kernel runs, so a limit on the arena limits each layer separately,
// apart from gaps in the memory plan: without gaps, the fastest schedule within each layer's room
// is optimal. Flash and fast memory add up over tasks, which makes a knapsack problem over (flash,
// copies, cycles): each task gets a schedule (strips of one layer together), and its constants a
// place. A greedy pass, which repeatedly saves bytes at the fewest cycles per byte, finds whether
// anything fits flash; dynamic programming then finds the fastest choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Limits of the choice.
struct KernelLimits {
  std::optional<uint64_t> arena_bytes = {};
  std::optional<uint64_t> flash_bytes = {};
  std::optional<uint64_t> fast_ram_bytes = {};  ///< for copies of constants; the others wait
  std::optional<uint64_t> largest_copy_bytes =
      {};                       ///< for one layer's copy: the largest room in one memory
  MemoryLimits memory = {};     ///< limits of copies if fast_ram_bytes is not set
  std::string arena_says = {};  ///< source of the arena's limit: "--arena allows 4096"
};

struct KernelOption {
  Schedule schedule;
  uint64_t cycles = 0;  ///< sum over all layers of the task
  uint32_t scratch_bytes = 0;
  uint64_t flash_bytes = 0;  ///< code once, packed constants of every layer
  uint64_t constant_bytes = 0;
  uint64_t largest_constant_bytes = 0;  ///< of one layer, which is copied as a whole
  uint64_t wait_cycles = 0;  ///< additional, sum over layers, if the constants stay in flash
  std::optional<Schedule> otherwise = {};  ///< for layers whose weights do not permit `schedule`
};

/// The options of one workload: equal layers share a schedule, so that their kernel is in flash
/// once.
struct TaskOptions {
  std::vector<KernelOption> options;  ///< in order of preference: the fastest first
  uint32_t live_bytes = 0;            ///< largest bytes of live tensors over its layers
  uint32_t at_once = 1;               ///< kernels that have scratch at the same time
  /// Operators of which these are strips. Tasks of the same operators share constants if they pack
  /// them in the same way.
  std::set<int> strips_of = {};

  uint32_t least_scratch() const;
};

struct KernelChoice {
  std::vector<size_t> chosen;  ///< index of the option of each task
  uint32_t arena_bytes = 0;
  uint64_t flash_bytes = 0;
};

/// Returns the arena of the whole network for the scratch bytes of each task.
using ArenaOf = std::function<uint32_t(std::span<const uint32_t> scratch)>;

/// Chooses kernels. `other_flash`: bytes of the library besides kernels. kFailed: nothing fits; the
/// message names the need of the fastest kernels, the limit, and the smallest achievable.
Result<KernelChoice> choose_kernels(std::span<const TaskOptions> tasks, const KernelLimits& limits,
                                    uint64_t other_flash, const ArenaOf& arena_of);

/// Returns the Pareto front of flash and cycles, the smallest flash first, within the limit on the
/// arena; empty if that limit cannot be met.
std::vector<FlashPoint> flash_front(std::span<const TaskOptions> tasks, const KernelLimits& limits,
                                    const ArenaOf& arena_of);

}  // namespace tinytune
