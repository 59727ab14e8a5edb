// What a vector unit still has to do when the core goes on: part of a pipeline's state.
//
// All of it counts from where the block that follows begins, so that blocks which are entered with
// the same work left over cost the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace tinytune {

struct VectorPipeline {
  static constexpr unsigned kMostWaiting = 8;
  using Time = uint16_t;  ///< in the model's own steps

  std::array<Time, 32> ready{};  ///< until a register holds what was written last
  std::array<Time, 4> unit{};    ///< until a unit takes another instruction
  /// Until each of the last instructions leaves the queue, the latest first.
  std::array<Time, kMostWaiting> waiting{};
  /// Until a register has been read for the last time, and by which unit.
  std::array<Time, 32> read{};
  std::array<uint8_t, 32> reader{};
  Time stored = 0;   ///< until stores are in memory
  uint8_t part = 0;  ///< steps of a cycle that has begun
  uint8_t type = 0;  ///< elements and groups of registers, as the last configuration encodes them

  bool operator==(const VectorPipeline&) const = default;
};

/// The same as a value that takes no room where there are no vectors.
class VectorWork {
 public:
  const VectorPipeline& get() const {
    static const VectorPipeline kNone;
    return work_ ? *work_ : kNone;
  }
  void set(const VectorPipeline& work) {
    work_ = work == VectorPipeline() ? nullptr : std::make_shared<const VectorPipeline>(work);
  }
  bool any() const { return work_ != nullptr; }
  bool operator==(const VectorWork& other) const {
    return work_ == other.work_ || get() == other.get();
  }

 private:
  std::shared_ptr<const VectorPipeline> work_;
};

}  // namespace tinytune
