#include <gtest/gtest.h>

#include "base/rng.h"
#include "rpc_device/boards/gdb/packet.h"

namespace tinytune::gdb {
namespace {

std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::vector<Event> events_of(const std::string& wire) {
  PacketReader reader;
  reader.feed(bytes_of(wire));
  std::vector<Event> events;
  while (auto event = reader.next()) events.push_back(*event);
  return events;
}

TEST(GdbPacket, Frame_HasSumAndEscapes) {
  const auto plain = frame("qSupported");
  EXPECT_EQ(std::string(plain.begin(), plain.end()), "$qSupported#37");
  const auto special = frame("a#$}*");
  EXPECT_EQ(std::string(special.begin(), special.end()).substr(0, 9), "$a}\x03}\x04}]}");
}

TEST(GdbPacket, EveryByte_ComesBackAsItWas) {
  std::string payload;
  for (int i = 0; i < 256; ++i) payload += static_cast<char>(i);
  const auto framed = frame(payload);
  const auto events = events_of({framed.begin(), framed.end()});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload, payload);
}

TEST(GdbPacket, BytesOneByOne_GiveTheSameEvents) {
  PacketReader reader;
  std::vector<Event> events;
  for (const char c : std::string("+$OK#9a-noise$m0#9d")) {
    reader.feed(bytes_of(std::string(1, c)));
    while (auto event = reader.next()) events.push_back(*event);
  }
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].kind, Event::Kind::kAck);
  EXPECT_EQ(events[1].payload, "OK");
  EXPECT_EQ(events[2].kind, Event::Kind::kNak);
  EXPECT_EQ(events[3].payload, "m0");
}

TEST(GdbPacket, RunLength_IsExpanded) {
  const auto events = events_of("$0* #7a");  // ' ' is 32: 3 more
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload, "0000");
}

TEST(GdbPacket, WrongSumAndBrokenPackets_AreDamageAndTheNextOneIsRead) {
  for (const std::string bad : {"$OK#9b", "$OK#zz", "$OK", "$*!#4b", "$a}#de"}) {
    const auto events = events_of(bad + "$OK#9a");
    ASSERT_EQ(events.size(), 2u) << bad;
    EXPECT_EQ(events[0].kind, Event::Kind::kDamaged) << bad;
    EXPECT_EQ(events[1].payload, "OK") << bad;
  }
}

TEST(GdbPacket, AnyBytes_NeverConfuseTheReaderForLong) {
  Rng rng(7);
  for (int round = 0; round < 2'000; ++round) {
    PacketReader reader;
    std::string wire;
    for (uint64_t i = 0, size = rng.below(60); i < size; ++i)
      wire += "$#*}+-OKm0123\x03\xff"[rng.below(15)];
    reader.feed(bytes_of(wire + "#00"));
    while (reader.next()) {
    }
    reader.feed(frame("OK"));
    std::string last;
    while (auto event = reader.next())
      if (event->kind == Event::Kind::kPacket) last = event->payload;
    EXPECT_EQ(last, "OK") << "round " << round;
  }
}

TEST(GdbPacket, Hex_IsWholeBytesOrNothing) {
  EXPECT_EQ(to_hex(bytes_of("\x01\xaf")), "01af");
  EXPECT_EQ(from_hex("01AF"), bytes_of("\x01\xaf"));
  for (const char* bad : {"0", "0g", "E14"}) EXPECT_FALSE(from_hex(bad)) << bad;
}

}  // namespace
}  // namespace tinytune::gdb
