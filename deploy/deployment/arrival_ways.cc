// Ways for weights to arrive: which the device has, and what a deployment has to be for one.
#include <string>
#include <vector>

#include "deploy/deployment/deployment.h"
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

bool Deployment::copies_code_alone() const {
  return arrival && arrival->locks_flash && limits.fast_ram_bytes == 0;
}

Status Deployment::check_arrival() const {
  if (!arrival) return ok_status();
  if (arrival->locks_flash && device.fast_code_memory.empty())
    return Error(ErrorCode::kUnsupported, "--arrive " + arrival->name +
                                              " keeps code out of flash: " + device.name +
                                              " has no fast_code for it");
  if (input != InputArrival::kWhole || share)
    return Error(ErrorCode::kUnsupported, "--arrive is for one network and a whole input");
  if (cores == 1 || !arrival->locks_flash) return ok_status();
  return Error(ErrorCode::kUnsupported,
               "--arrive " + arrival->name + " keeps flash from the other core: leave out --cores");
}

}  // namespace tinytune
