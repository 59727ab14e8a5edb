// A pool of faulty workers and a small task, for tests of the fate of jobs.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>

#include "rpc_device/fleet/worker_pool.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/fleet/processes.h"

namespace tinytune {

inline constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(60);

class PoolTest : public testing::Test {
 protected:
  PoolTest() : device_(load_device("esp32c3").value()), task_(small_conv_task()) {}

  std::unique_ptr<WorkerPool> open(int workers, WorkerPoolOptions options = {}) {
    options.local_workers = workers;
    options.worker_command = {FAULTY_WORKER};
    auto pool = WorkerPool::open(device_, options, [this](LogLevel, const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    });
    EXPECT_TRUE(pool) << pool.error().message();
    return pool ? std::move(pool).value() : nullptr;
  }
  Schedule default_schedule() { return default_schedule_of(task_.workload, device_).value(); }
  static Schedule fault(const std::string& what) { return Schedule(what, 1, {}); }

  /// Waits for `count` results.
  std::map<uint64_t, MeasureResult> collect(WorkerPool& pool, size_t count) {
    std::map<uint64_t, MeasureResult> results;
    within(kPatience, [&] {
      auto finished = pool.next_finished(std::chrono::milliseconds(100));
      EXPECT_TRUE(finished) << finished.error().message();
      if (!finished) return true;
      if (finished->has_value()) {
        EXPECT_TRUE(results.emplace((*finished)->ticket, (*finished)->result).second);
      }
      return results.size() == count;
    });
    EXPECT_EQ(results.size(), count) << log();
    return results;
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  bool log_says(const std::string& what) {
    return within(kPatience, [&] { return log().find(what) != std::string::npos; });
  }
  static int64_t process_of(const WorkerStatistics& worker) {
    return std::stoll(worker.name.substr(worker.name.rfind(':') + 1));
  }

  Device device_;
  TaskData task_;
  std::mutex mutex_;
  std::string log_;
};

}  // namespace tinytune
