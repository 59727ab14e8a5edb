#include "tuner/worker_queue.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/installed_program.h"
#include "measure/test_cases.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

/// Independent of the run's seed, so that all runs that share a log time the same inputs.
constexpr uint64_t kCasesSeed = 1;

Result<std::string> worker_program(const TuneOptions& options) {
  if (!options.worker_program.empty()) {
    if (access(options.worker_program.c_str(), X_OK) == 0) return options.worker_program;
    return Error(ErrorCode::kNotFound,
                 options.worker_program + ": no program to start as a worker");
  }
  if (std::string own = installed_program("tune"); !own.empty()) return own;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / "tune";
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return Error(ErrorCode::kNotFound,
               "no `tune` on PATH to start as a worker; name it in worker_program");
}

}  // namespace

Result<std::unique_ptr<CandidateQueue>> WorkerQueue::start(const std::vector<TuningTask>& tasks,
                                                           const Device& device,
                                                           const std::string& device_name,
                                                           const TuneOptions& options) {
  WorkerPoolOptions pool;
  pool.listen = options.listen;
  pool.keys = options.keys;
  pool.insecure = options.insecure;
  pool.local_workers =
      options.workers.value_or(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  pool.worker_device = device_name;
  pool.patience.board =
      std::chrono::milliseconds(static_cast<int64_t>(options.board_patience_seconds * 1000));
  // Remote workers may have boards of their own. A board named here is driven from this machine,
  // unless there are no local workers: then the name only selects boards instead of simulators.
  TT_TRY_ASSIGN(const BoardAddress board, parse_board_address(device_name));
  pool.local_board = !board.is_simulator() && options.workers != 0;
  if (pool.local_workers > 0 || pool.local_board) {
    TT_TRY_ASSIGN(const std::string program, worker_program(options));
    pool.worker_command = {program, "worker", "--once"};
    if (options.limits.fast_ram_bytes == 0) pool.worker_command.push_back("--in-flash");
  }
  const auto mailbox = std::make_shared<Mailbox>();
  std::unique_ptr<WorkerQueue> queue(new WorkerQueue(options.on_message, options.cancel, mailbox));
  TT_TRY_ASSIGN(queue->pool_, WorkerPool::open(device, std::move(pool),
                                               [mailbox](LogLevel level, const std::string& line) {
                                                 const std::lock_guard lock(mailbox->mutex);
                                                 mailbox->lines.emplace_back(level, line);
                                               }));
  if (!options.listen.empty() && options.on_message) {
    options.on_message(MessageKind::kInfo, "waiting for workers: tune worker --connect " +
                                               queue->pool_->address() + " --device " +
                                               device_name);
  }
  for (const TuningTask& task : tasks) {
    queue->tasks_.push_back(
        queue->pool_->add_task(make_task_data(task.task->workload, task.task->data, kCasesSeed)));
  }
  return std::unique_ptr<CandidateQueue>(std::move(queue));
}

uint64_t WorkerQueue::submit(size_t task, const Schedule& schedule, Fidelity stage) {
  return pool_->submit(tasks_.at(task), schedule, MeasureLimits{}, stage);
}

void WorkerQueue::forward_messages() {
  std::vector<std::pair<LogLevel, std::string>> lines;
  {
    const std::lock_guard lock(mailbox_->mutex);
    lines.swap(mailbox_->lines);
  }
  if (!sink_) return;
  if (cancel_ != nullptr && *cancel_) return;  // the end of workers is expected then
  for (const auto& [level, line] : lines) {
    if (level == LogLevel::kDebug) continue;
    sink_(level == LogLevel::kInfo ? MessageKind::kInfo : MessageKind::kWarning, line);
  }
}

Result<std::optional<Finished>> WorkerQueue::wait(std::chrono::milliseconds timeout) {
  auto finished = pool_->next_finished(timeout);
  forward_messages();
  if (!finished) return finished.error();
  if (!*finished) return std::optional<Finished>();
  return std::optional<Finished>(Finished{(*finished)->ticket, std::move((*finished)->result)});
}

TuneTimes WorkerQueue::times() const {
  const PoolStatistics statistics = pool_->statistics();
  const StageTimes stages = statistics.total();
  constexpr double kSeconds = 1e-3;  // seconds per millisecond
  TuneTimes times;
  times.lower = stages.lower_ms * kSeconds;
  times.llvm = stages.llvm_ms * kSeconds;
  times.link = stages.link_ms * kSeconds;
  times.run = stages.run_ms * kSeconds;
  times.verify = stages.verify_ms * kSeconds;
  times.idle = statistics.departed.idle_ms * kSeconds;
  for (const WorkerStatistics& worker : statistics.workers) times.idle += worker.idle_ms * kSeconds;
  return times;
}

}  // namespace tinytune
