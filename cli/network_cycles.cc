#include "cli/network_cycles.h"

#include "deploy/layouts.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/deploy.h"

namespace tinytune {

Result<std::optional<NetworkCycles>> network_cycles(const Model& model, const Arguments& arguments,
                                                    const std::string& log) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(arguments.device));
  if (address.is_program()) return std::optional<NetworkCycles>();
  RunOptions options;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.limits = arguments.limits();
  options.portable = arguments.portable;
  TT_TRY_ASSIGN(const RunReport by_default, run_model(model, arguments.device, options));
  options.records = log;
  TT_TRY_ASSIGN(const RunReport tuned, run_model(model, arguments.device, options));
  return std::optional(NetworkCycles{by_default.footprint.cycles, tuned.footprint.cycles});
}

}  // namespace tinytune
