// The fastest kernels that fit: one schedule per task, under limits on arena, flash and copies.
//
// Scratch lives only while its kernel runs, so a limit on the arena is a limit on each layer by
// itself, up to the gaps a plan leaves: the fastest schedule within each layer's share is the
// optimum wherever the plan has none. Flash adds up over tasks, and so does fast memory, which
// makes them one knapsack over (flash, copies, cycles): each task takes a schedule, strips of one
// layer together, and its constants a place. Taking, again and again, the bytes that cost the
// fewest cycles each says whether anything fits flash; dynamic programming over what fits then
// finds the fastest.
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

/// What kernels have to fit into.
struct KernelLimits {
  std::optional<uint64_t> arena_bytes = {};
  std::optional<uint64_t> flash_bytes = {};
  std::optional<uint64_t> fast_ram_bytes = {};  ///< of constants in fast memory; the others wait
  std::optional<uint64_t> largest_copy_bytes =
      {};                       ///< of one layer's: the most that one memory takes
  MemoryLimits memory = {};     ///< what copies may take where no limit on them is given here
  std::string arena_says = {};  ///< who set the arena's limit, for a refusal: "--arena allows 4096"
};

struct KernelOption {
  Schedule schedule;
  uint64_t cycles = 0;  ///< of all layers of the task together
  uint32_t scratch_bytes = 0;
  uint64_t flash_bytes = 0;  ///< code once, packed constants of every layer
  uint64_t constant_bytes = 0;
  uint64_t largest_constant_bytes = 0;  ///< of a layer, which is copied as a whole
  uint64_t wait_cycles = 0;  ///< more, of all layers together, where its constants stay in flash
  std::optional<Schedule> otherwise = {};  ///< of layers whose weights do not permit it
};

/// One workload: equal layers share a schedule, so that their kernel is in flash once.
struct TaskOptions {
  std::vector<KernelOption> options;  ///< in order of preference: the fastest first
  uint32_t live_bytes = 0;            ///< of tensors around the tightest of its layers
  uint32_t at_once = 1;               ///< kernels that have scratch while it runs
  /// Operators of which these are strips. Tasks of the same operators share constants, as long as
  /// they pack them alike.
  std::set<int> strips_of = {};

  uint32_t least_scratch() const;
};

struct KernelChoice {
  std::vector<size_t> chosen;  ///< an option of each task
  uint32_t arena_bytes = 0;
  uint64_t flash_bytes = 0;
};

/// Arena of the whole network for the scratch bytes of each task.
using ArenaOf = std::function<uint32_t(std::span<const uint32_t> scratch)>;

/// `other_flash` is what the library needs besides kernels. kFailed: nothing fits; the message has
/// what the fastest kernels need, the limit, and the smallest that can be had.
Result<KernelChoice> choose_kernels(std::span<const TaskOptions> tasks, const KernelLimits& limits,
                                    uint64_t other_flash, const ArenaOf& arena_of);

/// Flash and cycles of every choice that no other beats in both, the smallest first; all of them
/// within the limit on the arena, if there is one and it can be met.
std::vector<FlashPoint> flash_front(std::span<const TaskOptions> tasks, const KernelLimits& limits,
                                    const ArenaOf& arena_of);

}  // namespace tinytune
