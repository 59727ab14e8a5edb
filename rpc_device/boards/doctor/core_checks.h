// The doctor's checks of a core that need no kernel: link, memory, counter, clock.
#pragma once

#include <chrono>
#include <cstdint>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/doctor/doctor.h"
#include "rpc_device/boards/remote_core.h"
#include "tinytune/result.h"

namespace tinytune {

/// To be called in this order. An error means that the core fails and no further check is possible.
class CoreChecks {
 public:
  /// All three must outlive it.
  CoreChecks(RemoteCore& core, const Device& device, const BoardFacts& facts)
      : core_(core), device_(device), facts_(facts) {}

  /// Measures round-trip time and throughput, and checks that bytes arrive unchanged.
  Result<Finding> link();
  /// Checks that every writable memory keeps written values, up to its end.
  Result<Finding> memory();
  /// Checks that a loop's cycles grow in proportion to its iterations.
  Result<Finding> counter();
  /// Checks the counter's rate, by this machine's clock, against the board's stated clock.
  Result<Finding> clock();

 private:
  Result<uint64_t> cycles_of_loop(uint32_t iterations);

  RemoteCore& core_;
  const Device& device_;
  const BoardFacts& facts_;
  std::chrono::duration<double> round_trip_{0};
};

}  // namespace tinytune
