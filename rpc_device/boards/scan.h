// Finds connected boards: places that --device accepts after a device's name.
//
// Nothing is opened, because opening a serial port may reset its board, and connecting to a GDB
// server halts its core. Instead the system is queried: udev's names of USB serial ports, and which
// of the usual ports of GDB servers are listened on.
#pragma once

#include <string>
#include <vector>

namespace tinytune {

struct FoundPlace {
  std::string place;  ///< "@serial:/dev/serial/by-id/…", "@gdb:localhost:3333"
  std::string what;   ///< for people: a USB device and its ids, or the usual server of the port
};

/// Scans this machine, or the dev, proc and sys folders under `root` if it is not empty.
std::vector<FoundPlace> scan_for_boards(const std::string& root = "");

}  // namespace tinytune
