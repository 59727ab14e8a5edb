// Validation of messages. Both sides check each message on arrival, before they use it.
//
// A worker compiles what a tuner sends, so it trusts the tuner with its time, but not with its
// memory: with sizes that do not fit the workload, packing would read beyond a heap block. A tuner
// writes results to a log that decides later runs, so impossible results must be refused. A peer
// that sends one invalid message is disconnected.
#pragma once

#include <cstdint>
#include <string>

#include "measure/job.h"
#include "tinytune/result.h"

namespace tinytune {

namespace rpc {  // of tuner.proto
class FromWorker;
class ToWorker;
}  // namespace rpc

/// Limits. The size of data sent in pieces is checked when it is announced.
namespace most {
inline constexpr int kMessageBytes = 128 << 10;  ///< of one gRPC message, both directions
inline constexpr uint64_t kPieceBytes = 64 << 10;
inline constexpr size_t kWordBytes = 200;    ///< names: of devices, hosts, builds, boards, cases
inline constexpr size_t kLineBytes = 1'000;  ///< details of outcomes, reasons of refusals
inline constexpr size_t kScheduleBytes = 4'096;
inline constexpr size_t kWorkloadBytes = 1'024;
inline constexpr uint64_t kTaskBytes = 256 << 20;  ///< of one task
inline constexpr uint64_t kTasksBytes = 1 << 30;   ///< of all tasks that a worker keeps
inline constexpr uint64_t kImageBytes = 64 << 20;  ///< no microcontroller has as much flash
inline constexpr int kCases = 64;
inline constexpr int kRepeats = 1'000;
inline constexpr uint64_t kCount = uint64_t{1} << 50;  ///< cycles, instructions: days at 1 GHz
inline constexpr uint64_t kBytes = uint64_t{1} << 32;  ///< code, constants, RAM: an address space
inline constexpr double kSeconds = 1e6;
inline constexpr int kBuildMilliseconds = 3'600'000;
inline constexpr uint64_t kRunMilliseconds = 3'600'000;
inline constexpr uint64_t kBuildMemoryBytes = uint64_t{1} << 40;
}  // namespace most

/// Checks that fields are within the limits, text is printable and names are known. kInvalidInput
/// names the field at fault.
Status check_message(const rpc::FromWorker& message);
Status check_message(const rpc::ToWorker& message);

/// Checks that a result is possible: kOk has one count of cycles per repeat (a board may have
/// more), each at least 1, and no other outcome has any. `stage` is the fidelity of the job.
/// kInvalidInput says what is impossible.
Status check_result(const MeasureResult& result, Fidelity stage, const MeasureLimits& limits);

/// Returns the largest size on the wire of a task of this workload. kInvalidInput: it exceeds
/// most::kTaskBytes.
Result<uint64_t> largest_task(const Workload& workload);

}  // namespace tinytune
