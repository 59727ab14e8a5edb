// The JSON of every command, in one place: the keys are a promise to other people's
// scripts. They are added to and never renamed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/network_cycles.h"
#include "tinytune/deploy.h"
#include "tinytune/explain.h"
#include "tinytune/model.h"
#include "tinytune/tinytune.h"
#include "tinytune/tuning.h"

namespace tinytune {

std::string error_json(const std::string& message);
/// With the refusal as `error`, if there is one, and with the footprint on a device, if one was
/// named.
std::string to_json(const Inspection& inspection, const std::optional<RunReport>& on_device);
std::string to_json(const CompileReport& report);
std::string to_json(const SharedArenaReport& report);
std::string to_json(std::span<const DeviceInfo> devices);
/// Without figures of the whole network, the sums of its tuned layers.
std::string to_json(const TuneReport& report, const std::optional<NetworkCycles>& network);
std::string to_json(const RunReport& report);
std::string to_json(const TaskExplanation& explanation);
std::string to_json(const NetworkExplanation& explanation);

/// Default and tuned variants of one network, side by side.
std::string to_json(const RunReport& by_default, const RunReport& tuned);

}  // namespace tinytune
