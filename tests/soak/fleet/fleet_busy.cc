// How busy one tuner keeps many boards: workers of the real protocol, over TCP on this machine,
// each with a simulated board that is busy for a given time and computes nothing. Prints the share
// of time that the boards had work; fails if a job is lost or repeated, or if the share is below
// 95 % with at least 2,000 trials of at least a second, where this machine's load does not decide.
//
// Usage: fleet_busy [WORKERS] [TRIALS] [MILLISECONDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "rpc_device/fleet/worker_pool.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/fleet/raw_worker.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

constexpr double kLeastBusy = 0.95;
constexpr milliseconds kBetweenHeartbeats{500};

struct Fleet {
  int workers = 32;
  size_t trials = 2'000;
  milliseconds trial{1'000};
};

rpc::FromWorker result_of(const rpc::Job& job) {
  rpc::FromWorker answer;
  rpc::Finished& finished = *answer.mutable_finished();
  finished.set_ticket(job.ticket());
  finished.set_outcome("ok");
  finished.set_fidelity("board");
  finished.add_cycles(1'000 + job.ticket());
  return answer;
}

/// Acts as a worker until its tuner is gone.
void serve(const std::string& address, const Device& device, int number, milliseconds trial) {
  RawWorker worker(address);
  rpc::Hello hello = hello_of(device);
  hello.set_process(number);
  hello.set_instance(static_cast<uint64_t>(number));
  hello.set_runs_on("board-" + std::to_string(number));
  worker.say(hello);
  worker.say_alive();
  while (const auto message = worker.hear()) {
    if (!message->has_job()) continue;
    worker.start(message->job());
    for (auto left = trial; left.count() > 0; left -= kBetweenHeartbeats) {
      std::this_thread::sleep_for(std::min(left, kBetweenHeartbeats));
      worker.say_alive();
    }
    worker.say(result_of(message->job()));
  }
}

/// Submits and collects trials, as a tuner whose window is twice the number of workers. Returns how
/// many results were wrong, unexpected or repeated.
size_t run_trials(WorkerPool& pool, const Fleet& fleet) {
  const auto task = pool.add_task(small_conv_task());
  const size_t window = 2 * static_cast<size_t>(fleet.workers);
  std::set<uint64_t> open;
  size_t submitted = 0, wrong = 0;
  while (submitted < fleet.trials || !open.empty()) {
    while (submitted < fleet.trials && open.size() < window) {
      open.insert(pool.submit(task, Schedule("trial", 1, {}), {}, Fidelity::kBoard));
      ++submitted;
    }
    const auto finished = pool.next_finished(milliseconds(100));
    if (!finished) {
      std::fprintf(stderr, "%s\n", finished.error().message().c_str());
      return fleet.trials;
    }
    if (!*finished) continue;
    const bool right = open.erase((*finished)->ticket) == 1 &&
                       (*finished)->result.cycles == std::vector{1'000 + (*finished)->ticket};
    wrong += right ? 0 : 1;
  }
  return wrong;
}

int run(const Fleet& fleet) {
  const Device device = load_device("esp32c3").value();
  WorkerPoolOptions options;
  options.listen = "127.0.0.1:0";
  auto pool = WorkerPool::open(device, options);
  if (!pool) {
    std::fprintf(stderr, "%s\n", pool.error().message().c_str());
    return 1;
  }
  std::vector<std::thread> workers;
  for (int i = 1; i <= fleet.workers; ++i)
    workers.emplace_back(serve, (*pool)->address(), device, i, fleet.trial);
  while ((*pool)->connected_workers() < static_cast<size_t>(fleet.workers))
    std::this_thread::sleep_for(milliseconds(10));
  const auto start = std::chrono::steady_clock::now();
  const size_t wrong = run_trials(**pool, fleet);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  pool->reset();
  for (std::thread& worker : workers) worker.join();
  const double board_seconds =
      static_cast<double>(fleet.trials) * std::chrono::duration<double>(fleet.trial).count();
  const double busy = board_seconds / (spent.count() * fleet.workers);
  std::printf("%d workers, %zu trials of %lld ms: %.1f s, boards %.1f %% busy, %zu results wrong\n",
              fleet.workers, fleet.trials, static_cast<long long>(fleet.trial.count()),
              spent.count(), 100 * busy, wrong);
  const bool judged = fleet.trial >= std::chrono::seconds(1) && fleet.trials >= 2'000;
  return wrong == 0 && (!judged || busy >= kLeastBusy) ? 0 : 1;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  tinytune::Fleet fleet;
  const auto number = [&](int at, long otherwise) {
    return argc > at ? std::max(1L, std::atol(argv[at])) : otherwise;
  };
  fleet.workers = static_cast<int>(number(1, 32));
  fleet.trials = static_cast<size_t>(number(2, 2'000));
  fleet.trial = std::chrono::milliseconds(number(3, 1'000));
  return tinytune::run(fleet);
}
