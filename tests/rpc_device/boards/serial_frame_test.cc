#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"
#include "rpc_device/boards/firmware/wire.h"
#include "rpc_device/boards/serial/frame.h"

namespace tinytune::serial {
namespace {

Frame sample() { return {7, 0xC0DB, WIRE_WRITE, 0, {0xC0, 0xDB, 0xDC, 0xDD, 0, 255}}; }

std::vector<Frame> frames_of(const std::vector<uint8_t>& wire) {
  FrameReader reader;
  reader.feed(wire);
  std::vector<Frame> frames;
  while (auto frame = reader.next()) frames.push_back(*frame);
  return frames;
}

TEST(SerialFrame, EveryByte_ComesBackAsItWas) {
  Frame frame = sample();
  frame.attempt = Frame::kMostAttempts;
  frame.status = WIRE_REFUSED;
  frame.payload.resize(256);
  std::iota(frame.payload.begin(), frame.payload.end(), uint8_t{0});
  EXPECT_EQ(frames_of(encode(frame)), std::vector<Frame>{frame});
}

TEST(SerialFrame, Crc_IsZlibs) {
  const std::string check = "123456789";
  EXPECT_EQ(crc32(std::vector<uint8_t>(check.begin(), check.end())), 0xCBF43926u);
}

TEST(SerialFrame, AnyChangedLostOrDoubledByte_LosesThatFrameOnly) {
  const auto wire = encode(sample()), next = encode({8, 1, WIRE_HELLO, 0, {}});
  for (size_t at = 1; at + 1 < wire.size(); ++at) {
    for (const int change : {0, 1, 2}) {
      const auto where = wire.begin() + static_cast<long>(at);
      std::vector<uint8_t> bad(wire.begin(), change == 2 ? where + 1 : where);
      if (change == 0) bad.push_back(*where ^ 0x10);
      for (auto rest = change == 2 ? where : where + 1; rest != wire.end(); ++rest)
        bad.push_back(*rest);
      for (const uint8_t byte : next) bad.push_back(byte);
      const auto frames = frames_of(bad);
      ASSERT_EQ(frames.size(), 1u) << "byte " << at << ", change " << change;
      EXPECT_EQ(frames[0].kind, WIRE_HELLO);
    }
  }
}

TEST(SerialFrame, BytesOneByOneAndNoiseBetween_GiveTheSameFrames) {
  Rng rng(3);
  FrameReader reader;
  const auto wire = encode(sample());
  for (int round = 0; round < 200; ++round) {
    for (uint64_t i = 0, noise = rng.below(50); i < noise; ++i)
      reader.feed(std::vector<uint8_t>{static_cast<uint8_t>(rng.next())});
    size_t frames = 0;
    for (const uint8_t byte : wire) {
      reader.feed(std::vector<uint8_t>{byte});
      while (const auto frame = reader.next()) frames += *frame == sample() ? 1 : 100;
    }
    EXPECT_EQ(frames, 1u) << "round " << round;
  }
}

TEST(SerialFrame, EndlessBytesWithoutAnEnd_AreNotKept) {
  SlipReader reader;
  const std::vector<uint8_t> many(10'000, 1);
  for (int i = 0; i < 20; ++i) {
    reader.feed(many);
    EXPECT_FALSE(reader.next());
  }
  reader.feed(std::vector<uint8_t>{WIRE_END, 5, WIRE_END});
  EXPECT_EQ(reader.next(), std::vector<uint8_t>{5});
}

}  // namespace
}  // namespace tinytune::serial
