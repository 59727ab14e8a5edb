#include "rpc_device/boards/rom/esp_rom.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/little_endian.h"
#include "rpc_device/boards/serial/slip.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

enum Command : uint8_t {
  kMemBegin = 0x05,
  kMemEnd = 0x06,
  kMemData = 0x07,
  kSync = 0x08,
  kChangeBaud = 0x0F,
};

constexpr uint32_t kRomBaud = 115'200;
constexpr size_t kHeaderBytes = 8, kStatusBytes = 4;
constexpr size_t kBlockBytes = 0x1800;  // the ROM's limit
constexpr uint8_t kChecksumSeed = 0xEF;
constexpr int kAttempts = 4, kSyncs = 7;
constexpr milliseconds kSyncPatience{100}, kReplyPatience{2'000};
constexpr milliseconds kLastReplyPatience{200};  // the program may be running by then

Bytes words(std::initializer_list<uint32_t> values) { return little_endian_bytes(values); }

const char* name_of(Command command) {
  switch (command) {
    case kMemBegin:
      return "MEM_BEGIN";
    case kMemEnd:
      return "MEM_END";
    case kMemData:
      return "MEM_DATA";
    case kSync:
      return "SYNC";
    case kChangeBaud:
      return "CHANGE_BAUD";
  }
  return "a command";
}

std::string reason_of(uint8_t code) {
  switch (code) {
    case 0x05:
      return "the message is invalid";
    case 0x06:
      return "it could not be done";
    case 0x07:
      return "a wrong checksum arrived";
    default:
      return "error " + std::to_string(code);
  }
}

class EspRom {
 public:
  explicit EspRom(ByteLink& link) : link_(link) {}

  /// `through_usb`: with the sequence for the chip's own USB port instead of a USB-UART bridge. On
  /// a link without control lines the user has to reset by button.
  void reset(bool through_usb) {
    const auto lines = [&](bool dtr, bool rts, milliseconds after) {
      if (link_.set_lines(dtr, rts)) std::this_thread::sleep_for(after);
    };
    if (through_usb) {
      lines(false, false, milliseconds(100));
      lines(true, false, milliseconds(100));
      lines(true, true, milliseconds(0));
      lines(false, true, milliseconds(100));
      lines(false, false, milliseconds(0));
    } else {
      lines(false, true, milliseconds(100));
      lines(true, false, milliseconds(50));
      lines(false, false, milliseconds(0));
    }
  }

  Status sync() {
    Bytes pattern = {0x07, 0x07, 0x12, 0x20};
    pattern.resize(36, 0x55);
    for (int i = 0; i < kSyncs; ++i) {
      const Status done = command(kSync, pattern, 0, kSyncPatience);
      if (done || done.error().code() == ErrorCode::kFailed) return done;
    }
    return Error(ErrorCode::kDeviceLost,
                 "neither a runner nor the chip's ROM loader answers on the serial line: reset the "
                 "board with its BOOT button held");
  }

  Status change_baud(uint32_t baud) {
    if (baud == kRomBaud) return ok_status();
    TT_TRY(command(kChangeBaud, words({baud, 0}), 0, kReplyPatience));
    return link_.set_rate(baud);
  }

  Status write(const ImageSegment& segment) {
    const auto size = static_cast<uint32_t>(segment.bytes.size());
    const auto blocks = static_cast<uint32_t>((size + kBlockBytes - 1) / kBlockBytes);
    TT_TRY(
        command(kMemBegin, words({size, blocks, kBlockBytes, segment.address}), 0, kReplyPatience));
    for (uint32_t i = 0; i < blocks; ++i) {
      const size_t at = i * kBlockBytes;
      const auto block = std::span(segment.bytes).subspan(at, std::min(kBlockBytes, size - at));
      Bytes data = words({static_cast<uint32_t>(block.size()), i, 0, 0});
      data.insert(data.end(), block.begin(), block.end());
      uint8_t checksum = kChecksumSeed;
      for (const uint8_t byte : block) checksum ^= byte;
      TT_TRY(command(kMemData, data, checksum, kReplyPatience));
    }
    return ok_status();
  }

  Status jump(uint32_t entry) {
    const Status done = command(kMemEnd, words({0, entry}), 0, kLastReplyPatience);
    if (!done && done.error().code() == ErrorCode::kFailed) return done;
    return ok_status();  // the program's own hello shows whether it runs
  }

 private:
  // kDeviceLost: no reply. kFailed: the ROM refuses.
  Status command(Command which, const Bytes& data, uint32_t checksum, milliseconds patience) {
    Bytes message = {0x00, which};
    append_little_endian(message, static_cast<uint16_t>(data.size()));
    append_little_endian(message, checksum);
    message.insert(message.end(), data.begin(), data.end());
    TT_TRY(link_.write(serial::slip_encoded(message)));
    const auto deadline = Clock::now() + patience;
    Bytes bytes(1024);
    while (true) {
      while (const auto reply = reader_.next())
        if (const auto status = status_in(*reply, which)) {
          if ((*status)[0] == 0) return ok_status();
          return Error(ErrorCode::kFailed, std::string("the chip's ROM loader refuses ") +
                                               name_of(which) + ": " + reason_of((*status)[1]));
        }
      const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
      if (left.count() <= 0)
        return Error(ErrorCode::kDeviceLost,
                     std::string("the chip's ROM loader does not answer ") + name_of(which));
      TT_TRY_ASSIGN(const size_t got, link_.read(bytes, left));
      reader_.feed(std::span(bytes).first(got));
    }
  }

  // Returns the status in a reply to `asked`; nullopt: a boot message, noise, or another answer.
  static std::optional<std::span<const uint8_t>> status_in(std::span<const uint8_t> reply,
                                                           Command asked) {
    if (reply.size() < kHeaderBytes + kStatusBytes || reply[0] != 0x01 || reply[1] != asked ||
        static_cast<size_t>(reply[2] | reply[3] << 8) != reply.size() - kHeaderBytes)
      return std::nullopt;
    return reply.last(kStatusBytes);
  }

  ByteLink& link_;
  serial::SlipReader reader_;
};

Status load_once(ByteLink& link, std::span<const ImageSegment> segments, uint32_t entry,
                 uint32_t baud, bool through_usb) {
  EspRom rom(link);
  TT_TRY(link.set_rate(kRomBaud));
  rom.reset(through_usb);
  TT_TRY(rom.sync());
  TT_TRY(rom.change_baud(baud));
  for (const ImageSegment& segment : segments) TT_TRY(rom.write(segment));
  return rom.jump(entry);
}

}  // namespace

Status load_by_esp_rom(ByteLink& link, std::span<const ImageSegment> segments, uint32_t entry,
                       uint32_t baud) {
  Status done = ok_status();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    done = load_once(link, segments, entry, baud, attempt % 2 == 1);
    if (done) return done;
  }
  return done;
}

}  // namespace tinytune
