// What is plugged in: places that --device takes behind a device's name.
//
// Nothing is opened. A serial port that is opened may reset its board, and a debugger's server
// halts the core of whoever connects; so the system is asked what is there: udev's names of USB
// serial ports, and which of the ports that GDB servers usually have is listened on.
#pragma once

#include <string>
#include <vector>

namespace tinytune {

struct FoundPlace {
  std::string place;  ///< "@serial:/dev/serial/by-id/…", "@gdb:localhost:3333"
  std::string what;   ///< for people: a USB device and its ids, or whose port this is
};

/// Of this machine; of the tree under `root` where there is one, with its dev, proc and sys.
std::vector<FoundPlace> scan_for_boards(const std::string& root = "");

}  // namespace tinytune
