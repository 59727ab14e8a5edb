#include "base/installed_program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

TEST(InstalledProgram, ExecutableBesideTheLibrary_IsFound) {
  const TemporaryDirectory prefix = *TemporaryDirectory::create("prefix");
  const std::string compiler = prefix.file("libexec/tinytune/bin/clang-14");
  ASSERT_TRUE(write_file(compiler, "#!/bin/sh\n"));
  EXPECT_EQ(program_under(prefix.path(), "clang-14"), "") << "it may not be executed yet";
  fs::permissions(compiler, fs::perms::owner_all);
  EXPECT_EQ(program_under(prefix.path(), "clang-14"), compiler);
  const std::string program = prefix.file("bin/clang-14");
  ASSERT_TRUE(write_file(program, "#!/bin/sh\n"));
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EQ(program_under(prefix.path(), "clang-14"), program) << "bin/ comes first";
}

TEST(InstalledProgram, PathsAndFolders_AreNoPrograms) {
  const TemporaryDirectory prefix = *TemporaryDirectory::create("prefix");
  fs::create_directories(prefix.file("bin/clang-14"));
  EXPECT_EQ(program_under(prefix.path(), "clang-14"), "");
  EXPECT_EQ(program_under("/", "../bin/sh"), "");
  EXPECT_EQ(program_under("", "sh"), "");
}

}  // namespace
}  // namespace tinytune
