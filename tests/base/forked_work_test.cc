#include "base/forked_work.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

namespace tinytune {
namespace {

TEST(ForkedWork, Answers_ComeInTheOrderOfTheirPieces) {
  const std::string large(1 << 20, 'x');  // exceeds a pipe's capacity
  const auto work = [&](size_t i) { return std::to_string(i) + large; };
  std::vector<size_t> done;
  const auto answers = divide_work(7, 3, work, [&](size_t n) { done.push_back(n); });
  ASSERT_EQ(answers.size(), 7U);
  for (size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i]) << i;
    EXPECT_EQ(*answers[i], std::to_string(i) + large);
  }
  EXPECT_EQ(done, (std::vector<size_t>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(ForkedWork, Pieces_AreDividedAmongProcesses) {
  const auto work = [](size_t) {
    ::usleep(100'000);
    return std::to_string(::getpid());
  };
  std::set<std::string> processes;
  for (const auto& answer : divide_work(4, 2, work)) processes.insert(answer ? *answer : "");
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_FALSE(processes.contains(std::to_string(::getpid())));
}

TEST(ForkedWork, PieceThatCrashes_FailsAloneAmongThoseOfOtherProcesses) {
  const auto work = [](size_t i) {
    if (i == 0) ::_exit(3);
    ::usleep(50'000);
    return std::string("done");
  };
  const auto answers = divide_work(4, 2, work);
  EXPECT_FALSE(answers[0]);
  for (size_t i = 1; i < answers.size(); ++i) EXPECT_TRUE(answers[i]) << i;
}

TEST(ForkedWork, NoPieces_StartsNothing) {
  EXPECT_TRUE(divide_work(0, 2, [](size_t) { return std::string(); }).empty());
}

}  // namespace
}  // namespace tinytune
