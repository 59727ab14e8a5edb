// A disk that fails to store what was written to it. This file replaces the C library's fsync(),
// which is the only way to make one fail on demand.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "records/log.h"
#include "tests/records/sample.h"

namespace {
bool disk_fails = false;
}  // namespace

extern "C" int fsync(int file) {
  if (!disk_fails) return static_cast<int>(::syscall(SYS_fsync, file));
  errno = EIO;
  return -1;
}

namespace tinytune {
namespace {

TEST(LogSync, FailedSync_TakesTheLineBackAndSaysSo) {
  const auto folder = TemporaryDirectory::create("log-sync");
  ASSERT_TRUE(folder);
  const std::string path = folder->file("a.jsonl");
  auto writer = LogWriter::open(path);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(sample(0)));
  const auto before = read_file(path);
  disk_fails = true;
  const Status appended = writer->append(sample(1));
  disk_fails = false;
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code(), ErrorCode::kFailed);
  EXPECT_EQ(*read_file(path), *before);
}

}  // namespace
}  // namespace tinytune
