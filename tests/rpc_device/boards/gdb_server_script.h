// A GDB server as a table of answers, and a client of it. By default it has every optional feature;
// each test removes or changes the one that it is about.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rpc_device/boards/gdb/client.h"
#include "tests/rpc_device/boards/fake_server.h"

namespace tinytune::test {

inline constexpr char kTargetXml[] =
    "<?xml version=\"1.0\"?><target><architecture>riscv:rv32</architecture>"
    "<xi:include href=\"cpu.xml\"/></target>";
inline constexpr char kCpuXml[] =
    "<feature name=\"org.gnu.gdb.riscv.cpu\"><reg name=\"zero\" bitsize=\"32\"/>"
    "<reg name=\"ra\" bitsize=\"32\"/><reg name=\"sp\" bitsize=\"32\"/>"
    "<reg name=\"pc\" bitsize=\"32\" regnum=\"32\"/>"
    "<reg name=\"mstatus\" bitsize=\"32\" regnum=\"833\"/></feature>";
inline constexpr char kMapXml[] =
    "<memory-map><memory type=\"flash\" start=\"0x8000000\" length=\"0x1000\">"
    "<property name=\"blocksize\">0x400</property></memory>"
    "<memory type=\"ram\" start=\"0x20000000\" length=\"0x1000\"/></memory-map>";

struct GdbServer {
  std::string features =
      "PacketSize=200;qXfer:features:read+;qXfer:memory-map:read+;QStartNoAckMode+";
  std::map<std::string, std::string> answers = {{"QStartNoAckMode", "OK"},
                                                {"?", "T05thread:01;"},
                                                {"vCont?", "vCont;c;C;s;S"},
                                                {"X20000000,0:", "OK"}};
  std::string target_xml = kTargetXml, map_xml = kMapXml;
  std::string memory = std::string(4096, '\0');
  bool binary = true;

  std::string reply(const std::string& payload) {
    if (payload.starts_with("qSupported")) return features;
    if (payload.starts_with("qXfer:features:read:target.xml:")) return part(payload, target_xml);
    if (payload.starts_with("qXfer:features:read:cpu.xml:")) return part(payload, kCpuXml);
    if (payload.starts_with("qXfer:memory-map:read::")) return part(payload, map_xml);
    if (const auto at = answers.find(payload); at != answers.end()) return at->second;
    if (payload[0] == 'm' || payload[0] == 'M' || payload[0] == 'X') return access(payload);
    return "";
  }

 private:
  static std::string part(const std::string& payload, const std::string& document) {
    const size_t colon = payload.rfind(':'), comma = payload.rfind(',');
    const size_t offset = std::stoul(payload.substr(colon + 1, comma - colon - 1), nullptr, 16);
    const size_t length = std::min<size_t>(std::stoul(payload.substr(comma + 1), nullptr, 16), 60);
    return (offset + length >= document.size() ? "l" : "m") + document.substr(offset, length);
  }
  std::string access(const std::string& payload) {
    const size_t comma = payload.find(','), colon = payload.find(':');
    const size_t at = std::stoul(payload.substr(1, comma - 1), nullptr, 16) - 0x20000000;
    const size_t size = std::stoul(payload.substr(comma + 1), nullptr, 16);
    if (at + size > memory.size()) return "E0E";
    if (payload[0] == 'm')
      return gdb::to_hex(std::span(reinterpret_cast<const uint8_t*>(memory.data()) + at, size));
    if (payload[0] == 'X' && !binary) return "";
    const std::string data = payload.substr(colon + 1);
    const auto bytes = payload[0] == 'M' ? gdb::from_hex(data).value()
                                         : std::vector<uint8_t>(data.begin(), data.end());
    if (bytes.size() != size) return "E01";
    std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<long>(at));
    return "OK";
  }
};

inline gdb::ClientOptions quick() {
  gdb::ClientOptions options;
  options.reply_timeout = std::chrono::milliseconds(20);
  options.readable_address = 0x20000000;
  return options;
}

class GdbClientTest : public testing::Test {
 protected:
  Result<gdb::Client> connect(FakeServer::Answer answer, gdb::ClientOptions options = quick()) {
    auto link = std::make_unique<FakeServer>(std::move(answer));
    link_ = link.get();
    return gdb::Client::connect(std::move(link), options);
  }
  Result<gdb::Client> connect() {
    return connect(
        [this](const std::string& p) { return "+" + FakeServer::packet(server_.reply(p)); });
  }
  size_t heard(const std::string& start) const {
    return static_cast<size_t>(
        std::count_if(link_->heard.begin(), link_->heard.end(),
                      [&](const std::string& p) { return p.starts_with(start); }));
  }
  GdbServer server_;
  FakeServer* link_ = nullptr;
  const std::vector<uint8_t> bytes_ = {'}', '#', '$', '*', 0, 0, 0, 0, 0, 0, 0, 3};
};

}  // namespace tinytune::test
