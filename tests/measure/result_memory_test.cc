#include "measure/result_memory.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

MeasureResult result(uint64_t cycles) {
  MeasureResult made;
  made.cycles = {cycles};
  return made;
}

TEST(ResultMemory, Bound_IsKeptByForgettingWhatWasNotAskedForTheLongest) {
  ResultMemory memory(3);
  for (uint64_t i = 0; i < 3; ++i) memory.add({0, i}, result(i));
  EXPECT_TRUE(memory.find({0, 0}));
  memory.add({0, 3}, result(3));
  EXPECT_EQ(memory.size(), 3u);
  EXPECT_FALSE(memory.find({0, 1}));
  for (const uint64_t kept : {0, 2, 3}) {
    const auto found = memory.find({0, kept});
    ASSERT_TRUE(found) << kept;
    EXPECT_EQ(found->cycles.at(0), kept);
  }
  for (uint64_t i = 10; i < 10'000; ++i) memory.add({1, i}, result(i));
  EXPECT_EQ(memory.size(), 3u);
}

}  // namespace
}  // namespace tinytune
