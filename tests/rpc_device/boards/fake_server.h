// A GDB server in the test's own process: a link that answers packets as a function says.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "rpc_device/boards/gdb/packet.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune::test {

class FakeServer final : public ByteLink {
 public:
  /// Returns the framed reply to a payload; empty: the server sends nothing.
  using Answer = std::function<std::string(const std::string& payload)>;
  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {}

  static std::string packet(const std::string& payload) {
    const auto bytes = gdb::frame(payload);
    return {bytes.begin(), bytes.end()};
  }

  Status write(std::span<const uint8_t> bytes) override {
    if (bytes.size() == 1 && bytes[0] == 3) pending_ += answer_("\x03");
    reader_.feed(bytes);
    while (const auto event = reader_.next()) {
      if (event->kind == gdb::Event::Kind::kNak) ++naks;
      if (event->kind != gdb::Event::Kind::kPacket) continue;
      heard.push_back(event->payload);
      pending_ += answer_(event->payload);
    }
    return ok_status();
  }

  Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds) override {
    const size_t size = std::min(bytes.size(), pending_.size());
    std::copy_n(pending_.begin(), size, bytes.begin());
    pending_.erase(0, size);
    return size;
  }

  std::vector<std::string> heard;
  int naks = 0;

 private:
  Answer answer_;
  gdb::PacketReader reader_;
  std::string pending_;
};

}  // namespace tinytune::test
