// A chip with only its ROM loader, on a serial line: the peer of rpc_device/boards/rom/esp_rom.h,
// byte by byte as esptool's documentation describes it. It checks commands as a ROM does; the
// loaded program then runs on QEMU, behind the same line.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "tests/rpc_device/boards/qemu.h"
#include "tests/rpc_device/boards/serial_line.h"

namespace tinytune::test {

/// Commands of the loader.
inline constexpr uint8_t kMemBegin = 5, kMemEnd = 6, kMemData = 7, kSync = 8, kChangeBaud = 15;

/// A fault in handling the first `times` commands of one kind; later ones are handled correctly.
struct RomFault {
  enum class Kind { kNone, kSilent, kRefuses, kReceivesWrongly, kTalksBefore };
  Kind kind = Kind::kNone;
  uint8_t command = 0;
  int times = 1;
};

class EspRomPeer {
 public:
  /// `machine` runs the loaded program; null: nothing runs it.
  EspRomPeer(const QemuMachine* machine, RomFault fault);
  ~EspRomPeer();

  const std::string& path() const { return line_->path(); }
  /// Number of commands received.
  int commands() const { return commands_; }
  /// The address that it was told to jump to, if any.
  std::optional<uint32_t> entry() const;

 private:
  struct Segment {
    uint32_t address = 0, blocks = 0, block_bytes = 0, next = 0;
    size_t size_bytes = 0;
    std::vector<uint8_t> bytes;
  };
  void live();
  void answer(std::vector<uint8_t> message);
  /// Executes a command and returns its status; 0: done.
  uint8_t obey(uint8_t command, std::span<const uint8_t> data, uint32_t checksum);
  void reply(uint8_t command, uint8_t code);
  void say(std::string_view text);
  void start_program();
  void carry();

  const QemuMachine* machine_;
  RomFault fault_;
  TemporaryDirectory directory_ = TemporaryDirectory::create("rom").value();
  std::unique_ptr<SerialLine> line_;
  Descriptor wire_;  ///< the chip's end
  bool synchronised_ = false;
  std::vector<Segment> segments_;
  Descriptor output_, program_;
  std::optional<Child> qemu_;
  std::atomic<int> commands_{0};
  std::atomic<int64_t> entry_{-1};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tinytune::test
