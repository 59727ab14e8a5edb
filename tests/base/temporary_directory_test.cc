#include "base/temporary_directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace tinytune {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectories : public testing::Test {
 protected:
  void SetUp() override {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    std::string pattern = testing::TempDir() + "/directories-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    setenv("TMPDIR", pattern.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", before_.c_str(), 1);
    fs::remove_all(folder_);
  }

  /// Makes a directory whose owner is then killed; returns its path.
  std::string orphan() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t owner = fork();
    if (owner == 0) {
      const auto made = TemporaryDirectory::create("test");
      std::ofstream(made->file("inside")) << "x";
      if (write(ends[1], made->path().data(), made->path().size()) < 0) _exit(1);
      raise(SIGKILL);
    }
    waitpid(owner, nullptr, 0);
    close(ends[1]);
    char path[4096];
    const ssize_t size = read(ends[0], path, sizeof path);
    close(ends[0]);
    return {path, static_cast<size_t>(size)};
  }

  fs::path folder_;
  std::string before_;
};

TEST_F(TemporaryDirectories, Owner_RemovesItsOwn) {
  std::string path;
  {
    auto made = TemporaryDirectory::create("test");
    ASSERT_TRUE(made) << made.error().message();
    const TemporaryDirectory moved = std::move(*made);
    path = moved.path();
    EXPECT_EQ(fs::path(path).parent_path(), folder_);
    EXPECT_NE(path.find("tinytune.test." + std::to_string(getpid())), std::string::npos) << path;
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(moved.file("inside")) << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TemporaryDirectories, KilledOwner_IsSweptAfter) {
  const std::string left = orphan();
  ASSERT_TRUE(fs::exists(left));
  sweep_temporary_directories();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(TemporaryDirectories, LivingOwnersAndOtherPrograms_AreLeftAlone) {
  const auto mine = TemporaryDirectory::create("test");
  ASSERT_TRUE(mine);
  for (const char* name : {"tinytune-link-abcdef", "tinytune.link", "tinytune.x.12.toolong",
                           "tinytune..abcdef", "tinytune.x.1x.abcdef", "other.x.12.abcdef"})
    fs::create_directory(folder_ / name);
  std::ofstream(folder_ / "tinytune.x.12.abcdef") << "a file, not a directory";
  fs::create_directory(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "tinytune.x.13.abcdef");
  sweep_temporary_directories();
  EXPECT_TRUE(fs::exists(mine->path()));
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere"));
}

TEST_F(TemporaryDirectories, ProcessThatEndsAmidItsThreads_LeavesNothing) {
  const auto mine = TemporaryDirectory::create("test");
  ASSERT_TRUE(mine);
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] {
      while (true)
        if (const auto one = TemporaryDirectory::create("test"))
          for (int i = 0; i < 50; ++i) std::ofstream(one->file(std::to_string(i))) << "x";
    }).detach();
    usleep(20'000);
    end_temporary_directories();
    const bool refused = !TemporaryDirectory::create("test");
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  size_t left = 0;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path() != mine->path()) ++left;
  EXPECT_EQ(left, 0u);
  EXPECT_TRUE(fs::exists(mine->path()));  // another process's directory stays
}

TEST_F(TemporaryDirectories, FolderThatTakesNone_IsNamedInOneLine) {
  setenv("TMPDIR", (folder_ / "missing").c_str(), 1);
  const auto made = TemporaryDirectory::create("test");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::kFailed);
  EXPECT_NE(made.error().message().find("missing: No such file or directory"), std::string::npos)
      << made.error().message();
  sweep_temporary_directories();
}

}  // namespace
}  // namespace tinytune
