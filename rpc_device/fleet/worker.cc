#include "rpc_device/fleet/worker.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <sstream>

#include "base/subprocess.h"
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
  static const uint64_t kNumber = [] {
    std::random_device entropy;
    return uint64_t{entropy()} << 32 | entropy();
  }();
  return kNumber;
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

std::string duties_of(const JobFunctions& jobs) {
  const std::string runs = jobs.run ? "runs on " + jobs.runs_on : "";
  if (!jobs.build) return runs;
  return runs.empty() ? "builds" : "builds, " + runs;
}

/// Returns the problem that `tune doctor` finds; empty: none. It runs as a separate process because
/// this one has threads and cannot fork builds, and because a broken board may crash the examiner.
std::string ask_doctor(const std::vector<std::string>& doctor) {
  constexpr std::chrono::seconds kPatience{120};
  const auto asked = run_process(doctor, kPatience);
  if (!asked) return asked.error().message();
  if (asked->exit_code == 0) return "";
  std::istringstream lines(asked->out);
  std::string wrong;
  constexpr std::string_view kWrong = "WRONG ";
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find(kWrong); at != std::string::npos)
      wrong += (wrong.empty() ? "" : "; ") + line.substr(at + kWrong.size());
  return !wrong.empty() ? wrong
         : asked->err.empty()
             ? "the doctor ended with exit code " + std::to_string(asked->exit_code)
             : asked->err;
}

/// A board and the objects that measure on it, closed while the doctor uses the board's line.
class Workplace {
 public:
  Workplace(const WorkerOptions& options, BoardAddress address, const Device& device,
            Builder& builder)
      : options_(options), address_(std::move(address)), device_(device), builder_(builder) {}

  Status open() {
    TT_TRY_ASSIGN(board_, open_board(address_, device_, options_.power_switch));
    measurer_.emplace(builder_, *board_);
    runner_.emplace(*board_);
    return ok_status();
  }

  /// A board that is lost afterwards is an error, not a finding: a restarted worker waits for it.
  Result<std::string> examine() {
    runner_.reset();
    measurer_.reset();
    board_.reset();
    const std::string wrong = ask_doctor(options_.doctor);
    const Status opened = open();
    if (!opened && opened.error().code() == ErrorCode::kDeviceLost) return opened.error();
    return wrong.empty() && !opened ? opened.error().message() : wrong;
  }

  std::string id() const { return board_->identity().id; }

  Result<MeasureResult> run(const TaskData& task, const BuiltKernel& kernel,
                            const MeasureLimits& limits) {
    if (!runner_) return gone();
    TT_TRY_ASSIGN(RunResult run, runner_->run(kernel, task, limits));
    return std::move(run.result);
  }
  Result<MeasureResult> measure(const TaskData& task, const Digest& of_task,
                                const MeasureJob& job) {
    return measurer_ ? measurer_->measure(task, of_task, job) : Result<MeasureResult>(gone());
  }

 private:
  Error gone() const {
    return Error(ErrorCode::kFailed, options_.device + " has not come back from its examination");
  }

  const WorkerOptions& options_;
  const BoardAddress address_;
  const Device& device_;
  Builder& builder_;
  std::unique_ptr<Board> board_;
  std::optional<Measurer> measurer_;
  std::optional<BoardRunner> runner_;
};

}  // namespace

Status serve_jobs(const WorkerOptions& options, const Device& device, const JobFunctions& jobs,
                  const LogSink& log) {
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
  log(LogLevel::kInfo, "serving the tuner at " + options.connect + ": " + duties_of(jobs));
  uint64_t done = 0;
  JobLoop loop(jobs, [&](const rpc::FromWorker& message) {
    link->send(message);
    done += message.has_finished() ? 1 : 0;
  });
  while (const auto message = link->next()) {
    const Status done = loop.handle(*message);
    if (done) continue;
    link->hang_up();
    return done;
  }
  TT_TRY(link->end());
  log(LogLevel::kInfo, "the run is over; jobs done here: " + std::to_string(done));
  return ok_status();
}

Status run_worker(const WorkerOptions& options, const LogSink& log) {
  TT_TRY(parse_address(options.connect));
  TT_TRY_ASSIGN(const BoardAddress board_address, parse_board_address(options.device));
  TT_TRY_ASSIGN(Device device, load_device(board_address.device));
  if (options.in_flash) device = in_flash(std::move(device));
  TT_TRY_ASSIGN(Builder builder, Builder::start(device));  // before any thread is started
  Workplace place(options, board_address, device, builder);
  JobFunctions jobs;
  if (options.runs) {
    TT_TRY(place.open());
    jobs.runs_on = place.id();
  }
  if (options.on_board_open) options.on_board_open();
  if (!options.doctor.empty())
    jobs.examine = [&] {
      return options.runs ? place.examine() : Result<std::string>(ask_doctor(options.doctor));
    };
  if (options.builds)
    jobs.build = [&](const TaskData& task, const Schedule& schedule,
                     const MeasureLimits& limits) -> Result<BuiltCandidate> {
      TT_TRY_ASSIGN(BuildReport build, builder.build(task, schedule, limits));
      MeasureResult result = result_of(build);
      return BuiltCandidate{std::move(result), std::move(build.kernel)};
    };
  if (options.runs)
    jobs.run = [&](const TaskData& task, const BuiltKernel& kernel, const MeasureLimits& limits) {
      return place.run(task, kernel, limits);
    };
  if (options.builds && options.runs)
    jobs.measure = [&](const TaskData& task, const Digest& of_task, const MeasureJob& job) {
      return place.measure(task, of_task, job);
    };
  log(LogLevel::kDebug, "worker for " + device.name + " dials " + options.connect);
  return serve_jobs(options, device, jobs, log);
}

}  // namespace tinytune
