// Converts between the messages of tuner.proto and the types of measure/.
//
// Messages have passed check_message(); conditions on several fields together are checked here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "measure/built_kernel.h"
#include "measure/job.h"
#include "rpc_device/fleet/fleet_view.h"
#include "tinytune/result.h"

namespace tinytune {

namespace rpc {  // of tuner.proto
class Finished;
class Fleet;
class Limits;
class TaskHead;
}  // namespace rpc

/// Must be raised when the meaning of a message changes, or what a worker does with it.
inline constexpr uint32_t kProtocolVersion = 3;

/// Returns the name of a task on the wire: its digest as text.
std::string id_of(const TaskData& task);

rpc::TaskHead head_of(const TaskData& task, uint64_t bytes);
std::string to_wire(const TaskData& task);
/// kInvalidInput: not a serialised task, its parts do not match (check_task()), or its digest is
/// not the announced one.
Result<TaskData> task_from_wire(const rpc::TaskHead& head, std::string_view bytes);

std::string to_wire(const BuiltKernel& kernel);
/// kInvalidInput: not a serialised image.
Result<BuiltKernel> image_from_wire(std::string_view bytes);

rpc::Fleet to_message(const FleetView& view);
/// Makes the texts safe for a terminal.
FleetView from_message(const rpc::Fleet& message);

rpc::Limits to_message(const MeasureLimits& limits);
MeasureLimits from_message(const rpc::Limits& message);

rpc::Finished to_message(const MeasureResult& result, uint64_t ticket);
/// Leaves source and build empty, which are from the worker's Hello. kInvalidInput: unknown names.
Result<MeasureResult> from_message(const rpc::Finished& message);

}  // namespace tinytune
