// What the doctor asks of a core before it knows a kernel: link, memory, counter, clock.
#pragma once

#include <chrono>
#include <cstdint>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/doctor/doctor.h"
#include "rpc_device/boards/remote_core.h"
#include "tinytune/result.h"

namespace tinytune {

/// In this order. An error is the core's: nothing more can be asked of it.
class CoreChecks {
 public:
  /// All three outlive it.
  CoreChecks(RemoteCore& core, const Device& device, const BoardFacts& facts)
      : core_(core), device_(device), facts_(facts) {}

  /// How long an answer takes, and bytes.
  Result<Finding> link();
  /// Every memory that may be written holds what is written to it, up to its end.
  Result<Finding> memory();
  /// Cycles of a loop grow as its iterations do.
  Result<Finding> counter();
  /// The counter's rate by this machine's clock is the one that the board says.
  Result<Finding> clock();

 private:
  Result<uint64_t> cycles_of_loop(uint32_t iterations);

  RemoteCore& core_;
  const Device& device_;
  const BoardFacts& facts_;
  std::chrono::duration<double> round_trip_{0};
};

}  // namespace tinytune
