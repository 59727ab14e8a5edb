#include "base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/temporary_directory.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  TemporaryDirectory folder_ = *TemporaryDirectory::create("files");
};

TEST_F(Files, WhatWasWritten_IsReadBack) {
  std::string contents;
  for (int i = 0; i < 200'000; ++i) contents += static_cast<char>(i * 7);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, contents.size()}) {
    const std::string path = folder_.file("below/it/" + std::to_string(size));
    ASSERT_TRUE(write_file(path, contents.substr(0, size)));
    const auto bytes = read_file(path);
    ASSERT_TRUE(bytes) << bytes.error().message();
    EXPECT_TRUE(text_of(*bytes) == contents.substr(0, size)) << size;
  }
}

TEST_F(Files, FileOverTheLimit_IsRefused) {
  const std::string path = folder_.file("file");
  ASSERT_TRUE(write_file(path, std::string(100, 'x')));
  EXPECT_TRUE(read_file(path, 100));
  const auto refused = read_file(path, 99);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().message(), HasSubstr("larger than 99 bytes"));
}

TEST_F(Files, WhatIsNoRegularFile_IsRefusedUnopened) {
  const std::string pipe = folder_.file("pipe");  // to open it would wait for a writer
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/")}) {
    const auto refused = read_file(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidInput);
    EXPECT_THAT(refused.error().message(), HasSubstr("not a regular file"));
  }
  EXPECT_EQ(read_file(folder_.file("none")).error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tinytune
