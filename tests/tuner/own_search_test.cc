// Strategies supplied by the caller: what they are asked, what they are told, what is refused.
#include "tuner/own_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/session_fixture.h"

namespace tinytune::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Told = std::vector<std::pair<size_t, std::optional<double>>>;

/// Proposes points from a list.
class Listed : public SearchStrategy {
 public:
  Listed(std::vector<size_t> points, Told& told) : points_(std::move(points)), told_(told) {}

  std::optional<size_t> ask() override {
    if (at_ == points_.size()) return std::nullopt;
    return points_[at_++];
  }
  void tell(size_t point, std::optional<double> cycles) override {
    told_.emplace_back(point, cycles);
  }

 private:
  std::vector<size_t> points_;
  Told& told_;
  size_t at_ = 0;
};

class OwnSearches : public SessionTest {
 protected:
  std::unique_ptr<Strategy> asked(const std::vector<size_t>& points) {
    choose({0});
    const OwnSearch search{"listed", [&](const Candidates& candidates) {
                             EXPECT_EQ(candidates.size, tasks_[0].space.size());
                             EXPECT_EQ(candidates.schedule(1),
                                       to_text(tasks_[0].space.schedule(1)));
                             return std::make_unique<Listed>(points, told_);
                           }};
    const auto sink = [this](MessageKind, const std::string& line) { said_ += line; };
    return std::move(own_strategies(search, tasks_, {}, sink)->front());
  }

  Told told_;
  std::string said_;
};

TEST_F(OwnSearches, PointAskedForBefore_IsAskedForAgain) {
  const auto strategy = asked({3, 3, 3, 5, 2, 3});
  strategy->observe({.point = 2, .outcome = Outcome::kBuildFailed});  // known from an earlier run
  EXPECT_EQ(strategy->propose()->point, 3u);
  EXPECT_EQ(strategy->propose()->point, 5u);
  EXPECT_FALSE(strategy->propose());
}

TEST_F(OwnSearches, PointBeyondTheSpace_EndsItWithAWarning) {
  EXPECT_FALSE(asked({tasks_[0].space.size(), 1})->propose());
  EXPECT_THAT(said_, HasSubstr("asked for point"));
}

TEST_F(OwnSearches, TaskForWhichNothingIsMade_IsRefused) {
  choose({0});
  const OwnSearch search{"mine", [](const Candidates&) { return nullptr; }};
  EXPECT_THAT(own_strategies(search, tasks_, {}, {}).error().message(), HasSubstr("makes nothing"));
}

TEST_F(OwnSearches, OneThatRepeatsItselfForEver_Ends) {
  const auto strategy = asked(std::vector<size_t>(10 * tasks_[0].space.size(), 4));
  EXPECT_TRUE(strategy->propose());
  EXPECT_FALSE(strategy->propose());
}

TEST_F(OwnSearches, Outcomes_AreToldInCyclesOrAsNothing) {
  const auto strategy = asked({0, 1});
  strategy->propose();
  strategy->propose();
  strategy->observe({.point = 0, .outcome = Outcome::kOk, .samples = {900, 1000, 5000}});
  strategy->observe({.point = 1, .outcome = Outcome::kWrongOutput});
  EXPECT_THAT(told_, ElementsAre(Pair(0, 1000.0), Pair(1, std::nullopt)));
}

}  // namespace
}  // namespace tinytune::test
