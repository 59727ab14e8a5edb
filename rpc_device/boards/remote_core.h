// RemoteCore: a core that can be made to access memory and to call a function, through a debugger
// or a program that runs on it.
//
// It contains only what differs between transports; RemoteBoard handles kernels, their buffers and
// the board's contents. A new transport is an implementation of this and a row in open_board.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "measure/board.h"
#include "measure/contents.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune {

/// A call by the C calling convention of the device, on a fresh stack in its stack memory.
struct CoreCall {
  uint32_t function = 0;
  std::vector<uint32_t> arguments;
  RunLimits limits;
  std::vector<AddressRange> digests;  ///< ranges to digest after the call
};

struct CoreReturn {
  RunEnd end = RunEnd::kReturned;
  std::string detail;   ///< one line; empty for kReturned
  uint64_t cycles = 0;  ///< of the call; 0 unless kReturned
  bool registers_restored = true;
  std::string clobbered;        ///< names of registers not restored
  std::vector<Digest> digests;  ///< of CoreCall::digests; kReturned only
};

/// Identity and abilities of a core.
struct CoreTraits {
  std::string id;  ///< unique; BoardIdentity::id
  std::optional<uint64_t> clock_hz;
  bool checks_registers = false;
  bool limits_cycles = false, limits_time = false;
  bool shares_its_core = false;  ///< BoardCapabilities::shares_its_core
  bool copies = false;           ///< RemoteCore::copy()
  bool queues_calls = false;     ///< RemoteCore::ask()
};

/// Not thread-safe. Every call may fail with kDeviceLost; then only reset() may be called. Writes
/// may be deferred to the next call that has an answer, which then also returns their errors.
class RemoteCore {
 public:
  virtual ~RemoteCore() = default;

  virtual const CoreTraits& traits() const = 0;

  /// kInvalidInput: outside writable memory; nothing is written then.
  virtual Status write(uint32_t address, std::span<const uint8_t> bytes) = 0;
  virtual Result<std::vector<uint8_t>> read(uint32_t address, uint32_t size_bytes) = 0;
  /// Writes the contents with as few bytes over the link as possible.
  virtual Status fill(uint32_t address, uint32_t size_bytes, const Contents& contents) = 0;
  /// Copies bytes within the board; the ranges must not overlap. kUnsupported: CoreTraits::copies
  /// is false.
  virtual Status copy(uint32_t from, uint32_t to, uint32_t size_bytes) = 0;
  /// Returns digest_of() the bytes of each range.
  virtual Result<std::vector<Digest>> digests(std::span<const AddressRange> ranges) = 0;

  virtual Result<CoreReturn> call(const CoreCall& call) = 0;

  /// Queues a call, so that several cross the link as one request. Until all answers are taken, no
  /// other function with an answer may be called. kUnsupported: CoreTraits::queues_calls is false.
  virtual Status ask(const CoreCall&) { return no_queue(); }
  /// Returns the answer of the oldest queued call.
  virtual Result<CoreReturn> answer() { return no_queue(); }

  /// Opens a new link and puts the core into a known state. Memory may have changed.
  virtual Status reset() = 0;

 private:
  static Error no_queue() {
    return Error(ErrorCode::kUnsupported, "this core answers one call at a time");
  }
};

}  // namespace tinytune
