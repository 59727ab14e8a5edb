// What a vector unit still has to do when the core goes on: part of a pipeline's state.
//
// All of it counts from where the block that follows begins, so that blocks which are entered with
// the same work left over cost the same.
#pragma once

#include <array>
#include <cstdint>

namespace tinytune {

struct VectorPipeline {
  static constexpr unsigned kMostWaiting = 8;
  using Time = uint16_t;  ///< in the model's own steps

  std::array<Time, 32> ready{};  ///< until a register holds what was written last
  std::array<Time, 4> unit{};    ///< until a unit takes another instruction
  /// Until each of the last instructions leaves the queue, the latest first.
  std::array<Time, kMostWaiting> waiting{};
  Time stored = 0;   ///< until stores are in memory
  uint8_t part = 0;  ///< steps of a cycle that has begun
  uint8_t type = 0;  ///< elements and groups of registers, as the last configuration encodes them

  bool operator==(const VectorPipeline&) const = default;
};

}  // namespace tinytune
