#include "rpc_device/boards/scan.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tinytune {
namespace {

namespace fs = std::filesystem;

struct UsualPort {
  unsigned port;
  const char* whose;
};
// Default ports in the servers' manuals.
constexpr std::array kUsualPorts = {UsualPort{1234, "QEMU's -s"},
                                    UsualPort{1337, "probe-rs"},
                                    UsualPort{2331, "J-Link"},
                                    UsualPort{3333, "OpenOCD, pyOCD or Renode"},
                                    UsualPort{4242, "st-util"},
                                    UsualPort{50000, "pyOCD or a second core's server"},
                                    UsualPort{61234, "ST-LINK_gdbserver"}};

// Interface, device and hub are parents of a terminal in sysfs; the device has the ids.
constexpr int kMostParents = 4;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string usb_device_of(const std::string& root, const std::string& terminal) {
  std::error_code ignored;
  fs::path at = fs::canonical(root + "/sys/class/tty/" + terminal + "/device", ignored);
  for (int i = 0; i < kMostParents && !at.empty(); ++i, at = at.parent_path()) {
    const std::string vendor = first_line(at / "idVendor");
    if (vendor.empty()) continue;
    const std::string made_by = first_line(at / "manufacturer"), name = first_line(at / "product");
    std::string what = made_by + (made_by.empty() || name.empty() ? "" : " ") + name;
    return what + (what.empty() ? "" : ", ") + "USB " + vendor + ":" + first_line(at / "idProduct");
  }
  return "serial port";
}

std::vector<FoundPlace> serial_ports(const std::string& root) {
  const std::string folder = "/dev/serial/by-id/";
  std::vector<FoundPlace> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root + folder, ignored)) {
    const fs::path terminal = fs::read_symlink(entry.path(), ignored).filename();
    if (terminal.empty()) continue;
    found.push_back({"@serial:" + folder + entry.path().filename().string(),
                     terminal.string() + ", " + usb_device_of(root, terminal)});
  }
  std::ranges::sort(found, {}, &FoundPlace::place);
  return found;
}

// Returns ports that processes of this machine listen on: proc(5), /proc/net/tcp.
std::set<unsigned> listening(const std::string& root) {
  std::set<unsigned> ports;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(root + table);
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string number, local, remote, state;
      words >> number >> local >> remote >> state;
      const size_t colon = local.rfind(':');
      if (state != "0A" || colon == std::string::npos) continue;
      ports.insert(static_cast<unsigned>(std::strtoul(local.c_str() + colon + 1, nullptr, 16)));
    }
  }
  return ports;
}

}  // namespace

std::vector<FoundPlace> scan_for_boards(const std::string& root) {
  std::vector<FoundPlace> found = serial_ports(root);
  const std::set<unsigned> ports = listening(root);
  for (const UsualPort& usual : kUsualPorts)
    if (ports.contains(usual.port))
      found.push_back({"@gdb:localhost:" + std::to_string(usual.port),
                       std::string("listens where ") + usual.whose + " would"});
  return found;
}

}  // namespace tinytune
