#include "deploy/deployment/slow_work.h"

#include <gtest/gtest.h>

#include <vector>

namespace tinytune {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> told(milliseconds interval) {
  std::vector<std::string> lines;
  const MessageSink sink = [&](MessageKind, const std::string& line) { lines.push_back(line); };
  SlowWork work(sink, interval);
  for (int i = 1; i <= 3; ++i) work.step([&] { return std::to_string(i) + " done"; });
  return lines;
}

TEST(SlowWork, OnceAnInterval_IsToldHowFarItIs) {
  EXPECT_EQ(told(milliseconds(0)), (std::vector<std::string>{"1 done", "2 done", "3 done"}));
  EXPECT_TRUE(told(std::chrono::hours(1)).empty());
}

TEST(SlowWork, NobodyListens_NothingIsPutIntoWords) {
  const MessageSink nobody;
  SlowWork work(nobody, milliseconds(0));
  work.step([]() -> std::string {
    ADD_FAILURE() << "put into words";
    return "";
  });
}

}  // namespace
}  // namespace tinytune
