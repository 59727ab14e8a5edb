// Where everything that lives in the arena lives: a static plan, made once, offline.
//
// Two buffers that are live in a common step must not overlap; the arena should be as small as it
// can be. The problem is NP-hard, but networks are small: first-fit over an order of the buffers
// reaches every optimal plan for some order, so we search orders by hill climbing from a few good
// ones and stop at the lower bound, which chains of layers reach at once. An integer program would
// bring a solver along for the last percent that tests do not find missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tinytune {

/// Leave to share memory with another buffer: that of beginning at least `distance` bytes before
/// it. Who is given it writes from its start, after what it runs into there was read for the last
/// time.
struct RunsIntoBuffer {
  size_t buffer = 0;
  uint32_t distance = 0;
};

/// Live from `first_step` to `last_step`, both included.
struct ArenaBuffer {
  uint32_t bytes = 0;
  int first_step = 0, last_step = 0;
  std::optional<RunsIntoBuffer> runs_into = {};
  /// Offset in the arena, fixed beforehand. Such buffers live throughout, nothing runs into
  /// them, and together they are the arena's start: all others lie behind their bytes.
  std::optional<uint32_t> fixed_at = {};
};

/// Of what both of these take by themselves, the bytes they need only once. `above` is the buffer
/// that `below` runs into.
uint32_t shared_bytes(const ArenaBuffer& below, const ArenaBuffer& above);

struct MemoryPlan {
  std::vector<uint32_t> offsets;  ///< one per buffer, multiples of kArenaAlignment
  uint32_t arena_bytes = 0;
  /// The most bytes alive in any one step, sizes rounded up to the alignment: no plan is smaller.
  uint32_t lower_bound = 0;
};

/// Of the arena and of every buffer in it: enough for any element type and for wide copies.
inline constexpr uint32_t kArenaAlignment = 16;

/// Rounds up to it.
uint32_t aligned_in_arena(uint32_t bytes);

/// Deterministic. Sizes below 2^31 in sum are our own contract.
MemoryPlan plan_memory(std::span<const ArenaBuffer> buffers);

}  // namespace tinytune
