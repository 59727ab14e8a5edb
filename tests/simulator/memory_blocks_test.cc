// Loads from different blocks of memory do not overlap, and wait if the bus must switch blocks.
#include "simulator/memory_blocks.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

// STM32L4R5: tensors in SRAM1, weights in SRAM3.
class LoadsOfL4r5 : public testing::Test {
 protected:
  /// Cycles of `body` beyond an empty function; r0 points into SRAM1, r1 into SRAM3.
  static int64_t cost(const std::string& body) { return cycles(body) - cycles(""); }

 private:
  static int64_t cycles(const std::string& body) {
    Program program("stm32l4r5",
                    "f: push {r4-r7}\nnop\n" + body + "\nnop\nnop\npop {r4-r7}\nbx lr\n");
    const uint32_t sram3 = program.device().memory("sram3").address;
    const CallReport report = program.call({program.data(), sram3, program.data() + 64, 5});
    EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
    return static_cast<int64_t>(report.counts.cycles);
  }
};

TEST_F(LoadsOfL4r5, FromOneBlock_Overlap) {
  EXPECT_EQ(cost("ldr r3,[r0]\nldr r4,[r2]\nldr r5,[r0,#4]\nldr r6,[r2,#4]"), 5);
  EXPECT_EQ(cost("ldr r3,[r1]\nldr r4,[r1,#8]\nldr r5,[r1,#4]\nldr r6,[r1,#12]"), 6);
}

TEST_F(LoadsOfL4r5, FromSram3_WaitForTheBusOnceForAccessesThatFollowEachOther) {
  EXPECT_EQ(cost("ldr r3,[r0]\nadds r4,#1\nldr r5,[r0]\nadds r4,#1"), 6);
  EXPECT_EQ(cost("ldr r3,[r1]\nadds r4,#1\nldr r5,[r1]\nadds r4,#1"), 8);
  EXPECT_EQ(cost("ldrd r4,r5,[r0]\nadds r3,#1"), 4);
  EXPECT_EQ(cost("ldrd r4,r5,[r1]\nadds r3,#1"), 5);
  // The stack is at SRAM3's end. A store waits in its buffer, and the load after it finds the bus
  // switched already.
  EXPECT_EQ(cost("ldr r3,[sp]\nldr r4,[r1]\nadds r3,#1"), 5);
  EXPECT_EQ(cost("str r3,[sp]\nadds r3,#1"), 2);
  EXPECT_EQ(cost("str r3,[sp]\nldr r4,[sp]\nadds r3,#1"), 5);
}

TEST_F(LoadsOfL4r5, FromTwoBlocksInTurn_DoNotOverlap) {
  EXPECT_EQ(cost("ldr r3,[r0]\nldr r4,[r1]\nldr r5,[r0,#4]\nldr r6,[r1,#4]"), 10);
  EXPECT_EQ(cost("ldr r3,[r0]\nldr r5,[r0,#4]\nldr r4,[r1]\nldr r6,[r1,#4]"), 7);
}

TEST_F(LoadsOfL4r5, FromTheStackInItsFirstBlock_AreKnownToo) {
  EXPECT_EQ(cost("ldr r3,[r0]\nldr r4,[sp]"), 5);
}

TEST_F(LoadsOfL4r5, PointerThatCodeSteps_StaysInItsBlock) {
  EXPECT_EQ(cost("ldr r3,[r0],#4\nldr r4,[r1],#4\nldr r3,[r0],#4\nldr r4,[r1],#4"), 10);
  EXPECT_EQ(cost("adds r7,r1,#8\nnop\nldr r3,[r0]\nldr r4,[r7]"), 1 + 1 + 5);
}

TEST_F(LoadsOfL4r5, PointerJustLoaded_CountsAsOverlapping) {
  EXPECT_EQ(cost("str r1,[r0]\nnop\nnop\nldr r7,[r0]\nnop\nldr r3,[r0]\nldr r4,[r7]"),
            1 + 2 + 2 + 1 + 3);
}

TEST_F(LoadsOfL4r5, InALoop_CostTheSameInEveryRound) {
  const int64_t apart = cost("movs r7,#10\n1: ldr r3,[r0],#4\nldr r4,[r1],#4\nsubs r7,#1\nbne 1b");
  const int64_t together =
      cost("movs r7,#10\n1: ldr r3,[r0],#4\nldr r4,[r2],#4\nsubs r7,#1\nbne 1b");
  EXPECT_EQ(apart, together + 10 * 2);
}

TEST(MemoryBlocks, EveryMemory_IsOneOrAPartOfWhatWaitsAlike) {
  const Device device = *load_device("stm32l4r5");
  const MemoryBlocks blocks(device);
  std::set<uint8_t> numbers;
  for (const MemoryRegion& memory : device.memories) {
    const uint8_t number = blocks.at(memory.address);
    EXPECT_NE(number, 0) << memory.name;
    EXPECT_EQ(number, blocks.at(memory.address + memory.size_bytes - 1)) << memory.name;
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), device.memories.size() - 1);
  const uint8_t stack = blocks.at(device.memory("stack").address);
  EXPECT_EQ(stack, blocks.at(device.memory("sram3").address));
  EXPECT_EQ(stack, blocks.at(device.memory("stack").address - 4));  // the page between them
  EXPECT_EQ(blocks.at(0x40000000), 0);
}

}  // namespace
}  // namespace tinytune
