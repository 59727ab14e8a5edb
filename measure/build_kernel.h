// What a build does inside its sandbox, and how its request and answer cross into it and out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/builder.h"
#include "measure/sandbox.h"

namespace tinytune {

/// `bitcode`: LoweredKernel's, of a schedule that shares it, or empty; afterwards this schedule's,
/// empty if it does not lower. kFailed: this machine, not the candidate.
Result<BuildReport> build_kernel(const Workload& workload, const LayerData& data,
                                 const Schedule& schedule, const Device& device,
                                 std::vector<uint8_t>& bitcode);

namespace build_message {

/// `bitcode` as build_kernel() takes it.
std::vector<uint8_t> request(const TaskData& task, const Schedule& schedule,
                             std::span<const uint8_t> bitcode);
/// Builds what the request asks for.
Sandbox::Answer answer(std::span<const uint8_t> request, const Device& device);
/// `bitcode` becomes that of the schedule. kFailed: as of build_kernel(), or an answer that is
/// none.
Result<BuildReport> read_answer(std::span<const uint8_t> answer, std::vector<uint8_t>& bitcode);

}  // namespace build_message
}  // namespace tinytune
