#include "models/c_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "examples/tflite_writer.h"
#include "models/tflite_model.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using Bytes = std::vector<uint8_t>;

const Bytes kModel = {0x1c, 0, 0, 0, 'T', 'F', 'L', '3', 0xff, 7};

TEST(CArray, AsXxdWritesIt_IsRead) {
  EXPECT_EQ(model_in_c_source("unsigned char m[] = {\n  0x1c, 0x00, 0x00, 0x00, 0x54, 0x46,\n"
                              "  0x4c, 0x33, 0xff, 0x07\n};\nunsigned int m_len = 10;\n"),
            kModel);
}

TEST(CArray, DecimalSignedSuffixedAndCommented_IsRead) {
  EXPECT_EQ(model_in_c_source("#include <x.h>\n// { 1, 2 }\nalignas(16) const signed char m[] =\n"
                              "{28, 0, 0, 0u, /* TFL3 */ 84, 70, 76, 51U, -1, // last\n 7,};"),
            kModel);
}

TEST(CArray, OtherArraysBeforeIt_AreSkipped) {
  EXPECT_EQ(
      model_in_c_source("namespace n {\nint a[] = {1, 2, 300};\nchar b[] = {1,2,3,4,5,6,7,8};\n"
                        "char c[] = {28,0,0,0,84,70,76,51,255,7};\n}"),
      kModel);
}

TEST(CArray, SourceWithoutAModel_HasNone) {
  for (const char* source : {"", "{", "int main() { return 0; }", "char m[] = {0x1c, 0, 0, 0};",
                             "/* {28,0,0,0,84,70,76,51}", "char m[] = {28,0,0,0,84,70,76,51"})
    EXPECT_FALSE(model_in_c_source(source)) << source;
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
}

TEST(OtherFormats, AreNamedWithWhatMakesAModelOfThem) {
  const auto refusal = [](std::string_view text) {
    return TfliteModel::open({reinterpret_cast<const uint8_t*>(text.data()), text.size()})
        .error()
        .message();
  };
  EXPECT_NE(refusal("\x89HDF\r\n\x1a\n........").find("a Keras model (HDF5)"), std::string::npos);
  EXPECT_NE(refusal("PK\x03\x04............").find("a zip archive"), std::string::npos);
  EXPECT_NE(refusal("\x08\x01\x12............").find("a SavedModel"), std::string::npos);
  EXPECT_NE(refusal("............").find("no TFL3 identifier"), std::string::npos);
  EXPECT_NE(refusal("\n a text file").find("no TFL3 identifier"), std::string::npos);
}

}  // namespace
}  // namespace tinytune
