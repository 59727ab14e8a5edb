#include "cost_model/knob_gp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tinytune {
namespace {

class KnobGpTest : public testing::Test {
 protected:
  KnobGpTest() {
    const auto anything = [](const Schedule&) { return true; };
    space_.add({"tiles",
                1,
                {int_knob("a", {1, 2, 4, 8}), int_knob("b", {1, 2, 4, 8}), {"c", {"x", "y", "z"}}}},
               anything);
    space_.add({"other", 1, {int_knob("a", {1, 2, 4, 8})}}, anything);
  }

  size_t tile(uint16_t a, uint16_t b, uint16_t c) const { return *space_.find(0, {a, b, c}); }

  /// Effects of each knob alone, and of two of them together.
  double value_of(size_t point) const {
    const auto& at = space_.coordinates(point);
    return 10 + 0.2 * std::abs(at[0] - 2.0) + 0.1 * at[1] + (at[2] == 1 ? 0.3 : 0) +
           (at[0] + at[1] > 4 ? 0.2 : 0);
  }
  KnobSample sample(size_t point) const { return {point, value_of(point)}; }

  ConfigSpace space_;
};

TEST_F(KnobGpTest, ValuesThatMadeNoDifference_AreNotTriedToBeSure) {
  KnobGp process(space_);
  // y and z took equal time at one place; y was also tried at another.
  process.fit(std::vector<KnobSample>{
      {tile(0, 0, 1), 10}, {tile(0, 0, 2), 10}, {tile(3, 0, 1), 9.5}, {tile(0, 3, 0), 11}});
  const auto guess = process.guess(std::vector<KnobSample>{{tile(3, 0, 2)}, {tile(3, 0, 0)}});
  EXPECT_NEAR(guess[0].mean, 9.5, 1e-3);
  EXPECT_LT(guess[0].deviation, 1e-3);
  EXPECT_GT(guess[1].deviation, 0.02);
}

TEST_F(KnobGpTest, StepThatGainedSomewhere_IsExpectedToGainElsewhere) {
  KnobGp process(space_);
  // Moving from y to x gains at two places; at a third only y was tried.
  process.fit(std::vector<KnobSample>{sample(tile(0, 0, 1)), sample(tile(0, 0, 0)),
                                      sample(tile(3, 0, 1)), sample(tile(3, 0, 0)),
                                      sample(tile(2, 2, 1))});
  const auto guess = process.guess(std::vector<KnobSample>{{tile(2, 2, 0)}, {tile(2, 2, 1)}});
  EXPECT_LT(guess[0].mean, guess[1].mean - 0.1);
}

TEST_F(KnobGpTest, PointThatWasTried_IsSurerThanOneThatWasNot) {
  KnobGp process(space_);
  process.fit(std::vector<KnobSample>{sample(tile(0, 0, 0)), sample(tile(1, 0, 0))});
  const auto guess =
      process.guess(std::vector<KnobSample>{{tile(0, 0, 0)}, {tile(0, 1, 0)}, {tile(3, 3, 2)}});
  EXPECT_LT(guess[0].deviation, guess[1].deviation);
  EXPECT_LT(guess[1].deviation, guess[2].deviation);
  EXPECT_NEAR(guess[0].mean, value_of(tile(0, 0, 0)), 0.05);
}

TEST_F(KnobGpTest, HalfOfTheSpace_TellsTheOtherHalfsOrder) {
  std::vector<KnobSample> known, asked;
  for (size_t p = 0; p < 48; ++p) (p * 7 % 48 < 24 ? known : asked).push_back(sample(p));
  KnobGp process(space_);
  process.fit(known);
  const auto guesses = process.guess(asked);
  size_t right = 0, pairs = 0;
  for (size_t i = 0; i < asked.size(); ++i)
    for (size_t j = 0; j < asked.size(); ++j) {
      if (asked[i].value >= asked[j].value - 0.05) continue;
      ++pairs;
      right += guesses[i].mean < guesses[j].mean ? 1 : 0;
    }
  EXPECT_GT(static_cast<double>(right), 0.9 * static_cast<double>(pairs));
}

TEST_F(KnobGpTest, PointThatIsAssumed_ChangesNoMeanAndIsSurer) {
  KnobGp process(space_);
  process.fit(std::vector<KnobSample>{sample(tile(0, 0, 0)), sample(tile(1, 0, 0))});
  const std::vector<KnobSample> asked = {{tile(0, 2, 1)}, {tile(3, 1, 2)}};
  const auto before = process.guess(asked);
  process.assume(asked[0]);
  const auto after = process.guess(asked);
  EXPECT_LT(after[0].deviation, before[0].deviation);
  for (size_t i = 0; i < asked.size(); ++i) EXPECT_NEAR(after[i].mean, before[i].mean, 0.01);
}

TEST_F(KnobGpTest, HintThatMisleads_FadesWithTheTrials) {
  const auto hinted = [&](size_t point) {
    KnobSample s = sample(point);
    s.hint = 5 * (s.value - 10.4);  // it claims that larger is better: wrong
    return s;
  };
  const auto trusted = [&](size_t trials) {
    std::vector<KnobSample> known;
    for (size_t i = 0; i < trials; ++i) known.push_back(hinted((i * 7) % 48));
    KnobGp process(space_);
    process.fit(known);
    const auto guess =
        process.guess(std::vector<KnobSample>{hinted(tile(2, 0, 0)), hinted(tile(0, 3, 1))});
    return guess[1].mean < guess[0].mean;  // trusted: the slow one is expected to win
  };
  EXPECT_TRUE(trusted(1));
  EXPECT_FALSE(trusted(12));
}

TEST_F(KnobGpTest, OtherFamily_KeepsALevelOfItsOwn) {
  KnobGp process(space_);
  const size_t other = *space_.find(1, {0});
  process.fit(std::vector<KnobSample>{sample(tile(2, 0, 0)), sample(tile(1, 0, 0)), {other, 12.0}});
  const auto guess =
      process.guess(std::vector<KnobSample>{{*space_.find(1, {1})}, {tile(2, 1, 0)}});
  EXPECT_GT(guess[0].mean, guess[1].mean + 0.5);
}

}  // namespace
}  // namespace tinytune
