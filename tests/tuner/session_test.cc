// The loop itself, with workers that answer in any order we like: what is proposed, logged and told
// must not depend on it. Cycles are a hash of the schedule.
#include "tuner/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>

#include "base/hash.h"
#include "base/rng.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

MeasureResult outcome_of(const Schedule& schedule) {
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

/// Holds up to `workers` jobs and finishes a random one of them at each wait.
class ShuffledQueue : public CandidateQueue {
 public:
  ShuffledQueue(uint64_t seed, size_t workers) : rng_(seed), workers_(workers) {}

  uint64_t submit(size_t, const Schedule& schedule) override {
    queue_.push_back({next_, outcome_of(schedule)});
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
  uint64_t next_ = 0;
  std::vector<Finished> queue_;
};

/// Never finishes anything.
class HungQueue : public CandidateQueue {
 public:
  uint64_t submit(size_t, const Schedule&) override { return 0; }
  Result<std::optional<Finished>> wait(std::chrono::milliseconds timeout) override {
    std::this_thread::sleep_for(timeout);
    return std::optional<Finished>();
  }
};

Task task_of(const char* workload, std::vector<int> layers) {
  Task task;
  const auto parsed = parse_workload(workload);
  EXPECT_TRUE(parsed) << parsed.error().message();
  task.workload = *parsed;
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
  void TearDown() override { fs::remove_all(folder_); }

  struct Setup {
    uint64_t trials = 60;
    uint64_t seed = 1;
    std::string tuner = "random";
    uint64_t order = 1;  ///< in which workers finish
    size_t workers = 4;
    uint64_t stop_after = 0;  ///< cancel after so many reports
  };

  SessionEnd tune(const std::string& log_name, const Setup& setup) {
    auto log = LogWriter::open((folder_ / log_name).string());
    EXPECT_TRUE(log);
    Records records(
        log->contents().measurements, device_.hash,
        [](const std::string&, const Schedule& s) { return find_template(s).has_value(); });
    auto trajectory = Trajectory::create(tasks_, setup.tuner, setup.seed);
    EXPECT_TRUE(trajectory);
    Session session(tasks_, device_, *log, records);
    std::atomic<bool> cancel{false};
    SessionLimits limits;
    limits.trials = setup.trials;
    limits.cancel = &cancel;
    const auto end = session.run(
        std::move(*trajectory), setup.tuner, setup.seed, limits,
        [&]() -> Result<std::unique_ptr<CandidateQueue>> {
          ++started_;
          return std::unique_ptr<CandidateQueue>(
              std::make_unique<ShuffledQueue>(setup.order, setup.workers));
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
      keys.push_back(m.workload + " | " + m.schedule + " | " + std::string(name_of(m.outcome)) +
                     (m.cycles.empty() ? "" : " " + std::to_string(m.cycles[0])));
    return keys;
  }

  fs::path folder_;
  std::vector<Task> network_;
  Device device_;
  std::vector<TuningTask> tasks_;
  int started_ = 0;
};

TEST_F(SessionTest, AnyNumberAndOrderOfWorkers_GiveTheSameLog) {
  tune("a", {.order = 1, .workers = 1});
  const auto reference = lines("a");
  ASSERT_EQ(reference.size(), 60u);
  for (uint64_t order = 2; order < 8; ++order) {
    const std::string name = "b" + std::to_string(order);
    tune(name, {.order = order, .workers = 1 + order % 5});
    EXPECT_EQ(lines(name), reference) << "order " << order;
  }
  tune("other", {.seed = 2});
  EXPECT_NE(lines("other"), reference);
}

TEST_F(SessionTest, TheDefaultSchedule_IsTheFirstOfEveryTask) {
  tune("a", {});
  const auto log = read_log((folder_ / "a").string());
  for (const TuningTask& task : tasks_) {
    const auto first = std::find_if(log->measurements.begin(), log->measurements.end(),
                                    [&](const auto& m) { return m.workload == task.workload; });
    ASSERT_NE(first, log->measurements.end());
    EXPECT_EQ(first->schedule, to_text(task.space.schedule(task.default_point)));
  }
}

TEST_F(SessionTest, StoppedAnywhereAndContinued_EqualsTheUninterruptedRun) {
  for (const char* tuner : {"random", "grid"}) {
    const std::string whole = std::string("whole-") + tuner;
    tune(whole, {.tuner = tuner});
    for (uint64_t stop : {1u, 7u, 16u, 17u, 40u, 43u}) {
      const std::string name = std::string(tuner) + std::to_string(stop);
      const SessionEnd end = tune(name, {.tuner = tuner, .order = stop, .stop_after = stop});
      EXPECT_TRUE(end.interrupted);
      EXPECT_EQ(end.measured, lines(name).size());
      EXPECT_LT(lines(name).size(), 60u);
      tune(name, {.tuner = tuner, .order = stop + 1});
      EXPECT_EQ(lines(name), lines(whole)) << name;
    }
  }
}

TEST_F(SessionTest, FewerTrialsThenMore_EqualsAllAtOnce) {
  tune("all", {});
  tune("steps", {.trials = 13});
  EXPECT_EQ(lines("steps").size(), 13u);
  tune("steps", {.trials = 60});
  EXPECT_EQ(lines("steps"), lines("all"));
}

TEST_F(SessionTest, FinishedRun_MeasuresNothingAndStartsNoWorker) {
  tune("a", {});
  ASSERT_EQ(started_, 1);
  const SessionEnd end = tune("a", {});
  EXPECT_EQ(end.measured, 0u);
  EXPECT_EQ(started_, 1);
  EXPECT_EQ(lines("a").size(), 60u);
}

TEST_F(SessionTest, AnotherSeedOnTheSameLog_RepeatsNothing) {
  tune("a", {.trials = 40, .seed = 1});
  tune("a", {.trials = 80, .seed = 2});
  tune("a", {.trials = 100, .seed = 1, .tuner = "grid"});
  auto keys = lines("a");
  EXPECT_EQ(keys.size(), 100u);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_F(SessionTest, MoreTrialsThanTheSpacesHold_MeasuresEveryPointOnce) {
  const size_t points = tasks_[0].space.size() + tasks_[1].space.size();
  if (points > 20'000) GTEST_SKIP() << "the spaces have grown to " << points << " points";
  // Exhausting thousands of points with an fsync each takes minutes; a smaller task will do.
  network_ = {
      task_of("dense_s8 nhwc n1 in1x1x4 out1x1x2 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 "
              "act-128,127 lane1 long",
              {0})};
  auto tasks = make_tuning_tasks(network_, {0}, device_);
  ASSERT_TRUE(tasks);
  tasks_ = std::move(*tasks);
  const SessionEnd end = tune("a", {.trials = 1'000'000});
  EXPECT_TRUE(end.exhausted);
  EXPECT_EQ(lines("a").size(), tasks_[0].space.size());
  EXPECT_EQ(end.measured, tasks_[0].space.size());
}

TEST_F(SessionTest, HungCandidate_DoesNotKeepARunFromEndingOnTime) {
  auto log = LogWriter::open((folder_ / "a").string());
  ASSERT_TRUE(log);
  Records records;
  auto trajectory = Trajectory::create(tasks_, "random", 1);
  ASSERT_TRUE(trajectory);
  Session session(tasks_, device_, *log, records);
  SessionLimits limits;
  limits.trials = 100;
  limits.budget_seconds = 0.3;
  const auto started = std::chrono::steady_clock::now();
  const auto end = session.run(
      std::move(*trajectory), "random", 1, limits,
      []() -> Result<std::unique_ptr<CandidateQueue>> {
        return std::unique_ptr<CandidateQueue>(std::make_unique<HungQueue>());
      },
      [](const Records&, uint64_t, bool) {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  ASSERT_TRUE(end);
  EXPECT_EQ(end->measured, 0u);
  EXPECT_FALSE(end->interrupted);
  EXPECT_LT(took.count(), 10);
}

TEST_F(SessionTest, EveryTickCountsOnlyWhatIsInTheLog) {
  auto log = LogWriter::open((folder_ / "a").string());
  ASSERT_TRUE(log);
  Records records;
  auto trajectory = Trajectory::create(tasks_, "random", 1);
  ASSERT_TRUE(trajectory);
  Session session(tasks_, device_, *log, records);
  SessionLimits limits;
  limits.trials = 30;
  const auto end = session.run(
      std::move(*trajectory), "random", 1, limits,
      []() -> Result<std::unique_ptr<CandidateQueue>> {
        return std::unique_ptr<CandidateQueue>(std::make_unique<ShuffledQueue>(3, 8));
      },
      [&](const Records& now, uint64_t measured, bool) {
        EXPECT_EQ(now.all().size(), measured);
        EXPECT_EQ(lines("a").size(), measured);
      });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->measured, 30u);
}

}  // namespace
}  // namespace tinytune
