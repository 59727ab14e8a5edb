#include "tests/rpc_device/boards/esp_rom_peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/files.h"
#include "rpc_device/boards/serial/slip.h"

namespace tinytune::test {
namespace {

constexpr uint8_t kInvalid = 5, kFailed = 6, kWrongChecksum = 7;
constexpr size_t kMostBlockBytes = 0x1800;

uint32_t word(std::span<const uint8_t> bytes, size_t index) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | bytes[4 * index + i];
  return value;
}

}  // namespace

EspRomPeer::EspRomPeer(const QemuMachine* machine, RomFault fault)
    : machine_(machine), fault_(fault) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  wire_ = Descriptor(ends[1]);
  line_ = std::make_unique<SerialLine>(Descriptor(ends[0]), 0);
  thread_ = std::thread([this] { live(); });
}

EspRomPeer::~EspRomPeer() {
  stopping_ = true;
  thread_.join();
}

std::optional<uint32_t> EspRomPeer::entry() const {
  const int64_t entry = entry_;
  return entry < 0 ? std::nullopt : std::optional(static_cast<uint32_t>(entry));
}

void EspRomPeer::say(std::string_view text) { write_fully(wire_.get(), text.data(), text.size()); }

void EspRomPeer::live() {
  say("ESP-ROM:esp32c3-api1-20210207\r\nrst:0x1 (POWERON),boot:0x4 (DOWNLOAD(USB/UART0))\r\n");
  serial::SlipReader reader;
  std::array<uint8_t, 512> bytes{};
  while (!stopping_ && program_.get() < 0) {
    pollfd ready{wire_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 20) <= 0) continue;
    const ssize_t got = ::read(wire_.get(), bytes.data(), bytes.size());
    if (got <= 0) return;
    reader.feed(std::span(bytes).first(static_cast<size_t>(got)));
    while (auto message = reader.next()) answer(std::move(*message));
  }
  if (program_.get() >= 0) carry();
}

void EspRomPeer::answer(std::vector<uint8_t> message) {
  if (message.size() < 8 || message[0] != 0) return;  // a hello for a runner
  const uint8_t command = message[1];
  const std::span<uint8_t> data = std::span(message).subspan(8);
  if (command != kSync && !synchronised_) return;
  ++commands_;
  RomFault::Kind wrong = RomFault::Kind::kNone;
  if (command == fault_.command && fault_.times > 0) {
    --fault_.times;
    wrong = fault_.kind;
  }
  if (wrong == RomFault::Kind::kReceivesWrongly && !data.empty()) data.back() ^= 0x10;
  if (wrong == RomFault::Kind::kTalksBefore) say("\xC0\x01\x02garbage\xDB\xC0guru meditation");
  uint8_t code = kFailed;
  if (wrong != RomFault::Kind::kRefuses)
    code = (message[2] | message[3] << 8) == static_cast<int>(data.size())
               ? obey(command, data, word(message, 1))
               : kInvalid;
  if (wrong == RomFault::Kind::kSilent) return;
  for (int i = 0; i < (command == kSync ? 8 : 1); ++i) reply(command, code);
}

uint8_t EspRomPeer::obey(uint8_t command, std::span<const uint8_t> data, uint32_t checksum) {
  if (command == kSync) {
    std::vector<uint8_t> pattern = {7, 7, 0x12, 0x20};
    pattern.resize(36, 0x55);
    synchronised_ = std::ranges::equal(data, pattern);
    segments_.clear();
    return synchronised_ ? 0 : kInvalid;
  }
  if (command == kChangeBaud) return data.size() == 8 && word(data, 1) == 0 ? 0 : kInvalid;
  if (command == kMemBegin) {
    if (data.size() != 16) return kInvalid;
    Segment segment{word(data, 3), word(data, 1), word(data, 2), 0, word(data, 0), {}};
    if (segment.block_bytes > kMostBlockBytes ||
        segment.blocks != (segment.size_bytes + segment.block_bytes - 1) / segment.block_bytes)
      return kInvalid;
    segments_.push_back(segment);
    return 0;
  }
  if (command == kMemData) {
    if (segments_.empty() || data.size() < 16 || word(data, 0) != data.size() - 16) return kInvalid;
    Segment& segment = segments_.back();
    if (word(data, 1) != segment.next || word(data, 0) > segment.block_bytes) return kInvalid;
    uint8_t sum = 0xEF;
    for (const uint8_t byte : data.subspan(16)) sum ^= byte;
    if (sum != checksum) return kWrongChecksum;
    ++segment.next;
    segment.bytes.insert(segment.bytes.end(), data.begin() + 16, data.end());
    return 0;
  }
  if (command != kMemEnd || data.size() != 8 || word(data, 0) != 0 || segments_.empty())
    return kInvalid;
  for (const Segment& segment : segments_)
    if (segment.bytes.size() != segment.size_bytes) return kFailed;
  entry_ = word(data, 1);
  if (machine_ != nullptr) start_program();
  return 0;
}

void EspRomPeer::reply(uint8_t command, uint8_t code) {
  const std::vector<uint8_t> message = {
      1, command, 4, 0, 0, 0, 0, 0, static_cast<uint8_t>(code != 0 ? 1 : 0), code, 0, 0};
  const auto wire = serial::slip_encoded(message);
  write_fully(wire_.get(), wire.data(), wire.size());
}

void EspRomPeer::start_program() {
  const std::string socket = directory_.file("serial");
  std::vector<std::string> words = machine_->command;
  words.insert(words.end(), {"-display", "none", "-monitor", "none", "-serial",
                             "unix:" + socket + ",server=on,wait=off"});
  for (const Segment& segment : segments_) {
    const std::string file = directory_.file(std::to_string(segment.address));
    EXPECT_TRUE(write_file(file, text_of(segment.bytes)));
    words.insert(words.end(), {"-device", "loader,force-raw=on,file=" + file +
                                              ",addr=" + std::to_string(segment.address)});
  }
  output_ = Descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  auto child = Child::start(words, output_.get(), output_.get());
  ASSERT_TRUE(child) << child.error().message();
  qemu_.emplace(std::move(*child));
  program_ = connect_when_there(socket);
}

void EspRomPeer::carry() {
  std::array<uint8_t, 512> bytes{};
  while (!stopping_) {
    std::array<pollfd, 2> ready = {{{wire_.get(), POLLIN, 0}, {program_.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), 20) <= 0) continue;
    for (size_t from = 0; from < ready.size(); ++from) {
      if ((ready[from].revents & (POLLIN | POLLHUP)) == 0) continue;
      const ssize_t got = ::read(ready[from].fd, bytes.data(), bytes.size());
      if (got <= 0) return;
      write_fully(ready[1 - from].fd, bytes.data(), static_cast<size_t>(got));
    }
  }
}

}  // namespace tinytune::test
