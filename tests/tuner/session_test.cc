#include "tuner/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/tuner/session_fixture.h"

namespace tinytune::test {
namespace {

/// A queue that never finishes anything.
class HungQueue : public CandidateQueue {
 public:
  uint64_t submit(size_t, const Schedule&, Fidelity) override { return 0; }
  Result<std::optional<Finished>> wait(std::chrono::milliseconds timeout) override {
    std::this_thread::sleep_for(timeout);
    return std::optional<Finished>();
  }
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

TEST_F(SessionTest, TrialsWithoutGain_EndTheRunWhereItEndsAgain) {
  const SessionEnd end = tune("a", {.trials = 2000, .early_stop = 20});
  EXPECT_TRUE(end.stopped_early);
  EXPECT_FALSE(end.interrupted);
  EXPECT_LT(end.measured, 2000u);
  const auto first = lines("a");
  const SessionEnd again = tune("a", {.trials = 2000, .early_stop = 20});
  EXPECT_TRUE(again.stopped_early);
  EXPECT_EQ(again.measured, 0u);
  EXPECT_EQ(lines("a"), first);
  EXPECT_FALSE(tune("b", {.early_stop = 1000}).stopped_early);
}

TEST_F(SessionTest, TasksThatAreDone_LeaveTheirTrialsUnspentEachTime) {
  const Setup setup{.trials = 5000, .tuner = "bayes", .smooth = true};
  const SessionEnd end = tune("a", setup);
  EXPECT_TRUE(end.exhausted);
  size_t points = 0;
  for (const TuningTask& task : tasks_) points += task.space.size();
  EXPECT_LT(end.measured, points / 2);
  const auto first = lines("a");
  const SessionEnd again = tune("a", setup);
  EXPECT_TRUE(again.exhausted);
  EXPECT_EQ(again.measured, 0u);
  EXPECT_EQ(lines("a"), first);
}

TEST_F(SessionTest, TaskThatIsDone_LeavesItsTrialsToTheOthers) {
  class DoneAfterThree : public Strategy {
   public:
    std::optional<Proposal> propose() override { return Proposal{next_++}; }
    bool is_done() const override { return told_ >= 3; }
    void observe(const Observation&) override { ++told_; }

   private:
    size_t next_ = 0, told_ = 0;
  };
  const auto strategy = [&](const TuningTask& task) -> std::unique_ptr<Strategy> {
    if (&task == &tasks_.front()) return std::make_unique<DoneAfterThree>();
    return make_strategy("random",
                         {.space = &task.space, .describe = [](size_t) { return LoopNest{}; }})
        .value();
  };
  const SessionEnd end = tune("a", {.trials = 40, .window = 1, .strategy = strategy});
  EXPECT_EQ(end.measured, 40u);
  EXPECT_FALSE(end.exhausted);
  size_t of_first = 0;
  const auto log = read_log((folder_ / "a").string());
  for (const Measurement& m : log->measurements)
    of_first += m.workload == tasks_.front().workload ? 1 : 0;
  EXPECT_EQ(of_first, 3u);
}

TEST_F(SessionTest, Window_IsHowManyAreOut) {
  for (const size_t window : {1u, 16u, 300u}) {
    most_out_ = 0;
    tune("window" + std::to_string(window), {.trials = 310, .workers = 256, .window = window});
    EXPECT_EQ(most_out_, std::max(window, tasks_.size())) << "winners are measured again together";
  }
}

TEST_F(SessionTest, Window_IsPartOfTheRun) {
  tune("narrow", {.window = 1});
  tune("again", {.order = 5, .workers = 7, .window = 1});
  EXPECT_EQ(lines("narrow"), lines("again"));
  tune("wide", {.tuner = "xgb", .window = 64});
  tune("usual", {.tuner = "xgb"});
  EXPECT_NE(lines("wide"), lines("usual"));
  EXPECT_EQ(tune("usual", {.trials = 70, .tuner = "xgb", .window = 64}).measured, 10u)
      << "another window is another run, and what is there is its history";
}

TEST_F(SessionTest, MoreTrialsThanTheSpacesHold_MeasuresEveryPointOnce) {
  const size_t points = tasks_[0].space.size() + tasks_[1].space.size();
  if (points > 20'000) GTEST_SKIP() << "the spaces have grown to " << points << " points";
  // Exhausting thousands of points with an fsync each takes minutes, so the task is smaller.
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
  auto trajectory = Trajectory::create(tasks_, device_, {.tuner = "random"});
  ASSERT_TRUE(trajectory);
  Session session(tasks_, device_, *log, records);
  SessionLimits limits;
  limits.trials = 100;
  limits.budget_seconds = 0.3;
  const auto started = std::chrono::steady_clock::now();
  const auto end = session.run(
      std::move(*trajectory), {.tuner = "random"}, limits,
      []() -> Result<std::unique_ptr<CandidateQueue>> {
        return std::unique_ptr<CandidateQueue>(std::make_unique<HungQueue>());
      },
      [](const Records&, uint64_t, bool) {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  ASSERT_TRUE(end);
  EXPECT_EQ(end->measured, 0u);
  EXPECT_FALSE(end->interrupted);
  EXPECT_LT(took.count(), 60);
}

TEST_F(SessionTest, EveryTickCountsOnlyWhatIsInTheLog) {
  auto log = LogWriter::open((folder_ / "a").string());
  ASSERT_TRUE(log);
  Records records;
  auto trajectory = Trajectory::create(tasks_, device_, {.tuner = "random"});
  ASSERT_TRUE(trajectory);
  Session session(tasks_, device_, *log, records);
  SessionLimits limits;
  limits.trials = 30;
  const auto end = session.run(
      std::move(*trajectory), {.tuner = "random"}, limits,
      [&]() -> Result<std::unique_ptr<CandidateQueue>> {
        return std::unique_ptr<CandidateQueue>(
            std::make_unique<ShuffledQueue>(3, 8, false, most_out_));
      },
      [&](const Records& now, uint64_t measured, bool) {
        EXPECT_EQ(now.all().size(), measured);
        EXPECT_EQ(lines("a").size(), measured);
      });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->measured, 30u);
}

// A run that adds to a log measures the log's best record again, whoever wrote it.
TEST_F(SessionTest, BestThatDoesNotHold_IsADoubtAndNoSecondRecord) {
  EXPECT_TRUE(tune("a", {.trials = 30}).doubts.empty());
  const auto measured = read_log((folder_ / "a").string());
  ASSERT_TRUE(measured);
  const auto valid = std::find_if(measured->measurements.begin(), measured->measurements.end(),
                                  [](const Measurement& m) { return m.outcome == Outcome::kOk; });
  ASSERT_NE(valid, measured->measurements.end());
  Measurement best = *valid;
  const uint64_t real = best.cycles.at(0);
  best.cycles = {1};
  best.run = "0123456789abcdef";
  {
    auto log = LogWriter::open((folder_ / "b").string());
    ASSERT_TRUE(log);
    ASSERT_TRUE(log->append(best));
  }
  const SessionEnd end = tune("b", {.trials = 30});
  ASSERT_EQ(end.doubts.size(), 1u);
  EXPECT_EQ(end.doubts[0].logged_cycles, 1u);
  EXPECT_EQ(end.doubts[0].now.cycles, std::vector<uint64_t>{real});
  EXPECT_EQ(lines("b").size(), 30u);
}

}  // namespace
}  // namespace tinytune::test
