// The registers of the vector unit, for who simulates it and for who drives it.
//
// The unit multiplies a matrix of int8 weights with int8 inputs out of a scratchpad of its own,
// requantises the sums, and moves blocks between the scratchpad and memory. The core waits for each
// command: there is one port to memory, and the unit holds it.
#pragma once

#include <cstdint>

namespace tinytune::vector_unit {

inline constexpr const char* kMemory = "vector_unit";  ///< its registers, in the device file
inline constexpr uint32_t kAddress = 0x40000000;
inline constexpr uint32_t kScratchpadBytes = 4096;

/// Offsets of registers; all are words.
enum Register : uint32_t {
  // A block: rows of bytes, in memory a step apart, in the scratchpad dense.
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
  kCommand = 0x3C,  ///< writing it starts one
  kRegistersEnd = 0x40
};

enum Command : uint32_t { kLoad = 1, kStore = 2, kMultiply = 3 };

/// Of a channel: what its sum starts from, TFLite's multiplier and shift.
inline constexpr uint32_t kParamWords = 3;

// The model of its time, in cycles of the core: figures of a small unit on a 32-bit bus, made up.
inline constexpr uint64_t kStartCycles = 100;  ///< of a command: waking it, hearing that it is done
inline constexpr uint64_t kRowCycles = 2;      ///< of a block's row, beside a word a cycle
inline constexpr uint64_t kMacsPerCycle = 8;   ///< along the depth
inline constexpr uint64_t kRequantiseCycles = 2;  ///< of an output

}  // namespace tinytune::vector_unit
