// A directory that is written twice holds the second package, and whatever was never ours.
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
  /// Without the manifest.
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
  write(kFirst);
  write(kSecond);
  EXPECT_THAT(files(), ElementsAre("README.md", "b.c")) << "ours again";
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
