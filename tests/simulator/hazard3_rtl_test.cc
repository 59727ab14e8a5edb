// Programs that ran on the RTL of Hazard3: the model must give the same cycles and results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

// Parses lines of "name a b" or "a b name", as the bench prints them.
std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; words >> word;) rows.back().push_back(word);
  }
  return rows;
}

/// The RTL's figures are not part of this repository; skips where they do not stand beside it.
void expect_as_the_rtl(const std::string& program, const std::string& figures) {
  const std::string folder = TINYTUNE_SOURCE_DIR "/../shared/rtl/";
  if (!std::filesystem::exists(folder + figures)) GTEST_SKIP() << "no figures of the RTL at hand";
  const Ran ran = run(*load_device("hazard3"), *read_file(folder + program));
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->exit_status, 0);
  const auto expected = rows_of(std::string(text_of(*read_file(folder + figures))));
  const auto printed = rows_of(ran.output);
  ASSERT_EQ(printed.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(printed[i].size(), expected[i].size()) << i;
    for (size_t k = 0; k < expected[i].size(); ++k) {
      char* end = nullptr;
      const double want = std::strtod(expected[i][k].c_str(), &end);
      if (*end != 0) {
        EXPECT_EQ(printed[i][k], expected[i][k]);
        continue;
      }
      const bool per_pass = expected[i][k].find('.') != std::string::npos;
      const double allowed = per_pass ? 0.0 : std::max(5.0, want * 0.0005);
      EXPECT_NEAR(std::stod(printed[i][k]), want, allowed) << "line " << i + 1;
    }
  }
}

TEST(Hazard3Rtl, RandomPrograms_TakeAndComputeWhatTheRtlDoes) {
  const std::string folder = TINYTUNE_SOURCE_DIR "/../shared/rtl/random/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no figures of the RTL at hand";
  for (const char* name : {"r11", "r12", "r13", "r14", "amo4"}) {
    const Ran ran = run(*load_device("hazard3"), *read_file(folder + name + ".elf"));
    ASSERT_TRUE(ran.report) << refusal(ran);
    EXPECT_EQ(ran.output, std::string(text_of(*read_file(folder + name + ".rtl.txt")))) << name;
  }
}

TEST(Hazard3Rtl, MicroKernels_TakeWhatTheRtlTakes) {
  expect_as_the_rtl("micro.elf", "micro.rtl.txt");
}

TEST(Hazard3Rtl, KeywordSpotting_TakesWhatTheRtlTakes) {
  expect_as_the_rtl("kws_hazard3.elf", "kws.rtl.txt");
}

}  // namespace
}  // namespace tinytune
