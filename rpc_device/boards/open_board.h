// A board by the words that name it: "esp32c3", "stm32f7@gdb:localhost:3333".
//
// The device says what the chip is, the transport how this one is reached. Each transport is a row
// of one table, here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device.h"
#include "measure/board.h"
#include "rpc_device/boards/remote_core.h"
#include "tinytune/result.h"

namespace tinytune {

/// DEVICE or DEVICE@TRANSPORT:PLACE. A device by itself is its simulator; one that has none, such
/// as "host", is the first of its file's transports that needs no place.
struct BoardAddress {
  std::string device;     ///< what load_device() takes
  std::string transport;  ///< empty: the simulator in this process
  std::string place;      ///< HOST:PORT, a path

  bool is_simulator() const { return transport.empty(); }
  /// A program of this machine stands for the device, which has no simulator.
  bool is_program() const { return !transport.empty() && place.empty(); }
};

/// The same address with a known device's name as the list of devices has it: "esp32c3" for
/// "ESP32C3". Other text is left as it is.
std::string canonical_board_address(const std::string& text);

/// What stands before the '@'.
std::string device_part(const std::string& address);

/// kInvalidInput: an '@' with no TRANSPORT:PLACE after it. kUnsupported: a transport that this
/// version has not got; the message lists those it has.
Result<BoardAddress> parse_board_address(std::string_view text);

/// Opens a link and takes hold of the core. kInvalidInput: a simulator's address, or a device whose
/// file does not allow it. Otherwise as the transport says: kDeviceLost when nobody answers.
Result<std::unique_ptr<RemoteCore>> open_core(const BoardAddress& address, const Device& device);

/// A board of `device`, which is the address's, perhaps in_flash(). `power_switch`: the command
/// that switches a board off and on where nothing else makes it answer; empty: there is none.
Result<std::unique_ptr<Board>> open_board(const BoardAddress& address, const Device& device,
                                          const std::string& power_switch = "");

}  // namespace tinytune
