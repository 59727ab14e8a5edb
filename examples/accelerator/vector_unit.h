// The registers of the vector unit, shared by its simulation and its driver.
//
// The unit multiplies a matrix of int8 weights with int8 inputs from its own scratchpad,
// requantises the sums, and moves blocks between the scratchpad and memory. The core waits for each
// command: there is one port to memory, and the unit holds it.
#pragma once

#include <cstdint>

namespace tinytune::vector_unit {

inline constexpr const char* kMemory = "vector_unit";  ///< region in the device file
inline constexpr uint32_t kAddress = 0x40000000;
inline constexpr uint32_t kScratchpadBytes = 4096;

/// Offsets of registers; all are words.
enum Register : uint32_t {
  // A block: rows of bytes, kBlockStep apart in memory, contiguous in the scratchpad.
  kBlockAddress = 0x00,
  kBlockLocal = 0x04,  ///< offset in the scratchpad
  kBlockRowBytes = 0x08,
  kBlockRows = 0x0C,
  kBlockStep = 0x10,
  // A product: offsets in the scratchpad of inputs [pixels][depth], weights [channels][depth],
  // parameters [channels][kParamWords] and outputs [pixels][channels].
  kInputs = 0x14,
  kWeights = 0x18,
  kParams = 0x1C,
  kOutputs = 0x20,
  kPixels = 0x24,
  kDepth = 0x28,
  kChannels = 0x2C,
  kZeroPoint = 0x30,  ///< of the outputs
  kLeast = 0x34,
  kMost = 0x38,
  kCommand = 0x3C,  ///< a write starts a command
  kRegistersEnd = 0x40
};

enum Command : uint32_t { kLoad = 1, kStore = 2, kMultiply = 3 };

/// Words per channel: the sum's initial value, TFLite's multiplier and shift.
inline constexpr uint32_t kParamWords = 3;

// The timing model, in cycles of the core: made-up figures of a small unit on a 32-bit bus.
inline constexpr uint64_t kStartCycles = 100;     ///< per command: start and completion
inline constexpr uint64_t kRowCycles = 2;         ///< per row of a block, plus one cycle per word
inline constexpr uint64_t kMacsPerCycle = 8;      ///< along the depth
inline constexpr uint64_t kRequantiseCycles = 2;  ///< per output

}  // namespace tinytune::vector_unit
