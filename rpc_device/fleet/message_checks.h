// What a message may hold. Both sides check each one on arrival, before anything is done with it.
//
// A worker compiles what it is sent, so it trusts its tuner with its time. It does not trust it
// with its memory: sizes that do not fit a workload would have packing read beyond a heap block. A
// tuner writes what it is told to a log that decides later runs, so a result that could not be true
// is not a result. Who sends one message that fails here is cut off.
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

/// The table of limits. What is announced and follows in pieces is checked when it is announced.
namespace most {
inline constexpr int kMessageBytes = 128 << 10;  ///< what either side lets gRPC receive at once
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

/// Fields within the table, text printable, names known. kInvalidInput: the field at fault.
Status check_message(const rpc::FromWorker& message);
Status check_message(const rpc::ToWorker& message);

/// A result that could be true: `ok` has its cycles, at least one each and as many as repeats (of a
/// board perhaps more), and nothing else has any. `stage` is how far the job went. kInvalidInput: what is impossible.
Status check_result(const MeasureResult& result, Fidelity stage, const MeasureLimits& limits);

/// How many bytes a task of this workload may have on the wire. kInvalidInput: more than
/// most::kTaskBytes.
Result<uint64_t> largest_task(const Workload& workload);

}  // namespace tinytune
