// Board: the one thing measuring needs from a device, wherever it is.
//
// A whole call with its buffers is one request, because a link to a real board pays for round trips
// and not for bytes. Simulators, debuggers and serial runners implement it (rpc_device/).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

enum class BufferRole { kRead, kScratch, kWrite };

struct CallBuffer {
  BufferRole role = BufferRole::kRead;
  std::vector<uint8_t> bytes;  ///< initial contents; its size is the buffer's
  uint32_t alignment = 4;
};

/// Where buffers sit. Against an unmapped page at the end (or start) a one-byte overrun faults.
enum class Guard { kNone, kAtEnd, kAtStart };

struct BoardCall {
  std::span<const uint8_t> elf;
  std::string symbol;
  std::vector<CallBuffer> buffers;  ///< the arguments, in order: pointers
  Guard guard = Guard::kNone;
  /// Also the bytes around buffers that share their pages are then out of bounds.
  bool check_alignment = false;
  uint64_t instruction_limit = 2'000'000'000;
};

enum class CallStatus { kReturned, kLimit, kFault, kDoesNotFit };

struct BoardReport {
  CallStatus status = CallStatus::kReturned;
  std::string detail;
  uint64_t cycles = 0, instructions = 0;
  uint32_t stack_bytes = 0;
  bool registers_restored = true;
  bool inputs_unchanged = true;               ///< every kRead buffer
  std::vector<std::vector<uint8_t>> written;  ///< contents of the kWrite buffers after the call
};

class Board {
 public:
  virtual ~Board() = default;
  virtual const Device& device() const = 0;
  /// Whether guards, alignment and register checks work here; a real board may only compare bytes.
  virtual bool can_verify() const = 0;
  /// A kernel that faults or hangs is a report. kDeviceLost: the board's state is unknown.
  virtual Result<BoardReport> call(const BoardCall& call) = 0;
};

}  // namespace tinytune
