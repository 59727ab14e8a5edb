// ByteLink: bytes to a board and back, over whatever wire. It promises nothing: bytes may be lost,
// doubled or wrong on a serial line, and what the protocols above do about that is their business.
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
  /// Some bytes, as soon as there are any; 0 when none came within `timeout`.
  virtual Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) = 0;

  /// Of a serial line, from now on. kUnsupported: it is none. kInvalidInput: the system has not got
  /// that rate.
  virtual Status set_rate(uint32_t) { return no_serial_line(); }
  /// The two outputs beside the data of a serial line; true is asserted. kUnsupported: it has none.
  virtual Status set_lines(bool /*dtr*/, bool /*rts*/) { return no_serial_line(); }

 private:
  static Error no_serial_line() {
    return Error(ErrorCode::kUnsupported, "this link is no serial line with that control");
  }
};

/// "localhost:3333". kInvalidInput: no HOST:PORT. kDeviceLost: nobody listens there, or the host's
/// name is not known now.
Result<std::unique_ptr<ByteLink>> open_tcp_link(const std::string& address,
                                                std::chrono::milliseconds timeout);

/// A terminal device such as "/dev/ttyUSB0", raw, 8N1. kDeviceLost: no such device, or none that
/// may be opened. kInvalidInput: no terminal, or a rate that the system has not got.
Result<std::unique_ptr<ByteLink>> open_serial_link(const std::string& path, uint32_t baud);

}  // namespace tinytune
