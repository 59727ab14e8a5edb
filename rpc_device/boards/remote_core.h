// RemoteCore: a core whose memory can be reached and which can be told to call a function, by a
// debugger or by a program that runs on it.
//
// It is what transports differ in, and no more: what kernels are, where their buffers go and what
// is kept on the board is RemoteBoard's. A new transport is an implementation of this and a row in
// open_board.cc.
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
  std::vector<AddressRange> digests;  ///< what is wanted of memory afterwards
};

struct CoreReturn {
  RunEnd end = RunEnd::kReturned;
  std::string detail;   ///< one line; empty for kReturned
  uint64_t cycles = 0;  ///< of the call; 0 unless kReturned
  bool registers_restored = true;
  std::string clobbered;        ///< names of those that were not
  std::vector<Digest> digests;  ///< of CoreCall::digests; kReturned only
};

/// What one of them can do.
struct CoreTraits {
  std::string id;  ///< what no other board has; BoardIdentity::id
  std::optional<uint64_t> clock_hz;
  bool checks_registers = false;
  bool limits_cycles = false, limits_time = false;
  bool shares_its_core = false;  ///< BoardCapabilities::shares_its_core
  bool copies = false;           ///< RemoteCore::copy()
  bool queues_calls = false;     ///< RemoteCore::ask()
};

/// Not thread-safe. Every call may fail with kDeviceLost: nothing but reset() may be asked then.
/// What is written may wait for the next call that has an answer; what is wrong with it is an error
/// of that call then.
class RemoteCore {
 public:
  virtual ~RemoteCore() = default;

  virtual const CoreTraits& traits() const = 0;

  /// kInvalidInput: outside what may be written. Nothing of it is written then.
  virtual Status write(uint32_t address, std::span<const uint8_t> bytes) = 0;
  virtual Result<std::vector<uint8_t>> read(uint32_t address, uint32_t size_bytes) = 0;
  /// write() of the contents, in the fewest bytes over the link.
  virtual Status fill(uint32_t address, uint32_t size_bytes, const Contents& contents) = 0;
  /// Bytes that stand on the board, to another place on it that does not overlap. kUnsupported:
  /// CoreTraits::copies is false.
  virtual Status copy(uint32_t from, uint32_t to, uint32_t size_bytes) = 0;
  /// digest_of() the bytes of each.
  virtual Result<std::vector<Digest>> digests(std::span<const AddressRange> ranges) = 0;

  virtual Result<CoreReturn> call(const CoreCall& call) = 0;

  /// A call whose answer is wanted later, so that several cross the link as one request. Until all
  /// are taken, nothing that has an answer of its own may be asked. kUnsupported:
  /// CoreTraits::queues_calls is false.
  virtual Status ask(const CoreCall&) { return no_queue(); }
  /// Of the oldest call that was asked for.
  virtual Result<CoreReturn> answer() { return no_queue(); }

  /// A new link and a core in a known state. Memory may have changed.
  virtual Status reset() = 0;

 private:
  static Error no_queue() {
    return Error(ErrorCode::kUnsupported, "this core answers one call at a time");
  }
};

}  // namespace tinytune
