#include "base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/temporary_directory.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;
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

TEST_F(Files, WriteThatFails_LeavesWhatWasThere) {
  const std::string path = folder_.file("page");
  ASSERT_TRUE(write_file(path, "good"));
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{}, small{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  small = unlimited;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status failed = write_file(path, std::string(100'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  ::signal(SIGXFSZ, before);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("limit on the size of files"));
  EXPECT_EQ(text_of(*read_file(path)), "good");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1)
      << "nothing is left behind";
}

TEST_F(Files, ReplacedFile_KeepsPermissionsAndLinks) {
  const std::string path = folder_.file("real"), link = folder_.file("link");
  ASSERT_TRUE(write_file(path, "old"));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(::symlink("real", link.c_str()), 0);
  ASSERT_TRUE(write_file(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(*read_file(path)), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
}

TEST_F(Files, PlacesThatAreNoFiles_AreWrittenInto) {
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  const Status full = write_file("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message(), HasSubstr("No space left"));
  EXPECT_FALSE(write_file(folder_.path(), "x")) << "a directory";
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
  const std::string pipe = folder_.file("pipe");  // opening it would wait for a writer
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
