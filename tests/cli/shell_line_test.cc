#include "cli/shell_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace tinytune {
namespace {

TEST(ShellLine, OddCharacters_AreQuotedSoThatAShellReadsThemBack) {
  EXPECT_EQ(shell_quoted("a/b-c.tflite"), "a/b-c.tflite");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("my model"), "'my model'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  const std::vector<std::string> words = {"tune", "--model", "a b"};
  EXPECT_EQ(shell_line(words), "tune --model 'a b'");
}

TEST(ShellLine, ControlCharacters_AreEscapedAsAShellReadsThem) {
  EXPECT_EQ(shell_quoted("a\x1b[1m'b\\\n"), "$'a\\x1b[1m\\'b\\\\\\x0a'");
}

}  // namespace
}  // namespace tinytune
