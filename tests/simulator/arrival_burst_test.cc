// Weights that arrive in bursts of the RP2040's flash interface, which has flash to itself during
// one: four cycles a byte, and a fault wherever the chip would answer wrongly or never.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "simulator/arrival.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

// Streams 64 words to the second argument and returns the last of them. Each bit of `wrong` makes
// one deviation.
constexpr const char* kBurst = R"(
typedef unsigned int word;
#define SSI ((volatile word *)0x18000000u)
static __attribute__((always_inline)) void set(word words, word dma) {
  SSI[2] = 0u;
  SSI[1] = words - 1u;
  SSI[19] = dma;
  SSI[2] = 1u;
}
word f(const volatile word *from, volatile word *to, word wrong) {
  volatile word *const dma = (volatile word *)(0x50000000u + 16u * 4u * 3u);
  set(wrong & 1u ? 65u : 64u, 3u);
  dma[0] = 0x18000060u;
  dma[1] = (word)to;
  dma[2] = 64u;
  dma[3] = 1u | 2u << 2 | 1u << 5 | 3u << 11 | 39u << 15 | (wrong & 2u ? 0u : 1u << 22);
  SSI[24] = (word)from << 8 | SSI[61] >> 24;
  if (wrong & 4u) return from[1];
  if (wrong & 8u) set(1u, 0u);
  while ((dma[3] & 1u << 24) != 0u) {
  }
  if (wrong & 16u) return to[63];
  set(1u, 0u);
  return to[63] + (wrong & 32u ? from[0] : 0u);
}
)";

class Rp2040Burst : public testing::Test {
 protected:
  static CallReport run(uint32_t wrong, const Device& device = *load_device("rp2040")) {
    auto simulator = Simulator::create(device);
    const auto elf = simulator->load(compile_c(kBurst, device));
    std::vector<uint8_t> weights(256);
    std::iota(weights.begin(), weights.end(), uint8_t{1});
    const uint32_t flash = device.memory(device.rodata_memory).address;
    EXPECT_TRUE(simulator->write(flash, weights).has_value());
    CallOptions options;
    options.arrival = way();
    auto report = simulator->call(
        elf->symbols.at("f").address,
        std::vector<uint32_t>{flash, device.memory(device.data_memory).address, wrong}, options);
    return *report;
  }
  static ArrivalWay way() {
    const std::vector<ArrivalWay> ways = *load_arrival_ways("rp2040");
    for (const ArrivalWay& way : ways)
      if (way.name == "burst") return way;
    return {};
  }
};

TEST_F(Rp2040Burst, BringsWordsInFourCyclesAByte) {
  const CallReport report = run(0);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 0x00FFFEFDu);
  EXPECT_NEAR(static_cast<double>(report.counts.cycles), 64 * 16 + 28, 90);
}

TEST_F(Rp2040Burst, FlashThatWasGivenBack_IsRead) {
  const CallReport report = run(32);
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 0x00FFFEFDu + 0x04030201u);
}

TEST_F(Rp2040Burst, ReadOfFlashMeanwhile_IsAFault) {
  EXPECT_THAT(run(4).detail, HasSubstr("read of 4 bytes at 0x10100004"));
  EXPECT_THAT(run(4).detail, HasSubstr("in flash, which a burst of weights has"));
}

// The driver begins with a read of its literals.
TEST_F(Rp2040Burst, DriverInFlash_IsAFault) {
  EXPECT_THAT(run(0, in_flash("rp2040")).detail, HasSubstr("flash, which a burst of weights has"));
}

TEST_F(Rp2040Burst, CodeInFlash_IsAFault) {
  const std::string disable = ".syntax unified\n.globl f\n.thumb_func\nf: movs r1, #0\n";
  const std::string jump = "b 1f\nnop\n1: bx lr\n";
  CallOptions options;
  options.arrival = way();
  Program stays(in_flash("rp2040"), disable + jump);
  EXPECT_EQ(stays.call({0x18000000}, options).end, CallEnd::kReturned);
  Program locks(in_flash("rp2040"), disable + "str r1, [r0, #8]\n" + jump);
  EXPECT_THAT(locks.call({0x18000000}, options).detail,
              HasSubstr("code at 0x10000008 runs from flash, which a burst of weights has"));
}

TEST_F(Rp2040Burst, FlashThatIsNotGivenBack_IsAFault) {
  EXPECT_THAT(run(16).detail, HasSubstr("returned while a burst of weights had the flash"));
}

TEST_F(Rp2040Burst, WhatWouldBringOtherBytes_IsAFault) {
  EXPECT_THAT(run(1).detail, HasSubstr("waits for other words than the burst brings"));
  EXPECT_THAT(run(2).detail, HasSubstr("started for something else"));
  EXPECT_THAT(run(8).detail, HasSubstr("cut off before its last word"));
}

}  // namespace
}  // namespace tinytune
