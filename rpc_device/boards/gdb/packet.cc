#include "rpc_device/boards/gdb/packet.h"

#include <utility>

namespace tinytune::gdb {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

uint8_t sum_of(std::string_view wire) {
  uint8_t sum = 0;
  for (const char c : wire) sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(c));
  return sum;
}

// Removes escapes and expands runs. nullopt: an incomplete escape or run, or too long a payload.
std::optional<std::string> unpacked(std::string_view wire) {
  std::string payload;
  for (size_t i = 0; i < wire.size(); ++i) {
    const char c = wire[i];
    if (c == '}' || c == '*') {
      if (++i == wire.size()) return std::nullopt;
    }
    if (c == '}') {
      payload += static_cast<char>(wire[i] ^ 0x20);
    } else if (c == '*') {
      const int more = static_cast<uint8_t>(wire[i]) - 29;
      if (payload.empty() || more < 1 || more > 97) return std::nullopt;
      payload.append(static_cast<size_t>(more), payload.back());
    } else {
      payload += c;
    }
    if (payload.size() > PacketReader::kLongestPayload) return std::nullopt;
  }
  return payload;
}

}  // namespace

std::vector<uint8_t> frame(std::string_view payload) {
  std::string wire;
  for (const char c : payload) {
    const bool special = c == '$' || c == '#' || c == '}' || c == '*';
    if (special) wire += '}';
    wire += special ? static_cast<char>(c ^ 0x20) : c;
  }
  const uint8_t sum = sum_of(wire);
  std::vector<uint8_t> bytes;
  bytes.reserve(wire.size() + 4);
  bytes.push_back('$');
  bytes.insert(bytes.end(), wire.begin(), wire.end());
  for (const char c : {'#', kDigits[sum >> 4], kDigits[sum & 15]})
    bytes.push_back(static_cast<uint8_t>(c));
  return bytes;
}

void PacketReader::clear() {
  buffer_.clear();
  at_ = 0;
}

void PacketReader::feed(std::span<const uint8_t> bytes) {
  if (at_ > 0) buffer_.erase(0, std::exchange(at_, 0));
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<Event> PacketReader::next() {
  while (at_ < buffer_.size()) {
    switch (buffer_[at_]) {
      case '+':
        ++at_;
        return Event{Event::Kind::kAck, {}};
      case '-':
        ++at_;
        return Event{Event::Kind::kNak, {}};
      case '$':
        return take_packet();
      default:
        ++at_;  // noise between packets
    }
  }
  return std::nullopt;
}

// A packet never contains `$`: if there is one, the packet broke off and another begins there.
std::optional<Event> PacketReader::take_packet() {
  const Event damaged{Event::Kind::kDamaged, {}};
  const size_t end = buffer_.find_first_of("#$", at_ + 1);
  if (end == std::string::npos) {
    if (buffer_.size() - at_ <= 2 * kLongestPayload) return std::nullopt;
    at_ = buffer_.size();
    return damaged;
  }
  if (buffer_[end] == '$') {
    at_ = end;
    return damaged;
  }
  if (end + 2 >= buffer_.size()) return std::nullopt;
  const std::string_view wire(buffer_.data() + at_ + 1, end - at_ - 1);
  const int high = digit_of(buffer_[end + 1]), low = digit_of(buffer_[end + 2]);
  const bool right = high >= 0 && low >= 0 && (high << 4 | low) == sum_of(wire);
  auto payload = right ? unpacked(wire) : std::nullopt;
  at_ = end + 3;
  if (!payload) return damaged;
  return Event{Event::Kind::kPacket, *std::move(payload)};
}

std::string to_hex(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<std::vector<uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(high << 4 | low));
  }
  return bytes;
}

}  // namespace tinytune::gdb
