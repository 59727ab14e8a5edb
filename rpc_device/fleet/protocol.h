// The messages of tuner.proto as the types of measure/.
//
// Messages that come here have passed check_message(); what only makes sense as a whole is checked
// here.
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

/// Raised when a message, or what a worker does with it, changes its meaning.
inline constexpr uint32_t kProtocolVersion = 3;

/// What a task is called on the wire: its digest as text.
std::string id_of(const TaskData& task);

rpc::TaskHead head_of(const TaskData& task, uint64_t bytes);
std::string to_wire(const TaskData& task);
/// kInvalidInput: not the bytes of a task, parts that do not belong together (check_task), or
/// another digest than announced.
Result<TaskData> task_from_wire(const rpc::TaskHead& head, std::string_view bytes);

std::string to_wire(const BuiltKernel& kernel);
/// kInvalidInput: not the bytes of an image.
Result<BuiltKernel> image_from_wire(std::string_view bytes);

rpc::Fleet to_message(const FleetView& view);
/// Its texts made fit for a terminal.
FleetView from_message(const rpc::Fleet& message);

rpc::Limits to_message(const MeasureLimits& limits);
MeasureLimits from_message(const rpc::Limits& message);

rpc::Finished to_message(const MeasureResult& result, uint64_t ticket);
/// Without source and build, which the worker's Hello said. kInvalidInput: a name that is none.
Result<MeasureResult> from_message(const rpc::Finished& message);

}  // namespace tinytune
