#include "rpc_device/fleet/worker_pool.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "codegen/kernels/kernel.h"
#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/job_queue.h"
#include "rpc_device/fleet/local_workers.h"
#include "rpc_device/fleet/quarantine.h"
#include "rpc_device/fleet/tuner_service.h"

namespace tinytune {

using std::chrono::milliseconds;

void add(StageTimes& sum, const StageTimes& times) {
  sum.lower_ms += times.lower_ms;
  sum.llvm_ms += times.llvm_ms;
  sum.link_ms += times.link_ms;
  sum.run_ms += times.run_ms;
  sum.verify_ms += times.verify_ms;
}

StageTimes PoolStatistics::total() const {
  StageTimes sum = departed.times;
  for (const WorkerStatistics& worker : workers) add(sum, worker.times);
  return sum;
}

milliseconds time_of(const MeasureLimits& limits) {
  constexpr int kBuilds = 4;                 // a build may get 1/4 of a processor
  constexpr uint64_t kCyclesPerMs = 50'000;  // speed of a simulator on a shared processor
  return milliseconds(kBuilds * int64_t{limits.build_cpu_ms}) +
         milliseconds(limits.run_cycles / kCyclesPerMs) + milliseconds(limits.run_ms);
}

/// Consecutive failures of the workers' environment, per connected worker, after which the pool
/// gives up, even if examinations find nothing wrong.
constexpr uint64_t kFailuresOfEach = 4 * Quarantine::kFaultsInARow;

/// Longer than a worker takes to reconnect.
constexpr milliseconds kAloneBeforeTold{5'000};

namespace {

std::string device_of(const WorkerPoolOptions& options, const Device& device) {
  return options.worker_device.empty() ? device.name : options.worker_device;
}

std::vector<LocalWorkers::Worker> local_workers(const WorkerPoolOptions& options,
                                                const Device& device, const std::string& address) {
  std::vector<std::string> whole = options.worker_command;
  for (const std::string& word :
       {std::string("--connect"), address, std::string("--device"), device_of(options, device)})
    whole.push_back(word);
  const auto count = static_cast<size_t>(options.local_workers);
  if (!options.local_board) return std::vector(count, LocalWorkers::Worker{whole, true, true, ""});
  const auto half = [&](const char* which) {
    std::vector<std::string> words = whole;
    words.insert(words.end(), {"--only", which});
    return words;
  };
  std::vector<LocalWorkers::Worker> workers(1 + count, {half("build"), true, false, ""});
  workers.front() = {half("run"), false, true, "board " + device_of(options, device)};
  return workers;
}

Result<Admission> admission_by(const std::string& directory) {
  TT_TRY_ASSIGN(LinkKeys keys, read_keys(directory));
  if (keys.certificate.empty())
    return Error(ErrorCode::kInvalidInput,
                 directory + " holds a token, which is for workers; a tuner has a certificate");
  TT_TRY_ASSIGN(TokenList tokens, TokenList::read(directory + "/" + kTokenListName));
  return Admission(std::move(keys), std::move(tokens));
}

}  // namespace

struct WorkerPool::State {
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      changed.notify_all();
    }
    if (watcher.joinable()) watcher.join();
    queue.close();
    service.reset();  // ends the streams, so that workers end
    local.reset();
  }

  void watch() {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, milliseconds(200), [this] { return stopping; })) {
      service->look_around();
      if (!local) say_what_is_awaited();
    }
  }

  // Warns once per period without a suitable worker.
  void say_what_is_awaited() {
    const auto awaited = service->awaited();
    const auto now = std::chrono::steady_clock::now();
    if (!awaited) alone_since = now, told = false;
    if (told || now < alone_since + kAloneBeforeTold) return;
    told = true;
    log(LogLevel::kWarning,
        "jobs wait for " + *awaited + ": tune worker --connect " + address + " --device " + device);
  }

  std::optional<TemporaryDirectory> directory;
  std::string address, device;  ///< `tune worker` arguments, for messages
  LogSink log;
  bool on_board = false;  ///< candidates run on the local board
  JobQueue queue;
  std::unique_ptr<LocalWorkers> local;  // null without local workers
  std::unique_ptr<TunerService> service;

  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;
  std::chrono::steady_clock::time_point alone_since = std::chrono::steady_clock::now();
  bool told = false;  ///< whether the warning about waiting jobs was given
  std::thread watcher;
};

Result<std::unique_ptr<WorkerPool>> WorkerPool::open(const Device& device,
                                                     WorkerPoolOptions options, LogSink log) {
  auto state = std::make_unique<State>();
  state->log = log;
  state->device = device_of(options, device);
  state->on_board = options.local_board;
  if (options.listen.empty()) {
    TT_TRY_ASSIGN(state->directory, make_socket_directory());
    options.listen = "unix:" + state->directory->path() + "/tuner";
  }
  TunerService::Entrances entrances;
  TT_TRY_ASSIGN(entrances.address, parse_address(options.listen));
  if (options.keys.empty() && !options.insecure && !is_private(entrances.address))
    return Error(ErrorCode::kInvalidInput,
                 "other machines reach " + options.listen +
                     ", and whoever dials it gets work: add "
                     "--keys (see tune keys), or --insecure on a network that you trust");
  if (!options.keys.empty()) {
    TT_TRY_ASSIGN(entrances.admission, admission_by(options.keys));
    TT_TRY_ASSIGN(state->directory, make_socket_directory());
    TT_TRY_ASSIGN(entrances.beside, parse_address("unix:" + state->directory->path() + "/tuner"));
  }
  if ((options.local_workers > 0 || options.local_board) &&
      (options.worker_command.empty() || ::access(options.worker_command[0].c_str(), X_OK) != 0))
    return Error(
        ErrorCode::kNotFound,
        "cannot start workers: no executable file " +
            (options.worker_command.empty() ? std::string("named") : options.worker_command[0]));

  State* s = state.get();
  TunerService::Events events;
  events.welcomed = [s](int64_t process) {
    if (s->local) s->local->in_service(process);
  };
  events.job_finished = [s](int64_t process) {
    if (s->local) s->local->finished_job(process);
  };
  events.given_up = [s](int64_t process) {
    if (s->local) s->local->kill(process);
  };
  TT_TRY_ASSIGN(state->service, TunerService::listen(entrances, device, state->queue, options,
                                                     std::move(events), log));
  state->address = state->service->address();
  if (options.local_workers > 0 || options.local_board)
    state->local = std::make_unique<LocalWorkers>(
        LocalWorkers::Options{
            local_workers(options, device,
                          entrances.beside ? entrances.beside->text() : state->address),
            options.restarts_per_worker, options.patience.board},
        std::move(log));
  state->watcher = std::thread([s] { s->watch(); });
  return std::unique_ptr<WorkerPool>(new WorkerPool(std::move(state)));
}

WorkerPool::WorkerPool(std::unique_ptr<State> state) : state_(std::move(state)) {}
WorkerPool::~WorkerPool() = default;

const std::string& WorkerPool::address() const { return state_->address; }
size_t WorkerPool::connected_workers() const { return state_->service->connected(); }

WorkerPool::Task WorkerPool::add_task(const TaskData& task) {
  return state_->service->add_task(task);
}

WorkerPool::Ticket WorkerPool::submit(Task task, const Schedule& schedule,
                                      const MeasureLimits& limits, Fidelity stage) {
  const Ticket ticket =
      state_->queue.submit(task, to_text(schedule), limits, stage, common_schedule(schedule));
  state_->service->hand_out();
  return ticket;
}

Result<std::optional<WorkerPool::Finished>> WorkerPool::next_finished(milliseconds timeout) {
  if (auto finished = state_->queue.next_finished(timeout))
    return std::optional(Finished{finished->ticket, std::move(finished->result)});
  const size_t workers = connected_workers();
  auto why = state_->service->why_stuck();
  if (!why) why = state_->queue.failing(kFailuresOfEach * std::max<size_t>(workers, 1));
  if (why) return Error(ErrorCode::kFailed, "no worker can do its work: " + *why);
  if (!state_->local) return std::optional<Finished>();
  if (const auto gone = state_->local->no_runner();
      gone && !state_->service->has_runner(state_->on_board))
    return Error(ErrorCode::kFailed, "no worker can run: " + *gone);
  if (const auto gone = state_->local->no_builder(); gone && !state_->service->has_builder())
    return Error(ErrorCode::kFailed, "no worker can build: " + *gone);
  return std::optional<Finished>();
}

PoolStatistics WorkerPool::statistics() const {
  PoolStatistics all = state_->service->statistics();
  all.redone = state_->queue.counts().redone;
  return all;
}

}  // namespace tinytune
