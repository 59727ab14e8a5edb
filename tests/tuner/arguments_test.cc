#include "tuner/arguments.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(Duration, SecondsMinutesHoursAndPlainNumbers_AreRead) {
  EXPECT_EQ(parse_duration("90").value(), 90);
  EXPECT_EQ(parse_duration("60s").value(), 60);
  EXPECT_EQ(parse_duration("5m").value(), 300);
  EXPECT_EQ(parse_duration("1.5h").value(), 5400);
}

TEST(Duration, AnythingElse_IsRefusedInOneLine) {
  for (const char* text :
       {"", "s", "m", "-5s", "0", "0s", "5 s", "5d", "1e999", "nan", "inf", "5ss", "0x10", "ten"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalidInput);
    EXPECT_EQ(parsed.error().message().find('\n'), std::string::npos);
  }
}

TEST(Count, WholeNumbersOnly) {
  EXPECT_EQ(parse_count("--trials", "18446744073709551615").value(), 18446744073709551615u);
  for (const char* text : {"", "-3", "+3", "3.5", "1e3", "0x10", " 1", "18446744073709551616"}) {
    const auto parsed = parse_count("--trials", text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message().find("--trials"), std::string::npos);
  }
}

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

TEST(Seed, OnlyNonZero32BitNumbers_AreTaken) {
  EXPECT_EQ(parse_seed("seed:1").value(), 1u);
  EXPECT_EQ(parse_seed("seed:4294967295").value(), 4294967295u);
  for (const char* text :
       {"seed:", "seed:0", "seed:-1", "seed:4294967296", "seed:1x", "1", "Seed:1"})
    EXPECT_FALSE(parse_seed(text)) << text;
}

TEST(ShellLine, OddCharacters_AreQuotedSoThatAShellReadsThemBack) {
  EXPECT_EQ(shell_quoted("a/b-c.tflite"), "a/b-c.tflite");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("my model"), "'my model'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  const std::vector<std::string> words = {"tune", "--model", "a b"};
  EXPECT_EQ(shell_line(words), "tune --model 'a b'");
}

TEST(Stem, FoldersAndExtension_AreDropped) {
  EXPECT_EQ(stem_of("models/kws.tflite"), "kws");
  EXPECT_EQ(stem_of("kws"), "kws");
  EXPECT_EQ(stem_of("a.b.tflite"), "a.b");
}

}  // namespace
}  // namespace tinytune
