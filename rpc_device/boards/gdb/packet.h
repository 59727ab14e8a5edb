// Packets of the GDB remote serial protocol: `$payload#xx`, where xx is the sum of the payload's
// bytes as they cross the wire, modulo 256.
//
// In a payload, `}` escapes the byte after it (xor 0x20), and `x*n` in a reply is x repeated n - 29
// more times, n being a character code. Between packets there are `+` and `-`, which acknowledge
// ours, and noise of a serial line. Source: GDB manual, appendix E, "Remote Protocol", sections
// Overview and Packets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tinytune::gdb {

/// Returns a packet ready to send, with escapes.
std::vector<uint8_t> frame(std::string_view payload);

struct Event {
  enum class Kind {
    kPacket,
    kAck,
    kNak,
    kDamaged,  ///< a packet with a wrong sum, incomplete, or over the limit of length
  };
  Kind kind = Kind::kPacket;
  std::string payload;  ///< kPacket: unescaped and expanded
};

/// Converts received bytes to events; accepts any bytes.
class PacketReader {
 public:
  /// More than a server may announce and we accept; a longer packet is damage.
  static constexpr size_t kLongestPayload = 1 << 20;

  void feed(std::span<const uint8_t> bytes);
  /// Returns the next complete event, in order.
  std::optional<Event> next();
  /// Drops all bytes that were fed.
  void clear();

 private:
  std::optional<Event> take_packet();
  std::string buffer_;
  size_t at_ = 0;  ///< index of the first unread byte of buffer_
};

/// Returns two lower-case digits per byte.
std::string to_hex(std::span<const uint8_t> bytes);
/// Returns nullopt if the text is not whole bytes in hexadecimal.
std::optional<std::vector<uint8_t>> from_hex(std::string_view text);

}  // namespace tinytune::gdb
