#include "models/c_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "examples/tflite_writer.h"
#include "models/tflite/model.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using Bytes = std::vector<uint8_t>;

const Bytes kModel = {0x1c, 0, 0, 0, 'T', 'F', 'L', '3', 0xff, 7};

const std::string kBytes = "28,0,0,0,84,70,76,51,255,7";
const std::vector<Bytes> kOnce = {kModel};

TEST(CArray, AsXxdWritesIt_IsRead) {
  EXPECT_EQ(models_in_c_source("unsigned char m[] = {\n  0x1c, 0x00, 0x00, 0x00, 0x54, 0x46,\n"
                               "  0x4c, 0x33, 0xff, 0x07\n};\nunsigned int m_len = 10;\n"),
            kOnce);
}

TEST(CArray, DecimalSignedSuffixedAndCommented_IsRead) {
  EXPECT_EQ(models_in_c_source("#include <x.h>\n// { 1, 2 }\nalignas(16) const signed char m[] =\n"
                               "{28, 0, 0, 0u, /* TFL3 */ 84, 70, 76, 51UL, -1, // last\n 7,};"),
            kOnce);
}

TEST(CArray, OctalAndBinaryNumbers_AreCs) {
  EXPECT_EQ(models_in_c_source("char m[] = {034, 00, 0, 0, 0b1010100, 0106, 0114, 063, 0377, 7};"),
            kOnce);
}

// Declarations as microcontroller projects write them.
TEST(CArray, WhateverStandsBeforeTheBytes_IsRead) {
  for (const char* before :
       {"const unsigned char m[] PROGMEM = ", "alignas(8) const unsigned char m[] = ",
        "const unsigned char m[10] __attribute__((aligned(16), section(\".rodata.m\"))) = ",
        "#ifdef __has_attribute\n#define HAVE(x) __has_attribute(x)\n#else\n#define HAVE(x) 0\n"
        "#endif\n#define ALIGN \\\n  __attribute__((aligned(4))) // {\nconst unsigned char m[] "
        "ALIGN = ",
        "extern \"C\" {\nextern const uint8_t m[];\n__declspec(align(16)) const uint8_t m[] = ",
        "constexpr std::array<uint8_t, 10> m = {", "const char* of = \"// {1, /*\"; int8_t m[] = ",
        "#error don't, \" {\nstatic const uint8_t m[]=",
        "const char c = '{', d = '\\''; char m[] = "}) {
    EXPECT_EQ(models_in_c_source(before + ("{" + kBytes + "}};")), kOnce) << before;
  }
}

TEST(CArray, DirectivesAmongTheBytes_AreSkipped) {
  EXPECT_EQ(
      models_in_c_source("char m[] = {28,0,0,0,\n#pragma once\n  84,70,76,51,\n# line 7\n255,7};"),
      kOnce);
}

TEST(CArray, OtherArraysBeforeIt_AreSkipped) {
  EXPECT_EQ(
      models_in_c_source("namespace n {\nint a[] = {1, 2, 300};\nchar b[] = {1,2,3,4,5,6,7,8};\n"
                         "char c[] = {28,0,0,0,84,70,76,51,255,7};\n}"),
      kOnce);
}

TEST(CArray, SeveralModels_AreAllFound_EqualOnesOnce) {
  const std::string other = "28,0,0,0,84,70,76,51,1";
  EXPECT_EQ(models_in_c_source("char a[] = {" + kBytes + "}, b[] = {" + other + "};").size(), 2U);
  EXPECT_EQ(models_in_c_source("#if X\nchar a[] = {" + kBytes + "};\n#else\nchar a[4] = {" +
                               kBytes + "};\n#endif"),
            kOnce);
}

TEST(CArray, SourceWithoutAModel_HasNone) {
  for (const char* source : {"", "{", "int main() { return 0; }", "char m[] = {0x1c, 0, 0, 0};",
                             "/* {28,0,0,0,84,70,76,51}", "char m[] = {28,0,0,0,84,70,76,51",
                             "// {28,0,0,0,84,70,76,51}", "#", "\"", "'\\", "char m[] = {0x"})
    EXPECT_TRUE(models_in_c_source(source).empty()) << source;
}

TEST(CArray, ModelFileOfCSource_IsTheModel) {
  const auto directory = TemporaryDirectory::create("c_array");
  ASSERT_TRUE(directory);
  const Bytes model = write_tflite(tiny_network());
  const std::string path = directory->path() + "/model.cc";
  ASSERT_TRUE(write_file(
      path, fmt::format("const unsigned char g_model[] = {{{:#04x}}};\n", fmt::join(model, ","))));
  const auto read = read_model_file(path);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, model);
  ASSERT_TRUE(write_file(path, "int main() {}\n"));
  EXPECT_NE(read_model_file(path).error().message().find("no array of C source"),
            std::string::npos);
  ASSERT_TRUE(write_file(path, "char a[] = {" + kBytes + "}, b[] = {" + kBytes + ",1};\n"));
  EXPECT_NE(read_model_file(path).error().message().find("2 arrays of C source"),
            std::string::npos);
}

}  // namespace
}  // namespace tinytune
