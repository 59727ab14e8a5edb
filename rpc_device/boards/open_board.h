// Opens a board by its address: "esp32c3", "stm32f7@gdb:localhost:3333".
//
// The device names the chip, the transport the way to reach it. Each transport is a row of one
// table, in open_board.cc.
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

/// DEVICE or DEVICE@TRANSPORT:PLACE. A device alone means its simulator, or, if it has none like
/// "host", the first of its file's transports that needs no place.
struct BoardAddress {
  std::string device;     ///< argument of load_device()
  std::string transport;  ///< empty: the simulator in this process
  std::string place;      ///< HOST:PORT, a path

  bool is_simulator() const { return transport.empty(); }
  /// Returns whether a program on this machine represents the device, which has no simulator.
  bool is_program() const { return !transport.empty() && place.empty(); }
};

/// Returns the address with a known device's name in its canonical case: "esp32c3" for "ESP32C3".
/// Other text is unchanged.
std::string canonical_board_address(const std::string& text);

/// Returns the part before the '@'.
std::string device_part(const std::string& address);

/// kInvalidInput: an '@' without TRANSPORT:PLACE after it. kUnsupported: unknown transport; the
/// message lists the known ones.
Result<BoardAddress> parse_board_address(std::string_view text);

/// Opens a link and takes control of the core. kInvalidInput: a simulator's address, or a device
/// whose file does not allow it. Other errors by transport; kDeviceLost: no answer.
Result<std::unique_ptr<RemoteCore>> open_core(const BoardAddress& address, const Device& device);

/// Opens a board. `device` is the address's device, or its in_flash() variant. `power_switch`:
/// command that switches the board off and on if nothing else makes it answer; empty: none.
Result<std::unique_ptr<Board>> open_board(const BoardAddress& address, const Device& device,
                                          const std::string& power_switch = "");

}  // namespace tinytune
