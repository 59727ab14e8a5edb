// What a desk does for all of its conversations: it hands out jobs, and says how the fleet is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rpc_device/fleet/conversation.h"
#include "rpc_device/fleet/fleet_view.h"

namespace tinytune {

/// In the order in which they began. Not thread-safe, as conversations are not.
using Conversations = std::vector<Conversation*>;

/// Examines the boards that are due, and gives jobs to workers that are idle: first to those that
/// have finished one. However many others connect and stay silent, few jobs wait for them.
void hand_out(Desk& desk, const Conversations& all, Conversation::Clock::time_point now);

FleetView view_of(const Desk& desk, const Conversations& all, double run_ms,
                  Conversation::Clock::time_point now);

/// As TunerService::why_stuck() has it, where jobs wait and none is under way.
std::optional<std::string> why_stuck(const Desk& desk, const Conversations& all);

}  // namespace tinytune
