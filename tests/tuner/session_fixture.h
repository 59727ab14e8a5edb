// A session over two tasks with real spaces and made-up outcomes, which finish in any order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/rng.h"
#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"
#include "tuner/session.h"

namespace tinytune::test {

namespace fs = std::filesystem;

/// Cycles that are a smooth function of the knobs, so that there is something to learn.
inline double smooth_cycles(const Schedule& schedule) {
  double cost = 1 + 0.1 * static_cast<double>(fnv1a(schedule.template_name()) % 5);
  for (const auto& [knob, value] : schedule.knobs()) {
    const bool numeric = value.find_first_not_of("0123456789") == std::string::npos;
    const double best = static_cast<double>(fnv1a(knob) % 4);
    cost += numeric ? 0.2 * std::abs(std::log2(1 + std::stod(value)) - best)
                    : 0.1 * static_cast<double>(fnv1a(knob + value) % 4);
  }
  return 10'000 * cost;
}

inline MeasureResult outcome_of(const Schedule& schedule) {
  MeasureResult result;
  const uint64_t hash = fnv1a(to_text(schedule));
  if (hash % 20 == 0) {
    result.outcome = Outcome::kBuildFailed;
    result.detail = "no\nsecond line in the log";
    return result;
  }
  result.outcome = Outcome::kOk;
  result.cycles = {1000 + hash % 5000};
  return result;
}

/// Works on up to `workers` jobs and finishes a random one of them at each wait.
class ShuffledQueue : public CandidateQueue {
 public:
  ShuffledQueue(uint64_t seed, size_t workers, bool smooth, size_t& most_out)
      : rng_(seed), workers_(workers), smooth_(smooth), most_out_(most_out) {}

  uint64_t submit(size_t, const Schedule& schedule, Fidelity stage) override {
    MeasureResult result = outcome_of(schedule);
    result.code.code_bytes = 100 + fnv1a(to_text(schedule)) % 1000;
    if (smooth_ && result.outcome == Outcome::kOk)
      result.cycles = {static_cast<uint64_t>(smooth_cycles(schedule))};
    if (stage == Fidelity::kBuild) {
      result.fidelity = stage;
      result.cycles.clear();
    }
    queue_.push_back({next_, std::move(result)});
    most_out_ = std::max(most_out_, queue_.size());
    return next_++;
  }
  Result<std::optional<Finished>> wait(std::chrono::milliseconds) override {
    if (queue_.empty()) return std::optional<Finished>();
    const size_t at = rng_.below(std::min(workers_, queue_.size()));
    std::optional<Finished> done = std::move(queue_[at]);
    queue_.erase(queue_.begin() + static_cast<ptrdiff_t>(at));
    return done;
  }

 private:
  Rng rng_;
  size_t workers_;
  bool smooth_;
  size_t& most_out_;  ///< largest number of jobs that waited at a time
  uint64_t next_ = 0;
  std::vector<Finished> queue_;
};

inline Task task_of(const char* workload, std::vector<int> layers) {
  Task task;
  const auto parsed = parse_workload(workload);
  EXPECT_TRUE(parsed) << parsed.error().message();
  task.workload = *parsed;
  task.data = random_layer(*parsed, Scales::kTypical, 1).data;
  task.name = workload;
  task.layers = std::move(layers);
  return task;
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tinytune-session-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    network_ = {task_of("conv2d_s8 nhwc n1 in8x8x8 out8x8x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 "
                        "act-128,127 lane1 long",
                        {0, 2}),
                task_of("depthwise_conv2d_s8 nhwc n1 in8x8x8 out8x8x8 k3x3 s1x1 d1x1 p1,1 g1 m1 "
                        "zp0,0 act-128,127 lane1 long",
                        {1})};
    auto device = load_device("rv32imc");
    ASSERT_TRUE(device);
    device_ = *device;
    auto tasks = make_tuning_tasks(network_, {0, 1}, device_);
    ASSERT_TRUE(tasks) << tasks.error().message();
    tasks_ = std::move(*tasks);
  }
  void choose(const std::vector<int>& selected) {
    auto tasks = make_tuning_tasks(network_, selected, device_);
    ASSERT_TRUE(tasks);
    tasks_ = std::move(*tasks);
  }
  void TearDown() override { fs::remove_all(folder_); }

  struct Setup {
    uint64_t trials = 60;
    uint64_t seed = 1;
    std::string tuner = "random";
    uint64_t order = 1;  ///< seed of the order in which workers finish
    size_t workers = 4;
    uint64_t stop_after = 0;  ///< cancels after so many reports; 0: never
    size_t window = 16;
    std::optional<uint64_t> early_stop = {};
    bool smooth = false;  ///< cycles by smooth_cycles()
    /// Creates the strategy of a task; empty: `tuner`'s.
    std::function<std::unique_ptr<Strategy>(const TuningTask&)> strategy = {};
  };

  Result<Trajectory> trajectory_of(const Setup& setup, const RunSettings& settings) const {
    if (!setup.strategy) return Trajectory::create(tasks_, device_, settings);
    std::vector<std::unique_ptr<Strategy>> strategies;
    for (const TuningTask& task : tasks_) strategies.push_back(setup.strategy(task));
    return Trajectory(tasks_, std::move(strategies));
  }

  SessionEnd tune(const std::string& log_name, const Setup& setup) {
    auto log = LogWriter::open((folder_ / log_name).string());
    EXPECT_TRUE(log);
    Records records(
        log->take_contents().measurements, {.device_hash = device_.hash},
        [](const std::string&, const Schedule& s) { return find_template(s).has_value(); });
    const RunSettings settings{setup.tuner, setup.seed, setup.window};
    auto trajectory = trajectory_of(setup, settings);
    EXPECT_TRUE(trajectory);
    Session session(tasks_, device_, *log, records);
    std::atomic<bool> cancel{false};
    SessionLimits limits;
    limits.trials = setup.trials;
    limits.cancel = &cancel;
    limits.early_stop = setup.early_stop;
    const auto end = session.run(
        std::move(*trajectory), settings, limits,
        [&]() -> Result<std::unique_ptr<CandidateQueue>> {
          ++started_;
          return std::unique_ptr<CandidateQueue>(
              std::make_unique<ShuffledQueue>(setup.order, setup.workers, setup.smooth, most_out_));
        },
        [&](const Records&, uint64_t measured, bool) {
          if (setup.stop_after > 0 && measured >= setup.stop_after) cancel = true;
        });
    EXPECT_TRUE(end) << end.error().message();
    return *end;
  }

  std::vector<std::string> lines(const std::string& log_name) {
    const auto log = read_log((folder_ / log_name).string());
    EXPECT_TRUE(log);
    std::vector<std::string> keys;
    for (const Measurement& m : log->measurements)
      keys.push_back(m.workload.str() + " | " + m.schedule.str() + " | " +
                     std::string(name_of(m.outcome)) +
                     (m.cycles.empty() ? "" : " " + std::to_string(m.cycles[0])));
    return keys;
  }

  fs::path folder_;
  std::vector<Task> network_;
  Device device_;
  std::vector<TuningTask> tasks_;
  int started_ = 0;
  size_t most_out_ = 0;
};

}  // namespace tinytune::test
