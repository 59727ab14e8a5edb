// Ways for weights to arrive: finds a device's way, and checks that a deployment can use it.
#include <string>
#include <vector>

#include "deploy/deployment/network_moves.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {

Result<std::optional<ArrivalWay>> find_arrival(const std::string& device, const std::string& name) {
  if (name.empty()) return std::optional<ArrivalWay>();
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device));
  TT_TRY_ASSIGN(const std::vector<ArrivalWay> ways, load_arrival_ways(address.device));
  std::string known;
  for (const ArrivalWay& way : ways) {
    if (way.name == name) return std::optional(way);
    known += (known.empty() ? "" : ", ") + way.name;
  }
  return Error(ErrorCode::kInvalidInput, address.device + " has no way \"" + name +
                                             "\" for weights to arrive; " +
                                             (known.empty() ? "it has none" : "it has " + known));
}

bool copies_code_alone(const Deployment& deployment) {
  const auto& arrival = deployment.arrival;
  return arrival && arrival->locks_flash && deployment.limits.fast_ram_bytes == 0;
}

Status check_arrival(const Deployment& deployment) {
  const auto& arrival = deployment.arrival;
  if (!arrival) return ok_status();
  const std::string way = "--arrive " + arrival->name;
  if (arrival->locks_flash && deployment.device.fast_code_memory.empty())
    return Error(ErrorCode::kUnsupported, way + " keeps code out of flash: " +
                                              deployment.device.name + " has no fast_code for it");
  if (deployment.input != InputArrival::kWhole || deployment.share)
    return Error(ErrorCode::kUnsupported, "--arrive is for one network and a whole input");
  if (deployment.cores == 1 || !arrival->locks_flash) return ok_status();
  return Error(ErrorCode::kUnsupported,
               way + " keeps flash from the other core: leave out --cores");
}

}  // namespace tinytune
