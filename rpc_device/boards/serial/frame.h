// The frames of rpc_device/boards/firmware/wire.h, on the host's side.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rpc_device/boards/serial/slip.h"

namespace tinytune::serial {

struct Frame {
  static constexpr uint8_t kMostAttempts = 63;
  uint16_t session = 0, sequence = 0;
  uint8_t kind = 0, status = 0;  ///< of a reply, 0 to 3
  std::vector<uint8_t> payload;
  uint8_t attempt = 0;  ///< of its request: 0 to kMostAttempts, then 0 again
  bool operator==(const Frame&) const = default;
};

/// Encodes a frame for the wire, between two ENDs, so that bytes before it do not matter.
std::vector<uint8_t> encode(const Frame& frame);

/// Extracts complete, valid frames from received bytes and drops everything else.
class FrameReader {
 public:
  void feed(std::span<const uint8_t> bytes);
  std::optional<Frame> next();
  void clear();

 private:
  SlipReader slip_;
};

/// IEEE 802.3, as zlib's.
uint32_t crc32(std::span<const uint8_t> bytes);

}  // namespace tinytune::serial
