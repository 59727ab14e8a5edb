// The doctor: examines a board before its measurements are trusted, and describes problems.
//
// Each check relies on those before it, from the link to a whole kernel, so the examination ends
// with the first that cannot be done. Expected results are known for a loop of two instructions,
// whose cycles must grow with its iterations, and for a small convolution, from the simulator. If a
// count differs from the simulator's by more than its error, the cause would also spoil a search:
// disabled caches, wait states, a counter with another clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/open_board.h"
#include "rpc_device/boards/remote_core.h"
#include "tinytune/result.h"

namespace tinytune {

struct Finding {
  std::string check;  ///< "link", "memory", "counter", "clock", "kernel", "noise"
  bool good = false;
  std::string words;  ///< one line
};

struct Examination {
  std::string board;  ///< its id; empty if no link could be opened
  std::vector<Finding> findings;

  bool healthy() const;
};

/// Examines a board in a few seconds. Its RAM is written, its flash never. Problems of the board
/// are findings. Errors: the device's file has no [board]; this machine cannot build kernels.
Result<Examination> examine_board(const BoardAddress& address, const Device& device);

/// Examines this machine for a simulated device: whether a kernel builds and is exact in the
/// simulator. Problems are findings.
Examination examine_simulator(const Device& device);

/// examine_board() for a core that is already open.
Result<Examination> examine_core(std::unique_ptr<RemoteCore> core, const Device& device,
                                 const BoardFacts& facts);

}  // namespace tinytune
