// Weights that arrive in the background: the cycle of each byte, turns with the core's misses, and
// what code without a wait would read.
#include "simulator/arrival.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

constexpr uint32_t kFlash = 0x1000, kRam = 0x2000;

// Four bytes in ten cycles.
class MovingBytes : public testing::Test {
 protected:
  MovingBytes() {
    for (const uint32_t address : {kFlash, kRam})
      EXPECT_TRUE(
          memory_.add({.address = address, .size_bytes = 0x1000, .writable = true}).has_value());
    const auto flash = memory_.at(kFlash, 256);
    std::iota(flash.begin(), flash.end(), uint8_t{1});
  }
  static ArrivalWay way() {
    ArrivalWay way;
    way.piece_bytes = 4;
    way.piece_cycles = 10;
    way.pause_cycles = 3;
    return way;
  }

  uint64_t now_ = 1000;
  Memory memory_;
  Arrival arrival_{way(), memory_, [this] { return now_; }};
};

TEST_F(MovingBytes, PiecesAppearOneByOne) {
  arrival_.start(kFlash, kRam, 12);
  now_ += 9;
  EXPECT_TRUE(arrival_.lacks(kRam, 1));
  now_ += 1;
  EXPECT_FALSE(arrival_.lacks(kRam, 4));
  EXPECT_TRUE(arrival_.lacks(kRam + 2, 4)) << "its end is of the second piece";
  EXPECT_EQ(memory_.at(kRam, 8)[3], 4);
  EXPECT_EQ(memory_.at(kRam, 8)[4], 0) << "not there yet";
  EXPECT_FALSE(arrival_.lacks(kRam + 12, 4)) << "behind it";
  now_ += 19;
  EXPECT_TRUE(arrival_.moves());
  now_ += 1;
  EXPECT_FALSE(arrival_.moves());
  EXPECT_EQ(memory_.at(kRam, 12)[11], 12);
}

TEST_F(MovingBytes, Miss_WaitsForThePieceUnderWay_AndThenGoesFirst) {
  arrival_.start(kFlash, kRam, 8);
  now_ += 4;
  EXPECT_EQ(arrival_.miss(50), 6u) << "what the first piece still takes";
  now_ += 6 + 50 + 3 + 9;
  EXPECT_TRUE(arrival_.moves());
  now_ += 1;
  EXPECT_FALSE(arrival_.moves());
  EXPECT_EQ(arrival_.miss(50), 0u) << "nothing is under way";
}

TEST_F(MovingBytes, MissesInARow_KeepItStandingStill) {
  arrival_.start(kFlash, kRam, 8);
  EXPECT_EQ(arrival_.miss(50), 10u);
  now_ += 60;
  EXPECT_EQ(arrival_.miss(50), 0u) << "it pauses";
  now_ += 50 + 3 + 3 + 9;
  EXPECT_TRUE(arrival_.moves());
  now_ += 10;
  EXPECT_FALSE(arrival_.moves());
}

// Streams `words` words to `to`, waits for them if `waits`, and returns the last of them.
constexpr const char* kStream = R"(
typedef unsigned int word;
word f(const word *from, volatile word *to, word words, word waits) {
  volatile word *const xip = (volatile word *)0x14000000u;
  volatile word *const dma = (volatile word *)(0x50000000u + 16u * 4u * 11u);
  while ((xip[2] & 2u) == 0u) (void)xip[7];
  xip[5] = (word)from;
  xip[6] = 64u;
  dma[0] = 0x50400000u;
  dma[1] = (word)to;
  dma[2] = words;
  dma[3] = 1u | 2u << 2 | 1u << 5 | 11u << 11 | 37u << 15 | 1u << 21;
  if (waits == 2u) return 0;
  while (waits && (dma[3] & 1u << 24) != 0u) {
  }
  return to[63];
}
)";

class Rp2040Stream : public testing::Test {
 protected:
  CallReport run(uint32_t words, uint32_t waits) {
    const Device device = *load_device("rp2040");
    auto simulator = Simulator::create(device);
    const auto elf = simulator->load(compile_c(kStream, device));
    std::vector<uint8_t> weights(256);
    std::iota(weights.begin(), weights.end(), uint8_t{1});
    const uint32_t flash = device.memory(device.rodata_memory).address;
    const uint32_t ram = device.memory(device.data_memory).address;
    EXPECT_TRUE(simulator->write(flash, weights).has_value());
    CallOptions options;
    options.arrival = load_arrival_ways("rp2040")->front();
    auto report = simulator->call(elf->symbols.at("f").address,
                                  std::vector<uint32_t>{flash, ram, words, waits}, options);
    return *report;
  }
};

TEST_F(Rp2040Stream, BringsWordsInElevenCyclesAByte) {
  const CallReport report = run(64, 1);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 0x00FFFEFDu);
  EXPECT_NEAR(static_cast<double>(report.counts.cycles), 256 * 11, 80);
}

TEST_F(Rp2040Stream, MissingWait_IsAFault) {
  const CallReport report = run(64, 0);
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_THAT(report.detail, HasSubstr("where weights are still arriving"));
}

TEST_F(Rp2040Stream, ReturnBeforeItEnds_IsAFault) {
  const CallReport report = run(64, 2);
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_THAT(report.detail, HasSubstr("returned before the weights had arrived"));
}

TEST_F(Rp2040Stream, ChannelThatWaitsForMoreThanComes_IsAFault) {
  EXPECT_THAT(run(65, 1).detail, HasSubstr("waits for other words"));
}

}  // namespace
}  // namespace tinytune
