// Cycles of cores with Helium, in loops for which Arm's guide, LLVM's schedules or a rule of the
// architecture give them.
#include <gtest/gtest.h>

#include "simulator/helium/footprint.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr const char* kM55 = "corstone300";
constexpr const char* kM85 = "ra8d1";

uint64_t cycles_of(const std::string& device, const std::string& code, uint32_t turns) {
  Program program(device, ".cpu cortex-m55\nf: push {r4-r7,lr}\n" + code + "\npop {r4-r7,pc}\n");
  CallOptions options;
  options.zero_wait = true;
  const CallReport report =
      program.call({program.data(), program.data() + 256, turns, turns}, options);
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return report.counts.cycles;
}

/// Cycles per turn of a low-overhead loop; `body` may use r0 and r1 as pointers, r4 to r6.
double turn(const std::string& device, const std::string& body) {
  const std::string loop = ".p2align 2\ndls lr,r2\n1:\n" + body + "\nle lr,1b";
  return (static_cast<double>(cycles_of(device, loop, 80)) -
          static_cast<double>(cycles_of(device, loop, 40))) /
         40;
}

TEST(HeliumTiming, LoopOfFiveLoadsAndFourSums_IsBoundByLoads) {
  EXPECT_EQ(turn(kM55,
                 "vldrb.u8 q0,[r0]\n"
                 "vldrb.u8 q1,[r0]\nvmladava.s8 r4,q0,q1\nvldrb.u8 q2,[r0]\nvmladava.s8 r6,q0,q2\n"
                 "vldrb.u8 q3,[r0]\nvmladava.s8 r4,q0,q3\nvldrb.u8 q4,[r0]\nvmladava.s8 r6,q0,q4"),
            10);
}

TEST(HeliumTiming, TwoLoadsAndASum_TakeFourCycles) {
  EXPECT_EQ(turn(kM55, "vldrb.u8 q0,[r0]\nvldrb.u8 q1,[r1]\nvmladava.s8 r4,q0,q1"), 4);
}

TEST(HeliumTiming, SumsOfTwoRowsByThreeChannels_KeepTheMultiplierBusy) {
  // Each sum is paired with a load; the first sums use values loaded in the turn before.
  EXPECT_EQ(turn(kM55,
                 "vldrb.u8 q2,[r0]\nvmladava.s8 r4,q1,q4\nvldrb.u8 q0,[r0]\nvmladava.s8 r4,q1,q3\n"
                 "vldrb.u8 q1,[r0]\nvmladava.s8 r4,q0,q2\nvldrb.u8 q3,[r0]\nvmladava.s8 r6,q1,q2\n"
                 "vldrb.u8 q4,[r0]\nvmladava.s8 r6,q0,q3\nadd r5,r5,#1\nvmladava.s8 r6,q0,q4"),
            12);
}

TEST(HeliumTiming, VectorsOfOneUnit_TakeTwoCyclesEach) {
  for (const char* device : {kM55, kM85}) {
    EXPECT_EQ(turn(device, "vadd.i32 q0,q1,q2\nvadd.i32 q3,q1,q2"), 4) << device;
    EXPECT_EQ(turn(device, "vmul.i32 q0,q1,q2\nvmul.i32 q3,q1,q2"), 4) << device;
    EXPECT_EQ(turn(device, "vadd.i32 q0,q1,q2\nvmul.i32 q3,q1,q2"), 2) << device;
  }
}

// Encodings as llvm-mc prints them, the half word at the lower address in the low bits.
TEST(HeliumFootprint, MovesOfCoreRegisters_ReadOrWriteTheVector) {
  using helium::Footprint;
  constexpr uint32_t kQ3 = 1 << 3;
  for (const uint32_t to_core : {0x6F00EC01u,     // vmov r0,r1,q3[2],q3[0]
                                 0x0B10EE36u,     // vmov.32 r0,q3[1]
                                 0x0B70EED6u}) {  // vmov.u8 r0,q3[3]
    const Footprint of = helium::footprint_of(to_core);
    EXPECT_EQ(of.reads, kQ3) << std::hex << to_core;
    EXPECT_EQ(of.writes, 0u) << std::hex << to_core;
    EXPECT_EQ(of.result, Footprint::Result::kMoved) << std::hex << to_core;
  }
  for (const uint32_t to_lanes : {0x6F00EC11u,     // vmov q3[2],q3[0],r0,r1
                                  0x0B10EE26u}) {  // vmov.32 q3[1],r0
    const Footprint of = helium::footprint_of(to_lanes);
    EXPECT_EQ(of.reads, kQ3) << std::hex << to_lanes;
    EXPECT_EQ(of.writes, kQ3) << std::hex << to_lanes;
    EXPECT_EQ(of.result, Footprint::Result::kPlain) << std::hex << to_lanes;
  }
  for (const uint32_t whole : {0x0B10EEA6u,     // vdup.32 q3,r0
                               0x6051EF80u}) {  // vmov.i32 q3,#1
    EXPECT_EQ(helium::footprint_of(whole).reads, 0u) << std::hex << whole;
    EXPECT_EQ(helium::footprint_of(whole).writes, kQ3) << std::hex << whole;
  }
}

TEST(HeliumTiming, ScalarInstructions_FillTheGaps) {
  EXPECT_EQ(turn(kM55, "vadd.i32 q0,q1,q2\nadd r5,r5,#1\nvadd.i32 q3,q1,q2\nadd r6,r6,#1"), 4);
}

TEST(HeliumTiming, StoresAndLoads_ShareAUnitOnOneCoreOnly) {
  const std::string body = "vldrb.u8 q0,[r0]\nvstrb.8 q1,[r1]";
  EXPECT_EQ(turn(kM55, body), 4 + 1);  // the next load also waits for the bank
  EXPECT_EQ(turn(kM85, body), 2);
}

TEST(HeliumTiming, ProductsReadAtOnce_WaitForThem) {
  EXPECT_EQ(turn(kM55, "vmul.i32 q0,q1,q2\nvadd.i32 q3,q0,q2"), 3);
  EXPECT_EQ(turn(kM55, "vadd.i32 q0,q1,q2\nvmul.i32 q3,q0,q2"), 2);
}

TEST(HeliumTiming, ChainOfSumsIntoOneRegister_TakesAsLongAsTheUnit) {
  for (const char* device : {kM55, kM85})
    EXPECT_EQ(turn(device, "vmladava.s8 r4,q0,q1\nvmladava.s8 r4,q2,q3"), 4) << device;
}

TEST(HeliumTiming, SumReadAtOnce_ComesLater) {
  EXPECT_EQ(turn(kM55, "vmladav.s8 r4,q0,q1\nadd r5,r4,r4"), 3);
  EXPECT_EQ(turn(kM85, "vmladav.s8 r4,q0,q1\nadd r5,r4,r4"), 3);
}

TEST(HeliumTiming, EndOfALoop_CostsNothingFromItsSecondTurnOn) {
  EXPECT_EQ(turn(kM55, "add.w r5,r5,#1"), 1);
  const auto first = cycles_of(kM55, "dls lr,r2\n1: add.w r5,r5,#1\nle lr,1b", 2);
  const auto none = cycles_of(kM55, "dls lr,r2\n1: add.w r5,r5,#1\nle lr,1b", 1);
  EXPECT_EQ(first - none, 1 + 5);
}

TEST(HeliumTiming, TwoScalarInstructions_PairAsTheCoreCan) {
  EXPECT_EQ(turn(kM85, "add.w r4,r4,#1\nadd.w r5,r5,#1"), 1);
  EXPECT_EQ(turn(kM55, "add.w r4,r4,#1\nadd.w r5,r5,#1"), 2);
  EXPECT_EQ(turn(kM55, "ands r4,r2\nadds r5,#1"), 1);
  EXPECT_EQ(turn(kM85, "add.w r4,r4,#1\nadd.w r4,r4,#1"), 2);
}

TEST(HeliumTiming, VectorArithmetic_IssuesBesideAScalarInstruction) {
  const std::string body = "add.w r4,r4,#1\nvadd.i32 q0,q1,q2\nvmul.i32 q3,q1,q2\nadd.w r5,r5,#1";
  EXPECT_EQ(turn(kM85, body), 2);
  EXPECT_EQ(turn(kM55, body), 4);
  // What only the first of two may be.
  EXPECT_EQ(turn(kM85, "uxtb r4,r5\nvadd.i32 q0,q1,q2"), 2);
}

TEST(HeliumTiming, ScalarInstruction_WaitsForTheSecondHalfOfAVectorLoad) {
  EXPECT_EQ(turn(kM85, "add.w r4,r4,#1\nvldrb.u8 q0,[r0]"), 2);
  EXPECT_EQ(turn(kM85, "vldrb.u8 q0,[r0]\nvadd.i32 q1,q2,q3"), 2);
  EXPECT_EQ(turn(kM85, "vldrb.u8 q0,[r0]\nadd.w r4,r4,#1\nvadd.i32 q1,q2,q3"), 3);
}

TEST(HeliumTiming, WhatOneStageMakes_TheNextReadsInTheSameCycle) {
  EXPECT_EQ(turn(kM85, "mov.w r4,#1\nadd.w r5,r4,#1"), 1);
  EXPECT_EQ(turn(kM85, "ldr r4,[r0]\nadd.w r5,r4,#1"), 1);
  EXPECT_EQ(turn(kM85, "mov.w r4,#1\nadd.w r5,r4,#1\nadd.w r5,r5,#1\nadd.w r5,r5,#1"), 2);
  EXPECT_EQ(turn(kM55, "ldr.w r4,[r0]\nadd.w r5,r4,#1"), 3);
}

TEST(HeliumTiming, StoreOfAProduct_NeedsItLate) {
  EXPECT_EQ(turn(kM85, "vmul.i32 q0,q1,q2\nvstrw.32 q0,[r1]"), 2);
  EXPECT_EQ(turn(kM55, "vmul.i32 q0,q1,q2\nvstrw.32 q0,[r1]"), 3);
}

TEST(HeliumTiming, BackwardBranchThatIsNeverTaken_IsForeseen) {
  EXPECT_EQ(turn(kM85, "cmp.w r2,#0\nbmi 1b"), 1);
}

TEST(HeliumTiming, Gather_OverlapsNothing) {
  EXPECT_EQ(turn(kM85, "vldrw.u32 q0,[r0,q1]\nvadd.i32 q2,q3,q3"), 3);
  EXPECT_EQ(turn(kM55, "vldrw.u32 q0,[r0,q1]\nvadd.i32 q2,q3,q3"), 2);
}

TEST(HeliumTiming, Gather_TakesTwoElementsACycle) {
  EXPECT_EQ(turn(kM55, "vldrb.u16 q0,[r0,q1]"), 4);
  EXPECT_EQ(turn(kM55, "vldrb.u8 q0,[r0,q1]"), 8);
}

}  // namespace
}  // namespace tinytune
