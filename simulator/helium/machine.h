// The machine as seen by an instruction's handler: lanes under the predicate, registers, memory.
//
// All predication is here. Two sources form one mask of 16 bits, a bit for each byte of a vector: a
// VPT block (VPR.P0 while VPR.MASK has instructions left), and the last iteration of a
// tail-predicated loop (the first LR elements). Results go through merge(), which keeps the bytes
// whose bit is 0, even if they are only a part of a lane; all other effects (sums, saturation
// flags, memory) depend on active(), the bit of a lane's lowest byte.
#pragma once

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "simulator/helium/state.h"

namespace tinytune::helium {

static_assert(std::endian::native == std::endian::little);

/// Extracts bits high:low of an instruction, whose first half word is in the upper 16 bits, as the
/// manual draws it.
constexpr uint32_t field(uint32_t code, unsigned high, unsigned low) {
  return code >> low & ((2u << (high - low)) - 1);
}

template <typename T>
using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
template <typename T>
constexpr unsigned kBits = 8 * sizeof(T);
template <typename T>
constexpr unsigned kLanes = 16 / sizeof(T);

/// Clamps `value` to the range of T; sets `saturated` if that changes it.
template <typename T, typename Value>
T saturate(Value value, bool& saturated) {
  if (value < Value{std::numeric_limits<T>::min()}) {
    saturated = true;
    return std::numeric_limits<T>::min();
  }
  if (value > Value{std::numeric_limits<T>::max()}) {
    saturated = true;
    return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

class Machine {
 public:
  Machine(State& state, Core& core) : state_(state), core_(core) {}

  // Core registers.
  uint32_t get(unsigned reg) { return core_.get(reg); }
  void set(unsigned reg, uint32_t value) { core_.set(reg, value); }
  Core& core() { return core_; }
  State& state() { return state_; }
  uint32_t address = 0;  ///< of the instruction
  uint32_t next = 0;     ///< address of the next instruction; loops change it

  // Vectors.
  template <typename T>
  T lane(unsigned q, unsigned index) const {
    T value;
    std::memcpy(&value, &state_.bytes[q * 16 + index * sizeof(T)], sizeof(T));
    return value;
  }
  template <typename T>
  std::array<T, kLanes<T>> vector(unsigned q) const {
    std::array<T, kLanes<T>> lanes;
    std::memcpy(lanes.data(), &state_.bytes[q * 16], 16);
    return lanes;
  }
  template <typename T>
  bool active(unsigned index) const {
    return (mask_ >> (index * sizeof(T)) & 1) != 0;
  }
  /// Writes the active bytes of a lane.
  template <typename T>
  void merge(unsigned q, unsigned index, T value) {
    std::array<uint8_t, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    for (unsigned i = 0; i < sizeof(T); ++i)
      if ((mask_ >> (index * sizeof(T) + i) & 1) != 0)
        state_.bytes[q * 16 + index * sizeof(T) + i] = bytes[i];
  }
  /// Writes all of a lane, regardless of the predicate.
  template <typename T>
  void put(unsigned q, unsigned index, T value) {
    std::memcpy(&state_.bytes[q * 16 + index * sizeof(T)], &value, sizeof(T));
  }
  /// Notes that an active lane saturated.
  template <typename T>
  void note(unsigned index, bool saturated) {
    if (saturated && active<T>(index)) state_.fpscr |= kSaturatedFlag;
  }

  // Predicates.
  uint16_t mask() const { return mask_; }
  void set_p0(uint16_t bits) { state_.vpr = (state_.vpr & ~0xFFFFu) | bits; }
  uint16_t p0() const { return static_cast<uint16_t>(state_.vpr); }
  /// Starts a VPT block after this instruction; `pattern` as encoded.
  void begin_vpt(uint32_t pattern) { vpt_ = pattern; }
  bool begins_vpt() const { return vpt_ != 0; }

  // Memory. The core faults on an element that is not aligned to its size in memory.
  template <typename T>
  T load(uint32_t address) {
    T value = 0;
    const uint8_t* from = faulted_ ? nullptr : core_.access(address, sizeof(T), sizeof(T), false);
    faulted_ = faulted_ || from == nullptr;
    if (!faulted_) std::memcpy(&value, from, sizeof(T));
    return value;
  }
  template <typename T>
  void store(uint32_t address, T value) {
    uint8_t* to = faulted_ ? nullptr : core_.access(address, sizeof(T), sizeof(T), true);
    faulted_ = faulted_ || to == nullptr;
    if (!faulted_) std::memcpy(to, &value, sizeof(T));
  }
  /// Moves a whole vector in one access, at a sixteenth of the cost of its bytes one by one.
  /// Returns false and does nothing if a lane is inactive, or the address is misaligned or refused;
  /// the caller then moves elements one by one, up to the one refused.
  bool move_all(unsigned q, uint32_t address, uint32_t element_bytes, bool loads) {
    if (mask_ != 0xFFFF || address % element_bytes != 0) return false;
    uint8_t* const bytes = core_.access(address, 16, element_bytes, !loads);
    if (bytes == nullptr) return false;
    uint8_t* const lanes = &state_.bytes[q * 16];
    std::memcpy(loads ? lanes : bytes, loads ? bytes : lanes, 16);
    return true;
  }
  bool faulted() const { return faulted_; }

  // Called by the executor before and after a handler.
  void begin_vector() { mask_ = predicate(); }
  void end_vector();

  /// Returns the mask of the first `count` elements of 2^log bytes.
  static uint16_t first(uint32_t count, unsigned log) {
    return count >= 16u >> log ? uint16_t{0xFFFF}
                               : static_cast<uint16_t>((1u << (count << log)) - 1);
  }

 private:
  uint16_t predicate();

  State& state_;
  Core& core_;
  uint16_t mask_ = 0xFFFF;
  uint32_t vpt_ = 0;
  bool faulted_ = false;
};

}  // namespace tinytune::helium
