// ByteLink: an unreliable stream of bytes to a board and back, over any wire. Bytes may be lost,
// doubled or changed on a serial line; the protocols above it have to handle that.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tinytune/result.h"

namespace tinytune {

/// Not thread-safe. kDeviceLost: the other end is gone; open another link.
class ByteLink {
 public:
  virtual ~ByteLink() = default;

  virtual Status write(std::span<const uint8_t> bytes) = 0;
  /// Reads available bytes as soon as there are any; returns 0 if none came within `timeout`.
  virtual Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) = 0;

  /// Sets the rate of a serial line. kUnsupported: not a serial line. kInvalidInput: the system
  /// does not support the rate.
  virtual Status set_rate(uint32_t) { return no_serial_line(); }
  /// Sets the two control outputs of a serial line; true is asserted. kUnsupported: it has none.
  virtual Status set_lines(bool /*dtr*/, bool /*rts*/) { return no_serial_line(); }

 private:
  static Error no_serial_line() {
    return Error(ErrorCode::kUnsupported, "this link is no serial line with that control");
  }
};

/// Opens "localhost:3333". kInvalidInput: not HOST:PORT. kDeviceLost: nothing listens there, or the
/// host's name is currently unknown.
Result<std::unique_ptr<ByteLink>> open_tcp_link(const std::string& address,
                                                std::chrono::milliseconds timeout);

/// Opens a terminal device such as "/dev/ttyUSB0", raw, 8N1. kDeviceLost: no such device, or it
/// cannot be opened. kInvalidInput: not a terminal, or a rate that the system does not support.
Result<std::unique_ptr<ByteLink>> open_serial_link(const std::string& path, uint32_t baud);

}  // namespace tinytune
