// A generated network on a real board: invoked whole, then one layer at a time, each counted by the
// board itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "models/graph.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Builds the network, puts it into the RAM of the board at `address`
/// (rpc_device/boards/open_board.h) and calls it. `exact` is left alone. Errors as open_core() and
/// build_library(); kInvalidInput: the board is another device. kFailed: the library needs memory
/// that is no RAM, it does not return, or its memory does not hold what was written.
Result<BoardRun> run_on_board(const std::string& address, const Graph& graph,
                              const GeneratedNetwork& network, const Device& device,
                              std::span<const std::vector<uint8_t>> inputs);

/// The same as a report, of a device that has no simulator: what boards do not count is 0.
/// `address` is the device's own. Errors as run_on_board().
Result<RunReport> invoke_on_board(const std::string& address, const Graph& graph,
                                  const GeneratedNetwork& network, const Device& device,
                                  std::span<const std::vector<uint8_t>> inputs);

}  // namespace tinytune
