#include "rpc_device/boards/scan.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;

// The dev, proc and sys trees of a machine, as udev and Linux lay them out.
class Scan : public testing::Test {
 protected:
  void plug_in(const std::string& by_id, const std::string& terminal) {
    const fs::path usb = root_ / "sys/devices/usb1/1-2";
    fs::create_directories(usb / "1-2:1.0" / terminal / "tty" / terminal);
    ASSERT_TRUE(write_file((usb / "idVendor").string(), "303a\n"));
    ASSERT_TRUE(write_file((usb / "idProduct").string(), "1001\n"));
    ASSERT_TRUE(write_file((usb / "manufacturer").string(), "Espressif\n"));
    fs::create_directories(root_ / "sys/class/tty" / terminal);
    fs::create_symlink(usb / "1-2:1.0" / terminal, root_ / "sys/class/tty" / terminal / "device");
    fs::create_directories(root_ / "dev/serial/by-id");
    fs::create_symlink("../../" + terminal, root_ / "dev/serial/by-id" / by_id);
  }
  std::vector<FoundPlace> scan() const { return scan_for_boards(root_.string()); }

  TemporaryDirectory directory_ = TemporaryDirectory::create("scan").value();
  fs::path root_ = directory_.file("root");
};

TEST_F(Scan, NothingThere_IsAnEmptyList) { EXPECT_TRUE(scan().empty()); }

TEST_F(Scan, SerialPort_IsNamedByWhatStaysAndToldByItsUsbIds) {
  plug_in("usb-Espressif_JTAG-if00", "ttyACM3");
  const auto found = scan();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place, "@serial:/dev/serial/by-id/usb-Espressif_JTAG-if00");
  EXPECT_EQ(found[0].what, "ttyACM3, Espressif, USB 303a:1001");
}

TEST_F(Scan, GdbServer_IsFoundWhereItListensAndNotWhereItIsOnlyConnected) {
  fs::create_directories(root_ / "proc/net");
  ASSERT_TRUE(write_file(
      (root_ / "proc/net/tcp").string(),
      "  sl  local_address rem_address   st tx_queue rx_queue\n"
      "   0: 0100007F:0D05 00000000:0000 0A 00000000:00000000 00:00000000\n"  // 3333 listens
      "   1: 0100007F:04D2 0100007F:8000 01 00000000:00000000 00:00000000\n"  // 1234 is connected
      "   2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000\n"));  // 80
  const auto found = scan();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place, "@gdb:localhost:3333");
  EXPECT_NE(found[0].what.find("OpenOCD"), std::string::npos);
}

}  // namespace
}  // namespace tinytune::test
