// The client against behaviour that has been observed in real servers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/rpc_device/boards/gdb_server_script.h"

namespace tinytune::gdb {
namespace {

using std::chrono::milliseconds;
using test::FakeServer;
using test::quick;

using GdbClient = test::GdbClientTest;

TEST_F(GdbClient, Greeting_ReadsRegistersByNameAndTheMemoryMap) {
  const auto client = connect();
  ASSERT_TRUE(client) << client.error().message();
  EXPECT_EQ(client->registers().find("pc")->number, 32u);
  EXPECT_EQ(client->registers().find("sp")->number, 2u);
  EXPECT_EQ(client->registers().find("a0"), nullptr);
  EXPECT_EQ(client->registers().csr(0xB00)->number, 833u + 0xB00 - 0x300);
  ASSERT_EQ(client->memory_map().size(), 2u);
  EXPECT_EQ(client->memory_map()[0].kind, MemoryArea::Kind::kFlash);
  EXPECT_EQ(client->memory_map()[1].address, 0x20000000u);
}

TEST_F(GdbClient, Memory_IsWrittenAsTheServerCanAndReadInParts) {
  for (const bool binary : {true, false}) {
    server_.binary = binary;
    server_.answers["X20000000,0:"] = binary ? "OK" : "";
    auto client = connect();
    ASSERT_TRUE(client);
    std::vector<uint8_t> many;
    for (int i = 0; i < 100; ++i) many.insert(many.end(), bytes_.begin(), bytes_.end());
    ASSERT_TRUE(client->write_memory(0x20000000, many));
    EXPECT_EQ(client->read_memory(0x20000000, many.size()).value(), many);
    EXPECT_EQ(heard("M") > 0, !binary);
    for (const std::string& payload : link_->heard)
      EXPECT_LE(frame(payload).size(), 0x200u) << "longer than the server takes";
  }
}

TEST_F(GdbClient, ErrorReply_NamesTheRequest) {
  auto client = connect();
  ASSERT_TRUE(client);
  const auto read = client->read_memory(0x30000000, 4);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::kFailed);
  EXPECT_EQ(read.error().message(), "the GDB server answers 'E0E' to m30000000,4");
}

TEST_F(GdbClient, NoAckMode_IsUsedIfOfferedUnlessTheLinkLosesBytes) {
  const auto plain = connect();
  ASSERT_TRUE(plain);
  EXPECT_EQ(heard("QStartNoAckMode"), 1u);
  ClientOptions options = quick();
  options.keep_acks = true;
  const auto lossy = connect(
      [this](const std::string& p) { return "+" + FakeServer::packet(server_.reply(p)); }, options);
  ASSERT_TRUE(lossy);
  EXPECT_EQ(heard("QStartNoAckMode"), 0u);
  server_.features = "PacketSize=200;qXfer:features:read+";
  const auto without = connect();
  ASSERT_TRUE(without);
  EXPECT_EQ(heard("QStartNoAckMode"), 0u);
}

TEST_F(GdbClient, DamagedReply_IsAskedForAgain) {
  int damaged = 0;
  auto client = connect([&](const std::string& p) {
    std::string wire = FakeServer::packet(server_.reply(p));
    if (p.starts_with("m2") && damaged++ == 0) wire[2] ^= 1;
    return "+" + wire;
  });
  ASSERT_TRUE(client);
  server_.memory[0] = 42;
  EXPECT_EQ(client->read_memory(0x20000000, 1).value(), std::vector<uint8_t>{42});
  EXPECT_GE(damaged, 2);
}

// The reply to the first request arrives after the client has given up on it and asked for other
// bytes of the same length.
TEST_F(GdbClient, LateReply_IsNotTakenForTheNext) {
  std::string late;
  bool hold = false;
  auto client = connect([&](const std::string& p) {
    const std::string wire = "+" + FakeServer::packet(server_.reply(p));
    if (hold && p == "m20000000,1") {
      hold = false;
      late = wire;
      return std::string("+");
    }
    return std::exchange(late, "") + wire;
  });
  ASSERT_TRUE(client);
  server_.memory[0] = 1;
  hold = true;
  EXPECT_EQ(client->read_memory(0x20000000, 1).value(), std::vector<uint8_t>{1});
  server_.memory[1] = 2;
  EXPECT_EQ(client->read_memory(0x20000001, 1).value(), std::vector<uint8_t>{2});
}

TEST_F(GdbClient, ConsolePackets_AreSkippedAndCollected) {
  server_.answers["qRcmd,7265736574"] = "OK";
  auto client = connect([this](const std::string& p) {
    const std::string console = FakeServer::packet("O") + FakeServer::packet("O6869");
    return "+" + (p.starts_with("qXfer") ? "" : console) + FakeServer::packet(server_.reply(p));
  });
  ASSERT_TRUE(client) << client.error().message();
  EXPECT_EQ(client->command("reset").value(), "hi");
  ASSERT_TRUE(client->write_memory(0x20000000, bytes_));
}

TEST_F(GdbClient, ServerThatFallsSilent_IsALostDevice) {
  bool silent = false;
  auto client = connect([&](const std::string& p) {
    return silent ? "" : "+" + FakeServer::packet(server_.reply(p));
  });
  ASSERT_TRUE(client);
  silent = true;
  EXPECT_EQ(client->read_memory(0x20000000, 4).error().code(), ErrorCode::kDeviceLost);
}

TEST_F(GdbClient, CoreThatIsGone_IsALostDevice) {
  server_.answers["vCont;c"] = "W00";
  auto client = connect();
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->resume());
  EXPECT_EQ(client->wait_for_stop(milliseconds(100)).error().code(), ErrorCode::kDeviceLost);
}

TEST_F(GdbClient, DescriptionOfTooMuch_IsRefused) {
  const auto endless = [](const std::string& name) {
    return Result<std::string>("<target><xi:include href=\"" + name + "x\"/></target>");
  };
  EXPECT_EQ(read_registers(endless).error().code(), ErrorCode::kInvalidInput);
  const auto broken = [](const std::string&) { return Result<std::string>("<target>"); };
  EXPECT_EQ(read_registers(broken).error().code(), ErrorCode::kInvalidInput);
}

// A session of OpenOCD 0.12 with a RISC-V core on JTAG: "seconds > sent", "seconds < received".
class OpenOcdSession : public testing::Test {
 protected:
  struct Line {
    bool sent = false;
    std::string wire;
  };
  void SetUp() override {
    const std::filesystem::path path =
        std::filesystem::path(TINYTUNE_SOURCE_DIR) / ".." / "shared/gdb/openocd_raw_session.log";
    std::ifstream file(path);
    if (!file) GTEST_SKIP() << "no recorded session at " << path;
    for (std::string line; std::getline(file, line);) {
      const size_t space = line.find(' ');
      lines_.push_back({line[space + 1] == '>', unescaped(line.substr(space + 3))});
    }
    ASSERT_GT(lines_.size(), 100u);
  }
  static std::string unescaped(const std::string& text) {
    std::string wire;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && text.compare(i, 2, "\\x") == 0) {
        wire += static_cast<char>(from_hex(text.substr(i + 2, 2)).value()[0]);
        i += 3;
      } else {
        wire += text[i];
      }
    }
    return wire;
  }
  std::vector<Line> lines_;
};

TEST_F(OpenOcdSession, EveryPacket_IsReadAndWouldBeSentTheSame) {
  for (const Line& line : lines_) {
    if (line.wire == "\x03") continue;
    PacketReader reader;
    reader.feed(std::vector<uint8_t>(line.wire.begin(), line.wire.end()));
    const auto event = reader.next();
    ASSERT_TRUE(event && event->kind == Event::Kind::kPacket) << line.wire.substr(0, 60);
    const auto again = frame(event->payload);
    if (line.sent) {
      EXPECT_EQ(std::string(again.begin(), again.end()), line.wire);
    }
  }
}

TEST_F(OpenOcdSession, Replayed_TheClientUnderstandsTheServer) {
  std::map<std::string, std::vector<std::string>> replies;  // in the order of their requests
  for (size_t i = 0; i + 1 < lines_.size(); ++i) {
    if (!lines_[i].sent || lines_[i].wire[0] != '$') continue;
    const std::string& sent = lines_[i].wire;
    std::string received;
    for (size_t r = i + 1; r < lines_.size() && !lines_[r].sent; ++r) received += lines_[r].wire;
    replies[sent.substr(1, sent.size() - 4)].push_back(received);
  }
  std::map<std::string, size_t> next;
  const auto recorded = [&](const std::string& payload) -> std::string {
    const auto at = replies.find(payload);
    if (at == replies.end()) return "";
    return at->second[std::min(next[payload]++, at->second.size() - 1)];
  };
  test::GdbServer server;
  server.features = "PacketSize=4000;qXfer:features:read+;QStartNoAckMode+;vContSupported+";
  auto link = std::make_unique<FakeServer>([&](const std::string& payload) {
    const std::string said = recorded(payload);
    return "+" + (said.empty() ? FakeServer::packet(server.reply(payload)) : said);
  });
  auto client = Client::connect(std::move(link), quick());
  ASSERT_TRUE(client) << client.error().message();
  const auto code = client->read_memory(0, 0x100);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ((*code)[0], 0x73);
  EXPECT_EQ(client->read_register({"pc", 0x20, 32}).value(), 0u);
  ASSERT_TRUE(client->write_register({"pc", 0x20, 32}, 0x40));
  ASSERT_TRUE(client->set_breakpoint(0xC8));
  ASSERT_TRUE(client->resume());
  const auto stop = client->wait_for_stop(milliseconds(100));
  ASSERT_TRUE(stop && stop->has_value());
  EXPECT_EQ((*stop)->signal, 5);
  const std::string printed = client->command("reset halt").value();
  EXPECT_NE(printed.find("JTAG tap: hazard3.cpu tap/device found"), std::string::npos) << printed;
}

}  // namespace
}  // namespace tinytune::gdb
