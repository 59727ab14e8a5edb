// Builds a kernel inside the sandbox, and serialises the request and answer of such a build.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/builder.h"
#include "measure/sandbox.h"

namespace tinytune {

/// Compiles, links and packs. `bitcode` in: LoweredKernel::bitcode of a schedule that lowers to the
/// same code, or empty; out: that of this schedule, empty if it does not lower. kFailed: the
/// machine's fault, not the candidate's.
Result<BuildReport> build_kernel(const Workload& workload, const LayerData& data,
                                 const Schedule& schedule, const Device& device,
                                 std::vector<uint8_t>& bitcode);

namespace build_message {

/// Serialises a build; `bitcode` as for build_kernel().
std::vector<uint8_t> request(const TaskData& task, const Schedule& schedule,
                             std::span<const uint8_t> bitcode);
/// Parses a request, builds its kernel and serialises the report.
Sandbox::Answer answer(std::span<const uint8_t> request, const Device& device);
/// Parses an answer and sets `bitcode` to the schedule's. kFailed: build_kernel() failed so, or the
/// answer is malformed.
Result<BuildReport> read_answer(std::span<const uint8_t> answer, std::vector<uint8_t>& bitcode);

}  // namespace build_message
}  // namespace tinytune
