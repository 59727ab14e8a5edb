// A worker that misbehaves in jobs whose template name asks for it: "abort", "hang", "slow" (half a
// second, then the task's default schedule), "instant" (a result without any work), "zero", "bare"
// and "few" (impossible results), "full" (a full disk).
//
// Options: --only build|run, --keys DIR, --doctor PROGRAM, --stay 1, --build-id X.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "measure/measurer.h"
#include "rpc_device/boards/simulator_board.h"
#include "rpc_device/fleet/staying_worker.h"
#include "rpc_device/fleet/worker.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

constexpr uint64_t kCycles = 1'000'000;

MeasureResult ok(std::vector<uint64_t> cycles) {
  MeasureResult result;
  result.outcome = Outcome::kOk;
  result.cycles = std::move(cycles);
  return result;
}

Result<MeasureResult> misbehave(Measurer& measurer, const Device& device, const TaskData& task,
                                const Digest& of_task, const MeasureJob& job) {
  const std::string& what = job.schedule.template_name();
  if (what == "abort") std::_Exit(1);
  while (what == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (what == "instant") return ok({kCycles});
  if (what == "zero") return ok({0});
  if (what == "few") return ok({7});
  if (what == "bare") return ok({});
  if (what == "full") return Error(ErrorCode::kFailed, "No space left on device");
  if (what != "slow") return measurer.measure(task, of_task, job);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  TT_TRY_ASSIGN(const Schedule real, default_schedule_of(task.workload, device));
  return measurer.measure(task, of_task, {real, job.stage, job.limits});
}

Status work(const WorkerOptions& options, const std::string& build_id) {
  TT_TRY_ASSIGN(const Device device, load_device(options.device));
  TT_TRY_ASSIGN(Builder builder, Builder::start(device));
  TT_TRY_ASSIGN(const auto board, SimulatorBoard::create(device));
  Measurer measurer(builder, *board);
  JobFunctions jobs;
  jobs.build_id = build_id;
  jobs.build = [](const TaskData&, const Schedule&, const MeasureLimits&) {
    return Result<BuiltCandidate>(BuiltCandidate{});
  };
  jobs.run = [](const TaskData&, const BuiltKernel&, const MeasureLimits&) {
    return Result<MeasureResult>(ok({kCycles}));
  };
  jobs.measure = [&](const TaskData& task, const Digest& of_task, const MeasureJob& job) {
    return misbehave(measurer, device, task, of_task, job);
  };
  return serve_jobs(options, device, jobs);
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  using namespace tinytune;
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  WorkerOptions options;
  options.connect = given["--connect"];
  options.device = given["--device"];
  options.keys = given["--keys"];
  if (given.contains("--doctor")) options.doctor = {given["--doctor"]};
  const bool stays = given.contains("--stay");
  const bool real = stays || given.contains("--only") || given.contains("--doctor");
  options.builds = given["--only"] != "run";
  options.runs = given["--only"] != "build";
  options.connect_timeout_ms = 5'000;
  const LogSink log = [](LogLevel level, const std::string& line) {
    if (level == LogLevel::kDebug) return;
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  const Status served = stays  ? stay(options, log)
                        : real ? run_worker(options)
                               : work(options, given["--build-id"]);
  if (served) return 0;
  std::fprintf(stderr, "%s\n", served.error().message().c_str());
  return served.error().code() == ErrorCode::kInvalidInput ? 2 : 1;
}
