// A directory that is written twice holds the second package, and keeps files of others.
#include "codegen/packages/write_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PackageDirectory : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::create("package");
    ASSERT_TRUE(made) << made.error().message();
    folder_ = std::move(*made);
  }
  std::string path(const std::string& name) const { return folder_->path() + "/out/" + name; }
  WrittenPackage write(const std::vector<GeneratedFile>& files) const {
    const auto written = write_package(path(""), files);
    EXPECT_TRUE(written) << written.error().message();
    return written ? *written : WrittenPackage();
  }
  /// Returns all files and folders except the manifest.
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path("")))
      if (entry.path().filename() != kPackageManifest)
        found.push_back(fs::relative(entry.path(), path("")).string());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::optional<TemporaryDirectory> folder_;
};

const std::vector<GeneratedFile> kFirst = {
    {"a.c", "1"}, {"README.md", "x"}, {"test/a_smoke.c", ""}};
const std::vector<GeneratedFile> kSecond = {{"b.c", "2"}, {"README.md", "y"}};

TEST_F(PackageDirectory, WrittenTwice_HoldsOnlyTheSecondPackage) {
  EXPECT_THAT(write(kFirst).removed, IsEmpty());
  EXPECT_THAT(files(), ElementsAre("README.md", "a.c", "test", "test/a_smoke.c"));
  EXPECT_THAT(write(kSecond).removed, testing::UnorderedElementsAre("a.c", "test/a_smoke.c"));
  EXPECT_THAT(files(), ElementsAre("README.md", "b.c"));
  write(kFirst);
  EXPECT_THAT(files(), ElementsAre("README.md", "a.c", "test", "test/a_smoke.c"));
}

TEST_F(PackageDirectory, FilesOfOthers_Stay) {
  write(kFirst);
  ASSERT_TRUE(write_file(path("mine.c"), "mine"));
  ASSERT_TRUE(write_file(path("test/mine.txt"), "mine"));
  write(kSecond);
  EXPECT_THAT(files(), ElementsAre("README.md", "b.c", "mine.c", "test", "test/mine.txt"));
}

TEST_F(PackageDirectory, FileChangedSince_StaysAndIsNamed) {
  write(kFirst);
  ASSERT_TRUE(write_file(path("a.c"), "changed"));
  EXPECT_THAT(write(kSecond).kept, ElementsAre("a.c"));
  EXPECT_THAT(files(), ElementsAre("README.md", "a.c", "b.c"));
}

TEST_F(PackageDirectory, FilesOfOthersInTheWay_AreNamedAndNothingIsTouched) {
  ASSERT_TRUE(write_file(path("README.md"), "mine"));
  const auto refused = write_package(path(""), kFirst);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().message(), HasSubstr("README.md would be overwritten"));
  EXPECT_THAT(files(), ElementsAre("README.md"));
  EXPECT_EQ(text_of(*read_file(path("README.md"))), "mine");
}

TEST_F(PackageDirectory, ChangedFileOfThisPackage_IsNotOverwritten) {
  write(kFirst);
  ASSERT_TRUE(write_file(path("README.md"), "my notes"));
  EXPECT_FALSE(write_package(path(""), kFirst));
  EXPECT_FALSE(write_package(path(""), kSecond));
  EXPECT_EQ(text_of(*read_file(path("README.md"))), "my notes");
  EXPECT_THAT(files(), ElementsAre("README.md", "a.c", "test", "test/a_smoke.c"));
}

TEST_F(PackageDirectory, LinkOrDirectoryInTheWay_IsRefused) {
  ASSERT_TRUE(write_file(folder_->path() + "/elsewhere.c", "mine"));
  fs::create_directories(path("b.c"));
  EXPECT_FALSE(write_package(path(""), kSecond));
  fs::remove(path("b.c"));
  fs::create_symlink(folder_->path() + "/elsewhere.c", path("b.c"));
  EXPECT_FALSE(write_package(path(""), kSecond));
  EXPECT_EQ(text_of(*read_file(folder_->path() + "/elsewhere.c")), "mine");
}

TEST_F(PackageDirectory, ManifestOfSomebodyElse_IsNotOverwritten) {
  ASSERT_TRUE(write_file(path(kPackageManifest), "mine"));
  EXPECT_FALSE(write_package(path(""), kFirst));
}

TEST_F(PackageDirectory, PackageThatCannotBeWrittenWhole_LeavesTheEarlierOne) {
  write(kFirst);
  // A name that no file system takes stands for a full disk: it fails when the last file is staged.
  std::vector<GeneratedFile> unwritable = kSecond;
  unwritable.push_back({std::string(300, 'x'), ""});
  EXPECT_FALSE(write_package(path(""), unwritable));
  EXPECT_THAT(files(), ElementsAre("README.md", "a.c", "test", "test/a_smoke.c"));
  EXPECT_EQ(text_of(*read_file(path("README.md"))), "x");
}

TEST_F(PackageDirectory, DirectoryWithoutAManifest_LosesNothing) {
  ASSERT_TRUE(write_file(path("a.c"), "1"));
  write(kSecond);
  EXPECT_THAT(files(), ElementsAre("README.md", "a.c", "b.c"));
}

TEST_F(PackageDirectory, ManifestThatNamesPlacesOutside_ReachesNone) {
  write(kFirst);
  const std::string outside = folder_->path() + "/outside.c", hash = "af63ac4c86019afc";
  ASSERT_TRUE(write_file(outside, "1"));
  fs::create_directory_symlink(folder_->path(), path("link"));
  const auto bytes = read_file(path(kPackageManifest));
  ASSERT_TRUE(bytes);
  ASSERT_THAT(std::string(text_of(*bytes)), HasSubstr(hash + " a.c")) << "the hash of a \"1\"";
  ASSERT_TRUE(write_file(path(kPackageManifest),
                         std::string(text_of(*bytes)) + hash + " ../outside.c\n" + hash + " " +
                             outside + "\n" + hash + " link/outside.c\n" + hash + "\n \n"));
  write(kSecond);
  EXPECT_TRUE(fs::exists(outside));
}

TEST_F(PackageDirectory, PlaceThatCannotBeADirectory_IsAnErrorThatNamesIt) {
  ASSERT_TRUE(write_file(path("file"), ""));
  fs::create_symlink("loop", path("loop"));
  const auto onto_a_file = write_package(path("file"), kFirst);
  ASSERT_FALSE(onto_a_file);
  EXPECT_EQ(onto_a_file.error().code(), ErrorCode::kInvalidInput);
  for (const std::string& place :
       {path("file/x"), path("loop"), path("loop/x"), path(std::string(300, 'x'))}) {
    const auto written = write_package(place, kFirst);
    ASSERT_FALSE(written) << place;
    EXPECT_EQ(written.error().code(), ErrorCode::kFailed);
    EXPECT_THAT(written.error().message(), HasSubstr(place + ": cannot be made a directory: "));
  }
}

}  // namespace
}  // namespace tinytune::test
