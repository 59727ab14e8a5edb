#include "rpc_device/fleet/address.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tinytune {
namespace {

TEST(Address, BothForms_AreReadAndWritten) {
  for (const char* text : {"unix:/run/tune", "localhost:7000", "0.0.0.0:0", "[::1]:65535"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
}

TEST(Address, Nonsense_IsRefusedInOneLine) {
  for (const char* text : {"", "unix:", "localhost", ":80", "host:", "host:65536", "host:-1",
                           "host:80x", "host:99999999999999999999"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code(), ErrorCode::kInvalidInput);
    EXPECT_EQ(address.error().message().find('\n'), std::string::npos);
  }
}

TEST(Address, SocketPath_HoldsExactly107Bytes) {
  EXPECT_TRUE(parse_address("unix:/" + std::string(106, 'x')));
  const auto refused = parse_address("unix:/" + std::string(107, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("107"), std::string::npos);
}

TEST(Address, ThatCannotBeListenedOn_IsRefusedWithWhatToDo) {
  const auto folder = TemporaryDirectory::create("address").value();
  std::ofstream(folder.file("file")) << "a user's";
  const struct {
    std::string text, why;
  } cases[] = {
      {"unix:/no/such/folder/socket", "name a path in a folder that exists"},
      {"unix:" + folder.file("file"), "which is no socket"},
      {"192.0.2.1:7000", "it is no address of this machine"},
      {"nowhere.invalid:7000", "the host of address nowhere.invalid:7000 cannot be found"}};
  for (const auto& [text, why] : cases) {
    const Status unused = check_unused(parse_address(text).value());
    ASSERT_FALSE(unused) << text;
    EXPECT_NE(unused.error().message().find(why), std::string::npos) << unused.error().message();
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("file")));
  const Status free = check_unused(parse_address("unix:" + folder.file("socket")).value());
  EXPECT_TRUE(free) << free.error().message();
  EXPECT_FALSE(std::filesystem::exists(folder.file("socket"))) << "the trial is left behind";
}

TEST(SocketDirectory, GoesWithItsObject) {
  std::string path;
  struct stat info;
  {
    const auto directory = make_socket_directory().value();
    path = directory.path();
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  EXPECT_NE(stat(path.c_str(), &info), 0);
}

TEST(SocketDirectory, LongTemporaryFolder_StillLeavesRoomForASocket) {
  const std::string folder = testing::TempDir() + "/" + std::string(90, 'x');
  std::filesystem::create_directory(folder);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", folder.c_str(), 1);
  const auto directory = make_socket_directory();
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  std::filesystem::remove(folder);
  ASSERT_TRUE(directory);
  EXPECT_TRUE(parse_address("unix:" + directory->path() + "/tuner"));
}

}  // namespace
}  // namespace tinytune
