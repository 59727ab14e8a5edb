// Text from outside cannot end the comment, string or line in which it is printed.
#include "codegen/operators/outside_text.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace tinytune {
namespace {

constexpr const char* kHarmless = "model/conv_1/BiasAdd;Relu6 (96x96)";

// Decodes the inside of a string literal as a C compiler does.
std::string read_back(const std::string& literal) {
  std::string out;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    out += static_cast<char>(std::stoi(literal.substr(i + 1, 3), nullptr, 8));
    i += 3;
  }
  return out;
}

TEST(OutsideText, HarmlessText_StaysAsItIs) {
  for (const auto in :
       {in_c_comment, in_c_string, in_hash_comment, in_properties, in_markdown, in_markdown_code})
    EXPECT_EQ(in(kHarmless), kHarmless);
  EXPECT_EQ(as_symbol_word(".iram1.text_2"), ".iram1.text_2");
}

TEST(OutsideText, EndsOfCommentsStringsAndLines_AreGone) {
  EXPECT_EQ(in_c_comment("a*/b\\\nc?\?/d/*e"), "a_/b__c__/d/_e");
  EXPECT_EQ(in_c_string("a\"b\\\n1?"), "a\\042b\\134\\0121\\077");
  EXPECT_EQ(in_hash_comment("a\nset(x)\r\xff"), "a_set(x)__");
  EXPECT_EQ(in_properties("a\\\nname=b"), "a__name=b");
  EXPECT_EQ(in_markdown("<a>`b`\n# c"), "\\<a\\>\\`b\\`_\\# c");
  EXPECT_EQ(in_markdown_code("a`b|c\n"), "a_b_c_");
  EXPECT_EQ(as_symbol_word(".a\",\"ax\n\t.globl b"), ".a___ax__.globl_b");
}

TEST(OutsideText, AnyBytes_StayInsideOneLine) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng(seed);
    std::string text(rng.below(40), '\0');
    for (char& c : text)
      c = seed % 2 == 0 ? static_cast<char>(rng.next()) : "*/\\?\"\n`#=a"[rng.below(10)];
    for (const auto in : {in_c_comment, in_c_string, in_hash_comment, in_properties, in_markdown,
                          in_markdown_code, as_symbol_word})
      for (const char c : in(text)) EXPECT_TRUE(c >= ' ' && c < 127) << "seed " << seed;
    EXPECT_EQ(in_c_comment(text).find_first_of("*\\?"), std::string::npos) << "seed " << seed;
    EXPECT_EQ(in_c_string(text).find_first_of("\"?"), std::string::npos) << "seed " << seed;
    EXPECT_EQ(read_back(in_c_string(text)), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tinytune
