// Runs a generated network on a real board: as a whole, then one layer at a time, each timed by the
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

/// Builds the network, writes it into the RAM of the board at `address`
/// (rpc_device/boards/open_board.h) and calls it. Does not set `exact`. Errors as for open_core()
/// and build_library(); kInvalidInput: the board is another device. kFailed: the library needs
/// memory other than RAM, does not return, or its memory does not hold the bytes written.
Result<BoardRun> run_on_board(const std::string& address, const Graph& graph,
                              const GeneratedNetwork& network, const Device& device,
                              std::span<const std::vector<uint8_t>> inputs);

/// Returns the same as a report, for a device without a simulator; figures that boards do not count
/// are 0. `address` must be the device's own. Errors as for run_on_board().
Result<RunReport> invoke_on_board(const std::string& address, const Graph& graph,
                                  const GeneratedNetwork& network, const Device& device,
                                  std::span<const std::vector<uint8_t>> inputs);

}  // namespace tinytune
