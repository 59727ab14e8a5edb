#include "cli/task_list.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(TaskList, NumbersAndRanges_AreSortedWithoutRepeats) {
  EXPECT_EQ(parse_task_list("0,2-5", 6).value(), (std::vector<int>{0, 2, 3, 4, 5}));
  EXPECT_EQ(parse_task_list("5,1-1,0,1", 6).value(), (std::vector<int>{0, 1, 5}));
}

TEST(TaskList, WrongFormsAndIndices_AreRefused) {
  for (const char* text : {"", ",", "0,", "a", "1-", "-1", "5-2", "0;1", "0-2-3", "6", "0-6",
                           "0-2147483647", "99999999999", " 1"}) {
    EXPECT_FALSE(parse_task_list(text, 6)) << text;
  }
  EXPECT_NE(parse_task_list("7", 6).error().message().find("0 to 5"), std::string::npos);
}

}  // namespace
}  // namespace tinytune
