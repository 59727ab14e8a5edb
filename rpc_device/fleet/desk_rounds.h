// Operations over all conversations of a desk: distribution of jobs, and the state of the fleet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rpc_device/fleet/conversation.h"
#include "rpc_device/fleet/fleet_view.h"

namespace tinytune {

/// In the order in which they began. Not thread-safe, because conversations are not.
using Conversations = std::vector<Conversation*>;

/// Starts due examinations and gives jobs to idle workers, first to those that have finished one.
/// All others together get only a few jobs, so that workers that never answer hold up few.
void hand_out(Desk& desk, const Conversations& all, Conversation::Clock::time_point now);

FleetView view_of(const Desk& desk, const Conversations& all, double run_ms,
                  Conversation::Clock::time_point now);

/// TunerService::why_stuck() for a desk where jobs wait and none is under way.
std::optional<std::string> why_stuck(const Desk& desk, const Conversations& all);

}  // namespace tinytune
