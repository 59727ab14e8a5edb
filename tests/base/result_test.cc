#include "tinytune/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/check.h"

namespace tinytune {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return Error(ErrorCode::kInvalidInput, "odd: " + std::to_string(value));
  return value / 2;
}

Result<int> quarter(int value) {
  TT_TRY_ASSIGN(const int first, half(value));
  TT_TRY_ASSIGN(const int second, half(first));
  return second;
}

Status quarterable(int value) {
  TT_TRY(quarter(value));
  return ok_status();
}

TEST(Result, Value_IsReachedEveryWay) {
  Result<int> r = half(8);
  ASSERT_TRUE(r.has_value());
  EXPECT_TRUE(static_cast<bool>(r));
  EXPECT_EQ(r.value(), 4);
  EXPECT_EQ(*r, 4);
}

TEST(Result, TryMacros_ReturnTheFirstError) {
  EXPECT_EQ(quarter(12).value(), 3);
  const Result<int> r = quarter(6);
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kInvalidInput);
  EXPECT_EQ(r.error().message(), "odd: 3");
  EXPECT_TRUE(quarterable(4).has_value());
  EXPECT_EQ(quarterable(5).error().message(), "odd: 5");
}

TEST(Result, Within_PutsContextFirstAndKeepsTheCode) {
  const Error e = Error(ErrorCode::kNotFound, "no such device").within("esp32");
  EXPECT_EQ(e.message(), "esp32: no such device");
  EXPECT_EQ(e.code(), ErrorCode::kNotFound);
}

TEST(Result, MoveOnlyValue_MovesOut) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = std::move(r).value();
  EXPECT_EQ(*taken, 7);
}

TEST(ResultDeathTest, ValueOfAnError_AbortsWithItsMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Result<int> r = half(3);
  EXPECT_DEATH((void)r.value(), "odd: 3");
}

TEST(ResultDeathTest, ErrorOfASuccess_Aborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)half(2).error(), "holds a value");
  EXPECT_DEATH((void)ok_status().error(), "ok Status");
}

}  // namespace
}  // namespace tinytune
