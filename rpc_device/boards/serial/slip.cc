#include "rpc_device/boards/serial/slip.h"

#include <utility>

#include "rpc_device/boards/firmware/wire.h"

namespace tinytune::serial {

std::vector<uint8_t> slip_encoded(std::span<const uint8_t> message) {
  std::vector<uint8_t> wire = {WIRE_END};
  wire.reserve(message.size() + 2);
  for (const uint8_t byte : message) {
    if (byte != WIRE_END && byte != WIRE_ESCAPE) {
      wire.push_back(byte);
      continue;
    }
    wire.push_back(WIRE_ESCAPE);
    wire.push_back(byte == WIRE_END ? WIRE_ESCAPED_END : WIRE_ESCAPED_ESCAPE);
  }
  wire.push_back(WIRE_END);
  return wire;
}

void SlipReader::feed(std::span<const uint8_t> bytes) {
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void SlipReader::clear() {
  pending_.clear();
  message_.clear();
  escaped_ = broken_ = false;
}

std::optional<std::vector<uint8_t>> SlipReader::next() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    uint8_t byte = pending_[i];
    if (byte == WIRE_END) {
      std::vector<uint8_t> message = std::exchange(message_, {});
      const bool whole = !std::exchange(broken_, false) && !std::exchange(escaped_, false);
      if (message.empty() || !whole) continue;
      pending_.erase(pending_.begin(), pending_.begin() + static_cast<long>(i) + 1);
      return message;
    }
    if (escaped_) {
      broken_ = broken_ || (byte != WIRE_ESCAPED_END && byte != WIRE_ESCAPED_ESCAPE);
      byte = byte == WIRE_ESCAPED_END ? WIRE_END : WIRE_ESCAPE;
      escaped_ = false;
    } else if (byte == WIRE_ESCAPE) {
      escaped_ = true;
      continue;
    }
    if (message_.size() == kLongest) broken_ = true;
    if (!broken_) message_.push_back(byte);
  }
  pending_.clear();
  return std::nullopt;
}

}  // namespace tinytune::serial
