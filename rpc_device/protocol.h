// The messages of tuner.proto as the types of measure/, and the limits of the wire.
#pragma once

#include <cstdint>

#include "measure/job.h"
#include "tinytune/result.h"

namespace tinytune {

namespace rpc {  // of tuner.proto
class Finished;
class Limits;
class TaskData;
}  // namespace rpc

/// Raised when a message, or what a worker does with it, changes its meaning.
inline constexpr uint32_t kProtocolVersion = 1;

/// gRPC's own limit is 4 MB; a task with its cases may be several times its largest tensor.
inline constexpr int kMessageLimitBytes = 256 << 20;

rpc::TaskData to_message(const TaskData& task);
/// kInvalidInput: a workload that does not parse, or bytes that hash to another value.
Result<TaskData> from_message(const rpc::TaskData& message);

rpc::Limits to_message(const MeasureLimits& limits);
MeasureLimits from_message(const rpc::Limits& message);

rpc::Finished to_message(const MeasureResult& result, uint64_t ticket);
/// kInvalidInput: an outcome without a name here.
Result<MeasureResult> from_message(const rpc::Finished& message);

}  // namespace tinytune
