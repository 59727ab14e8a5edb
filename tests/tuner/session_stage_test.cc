// A strategy that asks for builds without runs.
#include <gtest/gtest.h>

#include <deque>

#include "tests/tuner/session_fixture.h"

namespace tinytune::test {
namespace {

/// Asks for a build of every point of a uniform walk, and for a run of those with small code.
class BuildsFirst : public Strategy {
 public:
  explicit BuildsFirst(const TuningTask& task) {
    SearchProblem problem;
    problem.space = &task.space;
    problem.describe = [](size_t) { return LoopNest{}; };
    walk_ = std::move(*make_strategy("random", std::move(problem)));
  }
  std::optional<Proposal> propose() override {
    if (!small_.empty()) {
      const Proposal run{small_.front(), Fidelity::kSimulate};
      small_.pop_front();
      return run;
    }
    const auto next = walk_->propose();
    if (!next) return std::nullopt;
    return Proposal{next->point, Fidelity::kBuild};
  }
  void observe(const Observation& o) override {
    const bool built = o.fidelity == Fidelity::kBuild && o.outcome == Outcome::kOk;
    EXPECT_EQ(o.cycles().has_value(), o.outcome == Outcome::kOk && !built);
    if (built && o.code.code_bytes < 600) small_.push_back(o.point);
  }

 private:
  std::unique_ptr<Strategy> walk_;
  std::deque<size_t> small_;
};

std::unique_ptr<Strategy> builds_first(const TuningTask& task) {
  return std::make_unique<BuildsFirst>(task);
}

TEST_F(SessionTest, BuildsAlone_AreToldAndOnlyTheirFailuresAreLogged) {
  const SessionEnd end = tune("a", {.strategy = &builds_first});
  EXPECT_EQ(end.measured, 60u);
  const auto log = read_log((folder_ / "a").string());
  ASSERT_EQ(log->measurements.size(), 60u);
  size_t failed = 0;
  for (const Measurement& m : log->measurements) {
    failed += m.outcome == Outcome::kBuildFailed ? 1 : 0;
    EXPECT_EQ(m.outcome == Outcome::kOk, !m.cycles.empty());
    const bool ran = m.outcome == Outcome::kOk;
    EXPECT_TRUE(!ran || m.code.code_bytes < 600) << "large ones are only built";
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, 30u);
}

TEST_F(SessionTest, BuildsAlone_StoppedAnywhereAndContinued_EqualsTheUninterruptedRun) {
  tune("whole", {.strategy = &builds_first});
  for (const uint64_t stop : {1u, 17u, 40u, 55u}) {
    const std::string name = "stopped" + std::to_string(stop);
    tune(name, {.order = stop, .stop_after = stop, .strategy = &builds_first});
    tune(name, {.order = stop + 1, .strategy = &builds_first});
    EXPECT_EQ(lines(name), lines("whole")) << name;
  }
}

}  // namespace
}  // namespace tinytune::test
