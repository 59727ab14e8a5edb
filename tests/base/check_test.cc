#include "base/check.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace tinytune {
namespace {

void polite_exit(const char*, int, const char* message) {
  std::fprintf(stderr, "host says: %s\n", message);
  std::_Exit(3);
}

TEST(Check, TrueCondition_DoesNotEvaluateTheMessage) {
  int evaluated = 0;
  const auto message = [&] { return ++evaluated, std::string("never"); };
  TT_CHECK(1 + 1 == 2, message());
  EXPECT_EQ(evaluated, 0);
}

TEST(CheckDeathTest, FalseCondition_NamesConditionPlaceAndReason) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(TT_CHECK(1 > 2, "order is broken"), "check_test.cc.*1 > 2: order is broken");
}

TEST(CheckDeathTest, ReplacedHandler_HasTheLastWord) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        set_check_handler(&polite_exit);
        TT_CHECK(false, "bug");
      },
      ::testing::ExitedWithCode(3), "host says: false: bug");
}

TEST(Check, SetHandler_ReturnsThePreviousOneAndNullRestoresTheDefault) {
  const CheckHandler original = set_check_handler(&polite_exit);
  EXPECT_EQ(set_check_handler(nullptr), &polite_exit);
  EXPECT_EQ(set_check_handler(original), original);
}

}  // namespace
}  // namespace tinytune
