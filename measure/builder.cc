#include "measure/builder.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "measure/build_kernel.h"

namespace tinytune {
namespace {

// Candidates with the same bitcode are proposed close together, and a kernel's bitcode has some
// tens of kilobytes.
constexpr size_t kMostLowered = 128;

BuildReport failed(Outcome outcome, const SandboxReport& report) {
  BuildReport build;
  build.outcome = outcome;
  build.detail = "build: " + report.detail;
  return build;
}

}  // namespace

Result<Builder> Builder::start(const Device& device) {
  TT_TRY_ASSIGN(Sandbox sandbox, Sandbox::start([device](std::span<const uint8_t> request) {
                  return build_message::answer(request, device);
                }));
  return Builder(std::move(sandbox));
}

std::vector<uint8_t> Builder::take_bitcode(const std::string& key) {
  const auto known = std::find_if(lowered_.begin(), lowered_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (known == lowered_.end()) return {};
  std::vector<uint8_t> bitcode = std::move(known->second);
  lowered_.erase(known);
  return bitcode;
}

void Builder::keep_bitcode(std::string key, std::vector<uint8_t> bitcode) {
  if (bitcode.empty()) return;
  if (lowered_.size() == kMostLowered) lowered_.erase(lowered_.begin());
  lowered_.emplace_back(std::move(key), std::move(bitcode));
}

Result<BuildReport> Builder::build(const TaskData& task, const Schedule& schedule,
                                   const MeasureLimits& limits) {
  std::string key = to_text(task.workload) + "\n" + common_schedule(schedule);
  std::vector<uint8_t> bitcode = take_bitcode(key);
  const auto request = build_message::request(task, schedule, bitcode);
  const SandboxLimits sandbox_limits{.cpu_ms = limits.build_cpu_ms,
                                     .memory_bytes = limits.build_memory_bytes};
  for (int tried = 1;; ++tried) {
    const bool last = tried == kTries;
    const auto report = sandbox_.run(request, sandbox_limits);
    auto built = report && report->end == SandboxEnd::kReturned
                     ? build_message::read_answer(report->bytes, bitcode)
                     : Result<BuildReport>(BuildReport());
    if (!report || !built) {
      const Error& error = report ? built.error() : report.error();
      if (last || error.code() == ErrorCode::kDeviceLost) return error.within("cannot build here");
    } else {
      switch (report->end) {
        case SandboxEnd::kReturned:
          keep_bitcode(std::move(key), std::move(bitcode));
          return built;
        case SandboxEnd::kCpuTime:
          return failed(Outcome::kBuildTimeout, *report);
        case SandboxEnd::kOutOfMemory:
        case SandboxEnd::kCrashed:
          return failed(Outcome::kBuildFailed, *report);
        case SandboxEnd::kKilled:
          if (last) return failed(Outcome::kLost, *report);
          break;
        case SandboxEnd::kStuck:  // each try takes at least a minute: two are enough
          if (tried > 1) return failed(Outcome::kLost, *report);
          break;
      }
    }
    // A shortage of processes, files or memory may end within moments.
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * tried));
  }
}

MeasureResult result_of(const BuildReport& build) {
  MeasureResult result;
  result.outcome = build.outcome;
  result.detail = build.detail;
  result.fidelity = Fidelity::kBuild;
  result.times = {build.times.lower_ms, build.times.llvm_ms, build.times.link_ms, 0, 0};
  if (build.outcome == Outcome::kOk) {
    result.code = build.kernel.code;
    result.image = to_text(build.kernel.image());
  }
  return result;
}

}  // namespace tinytune
