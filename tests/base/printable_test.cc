#include "base/printable.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(Printable, OrdinaryText_StaysAsItIs) {
  EXPECT_EQ(printable("a \"quoted\" µ — 漢字"), "a \"quoted\" µ — 漢字");
  EXPECT_TRUE(is_one_line("a \"quoted\" µ — 漢字"));
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, WhatATerminalObeys_IsSpeltOut) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\x0ab\\x0d\\x09c");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // the same escape as one character
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  for (const char* text : {"a\nb", "\x1b", "\x7f", "\xc2\x85"}) EXPECT_FALSE(is_one_line(text));
}

TEST(Printable, WhatIsNoUtf8_IsSpeltOut) {
  EXPECT_EQ(printable("a\xff\xbf"), "a\\xff\\xbf");
  EXPECT_EQ(printable("\xc2"), "\\xc2");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_FALSE(is_one_line("\xff"));
}

TEST(Printable, LongText_IsCutBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("µµµ", 5), "µµ…");
  EXPECT_EQ(printable("a\n", 4), "a…");
  EXPECT_LT(printable(std::string(1'000'000, '\xbf'), 10).size(), 20u);
}

TEST(WithoutControls, LinesAndTabs_StayAndNothingElseDoes) {
  EXPECT_EQ(without_controls("a\tb\r\nc µ\n"), "a\tb\r\nc µ\n");
  EXPECT_EQ(without_controls("a\rb\x1b[31m\xff"), "a\\x0db\\x1b[31m\\xff");
}

}  // namespace
}  // namespace tinytune
