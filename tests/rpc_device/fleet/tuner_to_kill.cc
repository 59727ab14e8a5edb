// Opens a pool with two local workers, keeps them busy, prints its address and waits to be killed.
// Arguments: the worker's path, and what its jobs do.
#include <cstdio>
#include <thread>

#include "rpc_device/fleet/worker_pool.h"
#include "tests/measure/small_task.h"

int main(int argc, char** argv) {
  using namespace tinytune;
  if (argc != 3) return 2;
  const Device device = load_device("esp32c3").value();
  WorkerPoolOptions options;
  options.local_workers = 2;
  options.worker_command = {argv[1]};
  auto pool = WorkerPool::open(device, options).value();
  const auto task = pool->add_task(small_conv_task());
  for (int i = 0; i < 100; ++i) pool->submit(task, Schedule(argv[2], 1, {}), {});
  while (pool->connected_workers() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::printf("%s", pool->address().c_str());
  for (const WorkerStatistics& worker : pool->statistics().workers)
    std::printf(" %s", worker.name.substr(worker.name.rfind(':') + 1).c_str());
  std::printf("\n");
  std::fflush(stdout);
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}
