#include "base/nearest_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tinytune {
namespace {

TEST(NearestWord, OnlyWhatIsNear_IsSuggested) {
  const std::vector<std::string> words = {"--model", "--device", "run", "report"};
  EXPECT_EQ(nearest_word("--modle", words), "--model");
  EXPECT_EQ(nearest_word("reprot", words), "report");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(nearest_word("--mode", words), "--model");
  EXPECT_EQ(nearest_word("--frobnicate", words), "");
}

}  // namespace
}  // namespace tinytune
