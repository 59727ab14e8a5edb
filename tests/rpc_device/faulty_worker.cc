// A worker like any other, but for jobs of templates that ask it to misbehave: "abort", "hang",
// "slow" (half a second, then the task's default schedule).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "measure/measurer.h"
#include "rpc_device/simulator_board.h"
#include "rpc_device/worker.h"
#include "templates/kernel_template.h"

int main(int argc, char** argv) {
  using namespace tinytune;
  WorkerOptions options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--connect") == 0) options.connect = argv[i + 1];
    if (std::strcmp(argv[i], "--device") == 0) options.device = argv[i + 1];
  }
  options.connect_timeout_ms = 5'000;
  const auto failed = [](const Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return error.code() == ErrorCode::kInvalidInput ? 2 : 1;
  };
  const auto device = load_device(options.device);
  if (!device) return failed(device.error());
  auto builder = Builder::start(*device);
  if (!builder) return failed(builder.error());
  const auto board = SimulatorBoard::create(*device);
  if (!board) return failed(board.error());
  Measurer measurer(*builder, **board);
  const Status served =
      serve_jobs(options, *device,
                 [&](const TaskData& task, uint64_t hash, const Schedule& schedule,
                     const MeasureLimits& limits) -> Result<MeasureResult> {
                   const std::string& what = schedule.template_name();
                   if (what == "abort") std::_Exit(1);
                   while (what == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
                   if (what != "slow") return measurer.measure(task, hash, schedule, limits);
                   std::this_thread::sleep_for(std::chrono::milliseconds(500));
                   TT_TRY_ASSIGN(const Schedule real, default_schedule_of(task.workload, *device));
                   return measurer.measure(task, hash, real, limits);
                 });
  return served ? 0 : failed(served.error());
}
