// The JSON output of all commands, in one place: scripts depend on the keys, so keys may be added
// but never renamed.
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
/// Contains the refusal, if there is one, as `error`, and the footprint if a device was named.
std::string to_json(const Inspection& inspection, const std::optional<RunReport>& on_device);
std::string to_json(const CompileReport& report);
std::string to_json(const SharedArenaReport& report);
std::string to_json(std::span<const DeviceInfo> devices);
/// Without `network`, contains the sums of the tuned layers instead of the network's cycles.
std::string to_json(const TuneReport& report, const std::optional<NetworkCycles>& network);
std::string to_json(const RunReport& report);
std::string to_json(const TaskExplanation& explanation);
std::string to_json(const NetworkExplanation& explanation);

/// Default and tuned variants of one network, side by side.
std::string to_json(const RunReport& by_default, const RunReport& tuned);

}  // namespace tinytune
