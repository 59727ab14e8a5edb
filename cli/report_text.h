// Text output of commands, mostly tables.
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

std::string to_text(const Inspection& inspection);
std::string to_text(std::span<const DeviceInfo> devices);
/// Without `network`, contains the sums of the tuned layers instead of the network's cycles.
std::string to_text(const TuneReport& report, const std::optional<NetworkCycles>& network);
std::string to_text(const RunReport& report);
std::string to_text(const TaskExplanation& explanation);
std::string to_text(const NetworkExplanation& explanation);
/// Returns two lines: "RAM 57,995 = arena 16,784 + weights 33,453 + code 7,598 + stack 160", then
/// flash and time.
std::string to_text(const Footprint& footprint, std::optional<uint64_t> clock_hz);

/// Compares default and tuned layer by layer, then the network's totals.
std::string comparison_text(const RunReport& by_default, const RunReport& tuned,
                            const std::string& device);

}  // namespace tinytune
