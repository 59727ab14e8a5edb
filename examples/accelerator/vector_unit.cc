// The vector unit in the simulator: exact results, and cycles by the model of vector_unit.h.
#include "examples/accelerator/vector_unit.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "schedules/requantise.h"
#include "simulator/peripheral.h"

namespace tinytune {
namespace {

using namespace vector_unit;

class VectorUnit : public Peripheral {
 public:
  void reset() override {
    registers_ = {};
    scratchpad_ = {};
  }

  void store(uint32_t offset, uint32_t value, PeripheralBus& bus) override {
    if (offset >= kRegistersEnd) return bus.fault("the vector unit has no such register");
    registers_[offset / 4] = value;
    if (offset != kCommand) return;
    bus.stall(kStartCycles);
    if (value == kLoad || value == kStore) return move(value, bus);
    if (value == kMultiply) return multiply(bus);
    bus.fault("the vector unit has no such command");
  }

 private:
  uint32_t get(Register r) const { return registers_[r / 4]; }

  // Returns bytes of the scratchpad; null, after a fault, if they are not inside it.
  uint8_t* local(uint32_t offset, uint64_t size_bytes, PeripheralBus& bus) {
    if (offset + size_bytes <= kScratchpadBytes) return &scratchpad_[offset];
    bus.fault("a block lies outside the vector unit's scratchpad");
    return nullptr;
  }

  void move(uint32_t command, PeripheralBus& bus) {
    const uint32_t row_bytes = get(kBlockRowBytes), rows = get(kBlockRows);
    uint8_t* at = local(get(kBlockLocal), uint64_t{rows} * row_bytes, bus);
    uint32_t address = get(kBlockAddress);
    for (uint32_t row = 0; at != nullptr && row < rows; ++row) {
      if (command == kLoad) {
        const auto from = bus.read(address, row_bytes);
        if (from.empty()) return;
        std::copy(from.begin(), from.end(), at);
      } else {
        const auto to = bus.write(address, row_bytes);
        if (to.empty()) return;
        std::copy_n(at, to.size(), to.begin());
      }
      at += row_bytes;
      address += get(kBlockStep);
    }
    bus.stall(rows * (kRowCycles + (uint64_t{row_bytes} + 3) / 4));
  }

  void multiply(PeripheralBus& bus) {
    const uint32_t pixels = get(kPixels), depth = get(kDepth), channels = get(kChannels);
    const auto* inputs =
        reinterpret_cast<const int8_t*>(local(get(kInputs), uint64_t{pixels} * depth, bus));
    const auto* weights =
        reinterpret_cast<const int8_t*>(local(get(kWeights), uint64_t{channels} * depth, bus));
    const uint8_t* params = local(get(kParams), uint64_t{channels} * kParamWords * 4, bus);
    uint8_t* outputs = local(get(kOutputs), uint64_t{pixels} * channels, bus);
    if (inputs == nullptr || weights == nullptr || params == nullptr || outputs == nullptr) return;
    for (uint32_t c = 0; c < channels; ++c) {
      int32_t words[kParamWords];
      std::memcpy(words, params + c * sizeof words, sizeof words);
      for (uint32_t p = 0; p < pixels; ++p) {
        int32_t sum = words[0];
        for (uint32_t d = 0; d < depth; ++d) sum += inputs[p * depth + d] * weights[c * depth + d];
        const int32_t scaled = multiply_by_quantized_multiplier(sum, words[1], words[2]);
        outputs[p * channels + c] = static_cast<uint8_t>(
            std::clamp(scaled + signed_of(kZeroPoint), signed_of(kLeast), signed_of(kMost)));
      }
    }
    const uint64_t steps = (depth + kMacsPerCycle - 1) / kMacsPerCycle;
    bus.stall(uint64_t{pixels} * channels * (steps + kRequantiseCycles));
  }

  int32_t signed_of(Register r) const { return static_cast<int32_t>(get(r)); }

  std::array<uint32_t, kRegistersEnd / 4> registers_{};
  std::array<uint8_t, kScratchpadBytes> scratchpad_{};
};

}  // namespace

// The row: CMakeLists.txt names it.
extern const PeripheralKind kVectorUnit;
const PeripheralKind kVectorUnit = {
    kMemory, []() -> std::unique_ptr<Peripheral> { return std::make_unique<VectorUnit>(); }};

}  // namespace tinytune
