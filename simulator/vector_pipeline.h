// Work left in a vector unit at the end of a block: part of the pipeline's state.
//
// Times count from the start of the next block, so that blocks entered with the same work left cost
// the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace tinytune {

struct VectorPipeline {
  static constexpr unsigned kMostWaiting = 8;
  using Time = uint16_t;  ///< in the model's own steps

  std::array<Time, 32> ready{};  ///< until the last write of a register is done
  std::array<Time, 4> unit{};    ///< until a unit takes another instruction
  /// Until each of the last instructions leaves the queue, the latest first.
  std::array<Time, kMostWaiting> waiting{};
  /// Until the last read of a register is done, and the unit that reads it.
  std::array<Time, 32> read{};
  std::array<uint8_t, 32> reader{};
  Time stored = 0;   ///< until stores are in memory
  uint8_t part = 0;  ///< steps of the cycle that has begun
  uint8_t type = 0;  ///< vtype of the last configuration: SEW and LMUL

  bool operator==(const VectorPipeline&) const = default;
};

/// A VectorPipeline as a value that takes no room while it is empty.
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
