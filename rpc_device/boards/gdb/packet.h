// Packets of the GDB remote serial protocol: `$payload#xx`, where xx is the sum of the payload's
// bytes as they cross the wire, modulo 256.
//
// In a payload, `}` escapes the byte after it (xor 0x20), and a reply may say `x*n` for n - 28 more
// of x. Between packets stand `+` and `-`, which are answers to ours, and whatever a serial line
// makes up. Source: GDB manual, appendix E, "Remote Protocol", sections Overview and Packets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tinytune::gdb {

/// A packet ready to send; whatever has to be escaped is.
std::vector<uint8_t> frame(std::string_view payload);

struct Event {
  enum class Kind {
    kPacket,
    kAck,
    kNak,
    kDamaged,  ///< a packet whose sum is wrong, that broke off, or that is longer than any may be
  };
  Kind kind = Kind::kPacket;
  std::string payload;  ///< kPacket: unescaped and expanded
};

/// Takes bytes as they come and gives events; never fails, whatever the bytes are.
class PacketReader {
 public:
  /// More than a server may announce and we accept; a longer packet is damage.
  static constexpr size_t kLongestPayload = 1 << 20;

  void feed(std::span<const uint8_t> bytes);
  /// The next event that is whole, in order.
  std::optional<Event> next();
  /// Forgets everything that was fed.
  void clear();

 private:
  std::optional<Event> take_packet();
  std::string buffer_;
  size_t at_ = 0;  ///< of buffer_: what comes before was taken
};

/// Two lower-case digits a byte.
std::string to_hex(std::span<const uint8_t> bytes);
/// Nothing where the text is no whole bytes in hexadecimal.
std::optional<std::vector<uint8_t>> from_hex(std::string_view text);

}  // namespace tinytune::gdb
