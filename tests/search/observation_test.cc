#include "search/observation.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(Observation, Cycles_AreTheMedianOfTheRepeats) {
  EXPECT_EQ((Observation{0, Outcome::kOk, {900, 100, 101}}).cycles(), 101);
  EXPECT_EQ((Observation{0, Outcome::kOk, {7}}).cycles(), 7);
}

TEST(Observation, WithoutARun_HasNoCycles) {
  EXPECT_FALSE((Observation{0, Outcome::kOk}).cycles()) << "a build alone";
  EXPECT_FALSE((Observation{0, Outcome::kOk, {0}}).cycles()) << "nobody divides by it";
  EXPECT_FALSE((Observation{0, Outcome::kCrashed, {10}}).cycles());
}

}  // namespace
}  // namespace tinytune
