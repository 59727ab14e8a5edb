// A static plan of the arena, made once, offline: the offset of every buffer.
//
// Two buffers that are live in a common step must not overlap; the arena should be as small as
// possible. The problem is NP-hard, but networks are small: first-fit over an order of the buffers
// reaches every optimal plan for some order, so we search orders by hill climbing from a few good
// ones and stop at the lower bound, which chains of layers reach at once. An integer program would
// need a solver for a last percent that tests do not find missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tinytune {

/// Permission to overlap `buffer` by beginning at least `distance` bytes before it. The permitted
/// buffer is written from its start, and each byte that it overwrites has then been read for the
/// last time.
struct RunsIntoBuffer {
  size_t buffer = 0;
  uint32_t distance = 0;
};

/// Live from `first_step` to `last_step`, both included.
struct ArenaBuffer {
  uint32_t bytes = 0;
  int first_step = 0, last_step = 0;
  std::optional<RunsIntoBuffer> runs_into = {};
  /// Fixed offset in the arena. Such buffers live throughout, nothing runs into them, and together
  /// they form the arena's start: all others lie behind them.
  std::optional<uint32_t> fixed_at = {};
};

/// Returns the bytes that the overlap of two buffers saves. `above` is the buffer that `below` runs
/// into.
uint32_t shared_bytes(const ArenaBuffer& below, const ArenaBuffer& above);

struct MemoryPlan {
  std::vector<uint32_t> offsets;  ///< one per buffer, multiples of kArenaAlignment
  uint32_t arena_bytes = 0;
  /// The most bytes alive in any one step, sizes rounded up to the alignment: no plan is smaller.
  uint32_t lower_bound = 0;
};

/// Alignment in bytes of the arena and of its buffers: enough for any element type and wide copies.
inline constexpr uint32_t kArenaAlignment = 16;

/// Rounds up to kArenaAlignment.
uint32_t aligned_in_arena(uint32_t bytes);

/// Plans the arena; deterministic. Requires sizes below 2^31 bytes in sum.
MemoryPlan plan_memory(std::span<const ArenaBuffer> buffers);

}  // namespace tinytune
