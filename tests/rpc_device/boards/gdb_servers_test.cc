// Differences between servers: in each test one server lacks a feature or words it in its own way.
// Comments say how OpenOCD, probe-rs, pyOCD, J-Link, Renode and QEMU behave.
#include <gtest/gtest.h>

#include "tests/rpc_device/boards/gdb_server_script.h"

namespace tinytune::gdb {
namespace {

using std::chrono::milliseconds;
using test::FakeServer;

using GdbServers = test::GdbClientTest;

std::string described(const std::vector<std::string>& names, const std::string& attributes = "") {
  std::string xml = "<target><feature name='cpu'>";
  for (const std::string& name : names)
    xml += "<reg name='" + name + "' bitsize='32'" + attributes + "/>";
  return xml + "</feature></target>";
}

// probe-rs: x0 to x31 in order, then pc.
TEST_F(GdbServers, RegistersNamedByNumber_HaveTheirUsualNames) {
  std::vector<std::string> names;
  for (int i = 0; i < 32; ++i) names.push_back("x" + std::to_string(i));
  names.emplace_back("pc");
  server_.target_xml = described(names);
  const auto client = connect();
  ASSERT_TRUE(client) << client.error().message();
  const std::pair<const char*, uint32_t> expected[] = {{"zero", 0}, {"ra", 1},  {"sp", 2},
                                                       {"fp", 8},   {"a0", 10}, {"a7", 17},
                                                       {"s11", 27}, {"pc", 32}};
  for (const auto& [name, number] : expected) {
    ASSERT_NE(client->registers().find(name), nullptr) << name;
    EXPECT_EQ(client->registers().find(name)->number, number) << name;
  }
}

// OpenOCD says xPSR, some say SP or r13; about half of them call RISC-V's s0 fp.
TEST_F(GdbServers, RegistersInOtherSpellings_AreTheSame) {
  server_.target_xml = described({"R0", "r13", "LR", "PC", "xPSR", "s0"});
  const auto client = connect();
  ASSERT_TRUE(client) << client.error().message();
  for (const char* name : {"r0", "sp", "lr", "pc", "xpsr", "fp"})
    EXPECT_NE(client->registers().find(name), nullptr) << name;
}

// probe-rs numbers its few CSRs by position.
TEST_F(GdbServers, CsrsNumberedByPlace_AreNotGuessed) {
  server_.target_xml = described({"pc", "mstatus", "mtvec", "mcycle"});
  const auto client = connect();
  ASSERT_TRUE(client) << client.error().message();
  EXPECT_EQ(client->registers().csr(0xB00)->number, 3u);
  EXPECT_FALSE(client->registers().csr(0x342)) << "mcause would be a number of something else";
}

TEST_F(GdbServers, NoDescription_IsToldAsWhatIsMissing) {
  server_.features = "PacketSize=200;swbreak+;hwbreak+";  // Renode before 2019
  const auto client = connect();
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(client.error().message().find("does not describe its registers"), std::string::npos);
}

// OpenOCD: none without a flash, or one that is offered and then refused. QEMU, Renode: none.
TEST_F(GdbServers, NoMemoryMap_IsAnEmptyOne) {
  server_.features = "PacketSize=200;qXfer:memory-map:read-;qXfer:features:read+";
  const auto without = connect();
  ASSERT_TRUE(without) << without.error().message();
  EXPECT_TRUE(without->memory_map().empty());
  server_.features = "PacketSize=200;qXfer:memory-map:read+;qXfer:features:read+";
  const auto refusing = connect([this](const std::string& p) {
    return "+" + FakeServer::packet(p.starts_with("qXfer:memory-map") ? "E01" : server_.reply(p));
  });
  ASSERT_TRUE(refusing) << refusing.error().message();
  EXPECT_TRUE(refusing->memory_map().empty());
}

TEST_F(GdbServers, MemoryMapThatIsNone_IsRefused) {
  server_.map_xml = "<memory-map><memory";
  const auto client = connect();
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::kInvalidInput);
}

TEST_F(GdbServers, SmallPackets_AreNeverExceeded) {
  server_.features = "PacketSize=60;qXfer:features:read+";
  auto client = connect();
  ASSERT_TRUE(client) << client.error().message();
  std::vector<uint8_t> many(1'000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<uint8_t>(i % 7 == 0 ? '}' : i);
  ASSERT_TRUE(client->write_memory(0x20000000, many));
  EXPECT_EQ(client->read_memory(0x20000000, many.size()).value(), many);
  for (const std::string& payload : link_->heard)
    if (!payload.starts_with("qSupported")) {
      EXPECT_LE(frame(payload).size(), 0x60u + 4) << payload;
      EXPECT_LE(frame(server_.reply(payload)).size(), 0x60u + 4) << "the answer to " << payload;
    }
}

// Renode with one core, and stubs of bootloaders.
TEST_F(GdbServers, NoVCont_IsContinuedTheOldWay) {
  server_.answers.erase("vCont?");
  server_.answers["c"] = "S05";
  auto client = connect();
  ASSERT_TRUE(client) << client.error().message();
  ASSERT_TRUE(client->resume());
  const auto stop = client->wait_for_stop(milliseconds(100));
  ASSERT_TRUE(stop && stop->has_value());
  EXPECT_EQ((*stop)->signal, 5);
  EXPECT_EQ(heard("vCont;"), 0u);
}

// OpenOCD: T05. QEMU: T05thread:01;. probe-rs: with hwbreak. GDB's own server: with registers.
TEST_F(GdbServers, StopReplies_AreUnderstoodWithAllThatTheySay) {
  for (const char* reply : {"S05", "T05", "T05thread:01;", "T05swbreak:;thread:p1.1;",
                            "T05hwbreak:;", "T0520:c8000000;thread:1;core:0;"}) {
    server_.answers["vCont;c"] = reply;
    auto client = connect();
    ASSERT_TRUE(client) << client.error().message();
    ASSERT_TRUE(client->resume());
    const auto stop = client->wait_for_stop(milliseconds(100));
    ASSERT_TRUE(stop && stop->has_value()) << reply;
    EXPECT_EQ((*stop)->signal, 5) << reply;
  }
}

TEST_F(GdbServers, StartThatIsRefused_SaysWhatTheServerSaid) {
  server_.answers["vCont;c"] = "E.target is locked";
  auto client = connect();
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->resume());
  const auto stop = client->wait_for_stop(milliseconds(100));
  ASSERT_FALSE(stop);
  EXPECT_EQ(stop.error().code(), ErrorCode::kFailed);
  EXPECT_NE(stop.error().message().find("target is locked"), std::string::npos);
}

TEST_F(GdbServers, UpperCaseDigits_AreDigits) {
  server_.answers["m20000000,2"] = "0AFB";
  server_.features = "PacketSize=3E8;qXfer:features:read+";  // pyOCD, probe-rs
  auto client = connect();
  ASSERT_TRUE(client);
  EXPECT_EQ(client->read_memory(0x20000000, 2).value(), (std::vector<uint8_t>{0x0A, 0xFB}));
}

// The manual allows short replies: the client asks for the rest.
TEST_F(GdbServers, ReadOfFewerBytes_IsContinued) {
  auto client = connect([this](const std::string& p) {
    std::string reply = server_.reply(p);
    if (p.starts_with("m20") && reply.size() > 14) reply.resize(14);
    return "+" + FakeServer::packet(reply);
  });
  ASSERT_TRUE(client);
  for (size_t i = 0; i < 40; ++i) server_.memory[i] = static_cast<char>(i);
  const auto read = client->read_memory(0x20000000, 40);
  ASSERT_TRUE(read) << read.error().message();
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ((*read)[i], i);
}

TEST_F(GdbServers, RegistersOnlyAllAtOnce_AreReadAndWrittenSo) {
  server_.answers["g"] = "0000000011000000220000003300000044000000";
  server_.answers["G0000000011000000785634123300000044000000"] = "OK";
  auto client = connect();
  ASSERT_TRUE(client);
  const Register sp = *client->registers().find("sp");
  EXPECT_EQ(client->read_register(sp).value(), 0x22u);
  const Status written = client->write_register(sp, 0x12345678);
  EXPECT_TRUE(written) << written.error().message();
  const auto beyond = client->read_register(*client->registers().csr(0xB00));
  EXPECT_EQ(beyond.error().code(), ErrorCode::kFailed);
}

// J-Link refuses breakpoints beyond the core's few; stubs have no hardware breakpoints.
TEST_F(GdbServers, NoHardwareBreakpoint_IsMadeInMemory) {
  for (const char* refusal : {"", "E01"}) {
    server_.answers["Z1,20000010,2"] = refusal;
    server_.answers["Z0,20000010,2"] = "OK";
    auto client = connect();
    ASSERT_TRUE(client);
    EXPECT_TRUE(client->set_breakpoint(0x20000010));
    EXPECT_EQ(heard("Z0,20000010"), 1u);
  }
  server_.answers["Z0,20000010,2"] = "E0E";
  auto client = connect();
  ASSERT_TRUE(client);
  EXPECT_EQ(client->set_breakpoint(0x20000010).error().code(), ErrorCode::kFailed);
}

TEST_F(GdbServers, BreakpointSetAgain_IsRemovedOnceAndOnlyWhereItStands) {
  for (const char kind : {'1', '0'}) {
    const std::string where(",20000010,2"), number(1, kind);
    server_.answers = {{"QStartNoAckMode", "OK"}, {"?", "T05thread:01;"}, {"vCont?", "vCont;c"}};
    server_.answers["Z" + number + where] = server_.answers["z" + number + where] = "OK";
    auto client = connect();
    ASSERT_TRUE(client);
    EXPECT_TRUE(client->set_breakpoint(0x20000010));
    EXPECT_EQ(heard("z"), 0u) << "nothing stands there yet";
    EXPECT_TRUE(client->set_breakpoint(0x20000010));
    EXPECT_EQ(heard("z"), 1u);
    EXPECT_EQ(heard("z" + number), 1u);
    EXPECT_EQ(heard("Z" + number), 2u);
  }
}

TEST_F(GdbServers, BreakpointLeftByAnEarlierSession_IsRemovedAndSetAnew) {
  bool stands = true;
  auto client = connect([&](const std::string& p) {
    std::string reply = server_.reply(p);
    if (p == "Z1,20000010,2") reply = std::exchange(stands, true) ? "E0E" : "OK";
    if (p == "z1,20000010,2") reply = std::exchange(stands, false) ? "OK" : "E0E";
    return "+" + FakeServer::packet(reply);
  });
  ASSERT_TRUE(client);
  EXPECT_TRUE(client->set_breakpoint(0x20000010));
}

// For a core that has stopped, servers answer an interrupt with nothing (OpenOCD) or with another
// stop (QEMU).
TEST_F(GdbServers, Interrupt_StopsTheCoreWhateverTheServerSaysToIt) {
  for (const char* answer : {"T02thread:01;", "S02", "S05"}) {
    server_.answers["vCont;c"] = "";
    auto client = connect([&](const std::string& p) -> std::string {
      if (p == "vCont;c") return "+";
      return p == "\x03" ? FakeServer::packet(answer) : "+" + FakeServer::packet(server_.reply(p));
    });
    ASSERT_TRUE(client);
    ASSERT_TRUE(client->resume());
    EXPECT_FALSE(client->wait_for_stop(milliseconds(5)).value());
    const Status stopped = client->interrupt();
    EXPECT_TRUE(stopped) << answer << ": " << stopped.error().message();
  }
}

TEST_F(GdbServers, NoMonitorCommands_AreToldApartFromRefusedOnes) {
  auto client = connect();
  ASSERT_TRUE(client);
  EXPECT_EQ(client->command("reset halt").error().code(), ErrorCode::kUnsupported);
  server_.answers["qRcmd,72657365742068616c74"] = "E01";
  EXPECT_EQ(client->command("reset halt").value(), "");
  server_.answers["qRcmd,72657365742068616c74"] = "646F6E650A";  // pyOCD prints in the reply
  EXPECT_EQ(client->command("reset halt").value(), "done\n");
}

}  // namespace
}  // namespace tinytune::gdb
