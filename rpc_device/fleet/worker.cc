#include "rpc_device/fleet/worker.h"

#include <unistd.h>

#include <memory>
#include <optional>
#include <random>

#include "rpc_device/boards/open_board.h"
#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/build_id.h"
#include "rpc_device/fleet/job_loop.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.pb.h"
#include "rpc_device/fleet/tuner_link.h"

namespace tinytune {
namespace {

uint64_t number_of_this_process() {
  static const uint64_t number = [] {
    std::random_device entropy;
    return uint64_t{entropy()} << 32 | entropy();
  }();
  return number;
}

rpc::FromWorker hello(const Device& device, const JobFunctions& jobs) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  rpc::FromWorker message;
  rpc::Hello& hello = *message.mutable_hello();
  hello.set_protocol(kProtocolVersion);
  hello.set_device(device.name);
  hello.set_device_hash(device.hash);
  hello.set_build(jobs.build_id.empty() ? build_id() : jobs.build_id);
  hello.set_process(::getpid());
  hello.set_host(host);
  hello.set_instance(number_of_this_process());
  hello.set_builds(jobs.build != nullptr);
  if (jobs.run) hello.set_runs_on(jobs.runs_on);
  return message;
}

}  // namespace

Status serve_jobs(const WorkerOptions& options, const Device& device, const JobFunctions& jobs) {
  TT_TRY_ASSIGN(const Address address, parse_address(options.connect));
  std::optional<LinkKeys> keys;
  if (!options.keys.empty()) {
    TT_TRY_ASSIGN(keys, read_keys(options.keys));
  }
  TT_TRY_ASSIGN(const auto link, TunerLink::dial(address, keys, options.connect_timeout_ms));
  TT_TRY_ASSIGN(const rpc::ToWorker answer,
                link->introduce(hello(device, jobs), options.connect_timeout_ms));
  if (answer.has_refusal())
    return Error(ErrorCode::kInvalidInput, "refused: " + answer.refusal().reason());
  JobLoop loop(jobs, [&](const rpc::FromWorker& message) { link->send(message); });
  while (const auto message = link->next()) {
    const Status done = loop.handle(*message);
    if (done) continue;
    link->hang_up();
    return done;
  }
  return link->end();
}

Status run_worker(const WorkerOptions& options, const LogSink& log) {
  TT_TRY(parse_address(options.connect));
  TT_TRY_ASSIGN(const BoardAddress board_address, parse_board_address(options.device));
  TT_TRY_ASSIGN(Device device, load_device(board_address.device));
  if (options.in_flash) device = in_flash(std::move(device));
  TT_TRY_ASSIGN(Builder builder, Builder::start(device));  // before anything starts a thread
  std::unique_ptr<Board> board;
  std::optional<Measurer> measurer;
  std::optional<BoardRunner> runner;
  JobFunctions jobs;
  if (options.runs) {
    TT_TRY_ASSIGN(board, open_board(board_address, device, options.power_switch));
    measurer.emplace(builder, *board);
    runner.emplace(*board);
    jobs.runs_on = board->identity().id;
  }
  if (options.builds)
    jobs.build = [&](const TaskData& task, const Schedule& schedule,
                     const MeasureLimits& limits) -> Result<BuiltCandidate> {
      TT_TRY_ASSIGN(BuildReport build, builder.build(task, schedule, limits));
      MeasureResult result = result_of(build);
      return BuiltCandidate{std::move(result), std::move(build.kernel)};
    };
  if (options.runs)
    jobs.run = [&](const TaskData& task, const BuiltKernel& kernel,
                   const MeasureLimits& limits) -> Result<MeasureResult> {
      TT_TRY_ASSIGN(RunResult run, runner->run(kernel, task, limits));
      return std::move(run.result);
    };
  if (options.builds && options.runs)
    jobs.measure = [&](const TaskData& task, const Digest& of_task, const MeasureJob& job) {
      return measurer->measure(task, of_task, job);
    };
  log(LogLevel::kDebug, "worker for " + device.name + " dials " + options.connect);
  return serve_jobs(options, device, jobs);
}

}  // namespace tinytune
