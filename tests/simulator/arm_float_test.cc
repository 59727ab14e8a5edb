// The floating-point unit of Arm cores: its results, the cycles of its instructions, and their
// refusal on a core without it or with it switched off.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "simulator/program.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

/// Returns s0 after `body`, which gets the arguments in s0 and s1.
float computed(const std::string& body, float a, float b) {
  Program program("cortex-m4f", "f: vmov s0,r0\nvmov s1,r1\n" + body + "\nvmov r0,s0\nbx lr\n");
  const CallReport report = program.call({std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b)});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return std::bit_cast<float>(report.return_value);
}

TEST(FloatUnit, Arithmetic_IsIeeeSingleWithDenormals) {
  EXPECT_EQ(computed("vadd.f32 s0,s0,s1", 1.5F, 0.25F), 1.75F);
  EXPECT_EQ(computed("vdiv.f32 s0,s0,s1", 1.0F, 3.0F), 1.0F / 3.0F);
  EXPECT_EQ(computed("vdiv.f32 s0,s0,s1", 1e-38F, 1000.0F), 1e-38F / 1000.0F);
  EXPECT_EQ(computed("vsqrt.f32 s0,s0", 2.0F, 0), std::sqrt(2.0F));
  EXPECT_EQ(computed("vmul.f32 s0,s0,s1", 16777217.0F, 1.1F), 16777217.0F * 1.1F);
}

TEST(FloatUnit, ConversionToIntegers_SaturatesAndMakesZeroOfNan) {
  const auto twice = [](float x) {
    return std::bit_cast<int32_t>(computed("vcvt.s32.f32 s0,s0,#1", x, 0));
  };
  EXPECT_EQ(twice(1.4F), 2);
  EXPECT_EQ(twice(-1.9F), -3);
  EXPECT_EQ(twice(1e30F), INT32_MAX);
  EXPECT_EQ(twice(-INFINITY), INT32_MIN);
  EXPECT_EQ(twice(std::nanf("")), 0);
  const auto nearest = [](float x) {
    return std::bit_cast<int32_t>(computed("vcvtr.s32.f32 s0,s0", x, 0));
  };
  EXPECT_EQ(nearest(2.5F), 2);
  EXPECT_EQ(nearest(-3.5F), -4);
}

CallReport call(const std::string& device, const std::string& body) {
  Program program(device, "f: nop\nnop\n" + body + "\nnop\nbx lr\n");
  CallOptions core_alone;
  core_alone.zero_wait = true;
  return program.call({program.data(), program.data() + 64}, core_alone);
}

int64_t float_cost(const std::string& body, const std::string& device = "stm32f4") {
  const CallReport with = call(device, body), without = call(device, "");
  EXPECT_EQ(with.end, CallEnd::kReturned) << with.detail;
  return static_cast<int64_t>(with.counts.cycles) - static_cast<int64_t>(without.counts.cycles);
}

// Arm DDI 0439, table 7-1.
TEST(CortexM4Floats, InstructionsTakeWhatTheManualSays) {
  EXPECT_EQ(
      float_cost("vadd.f32 s0,s1,s2\nvmul.f32 s3,s4,s5\nvsub.f32 s6,s7,s8\nvcvt.s32.f32 s9,s9"), 4);
  EXPECT_EQ(float_cost("vdiv.f32 s0,s1,s2"), 14);
  EXPECT_EQ(float_cost("vsqrt.f32 s0,s1"), 14);
  EXPECT_EQ(float_cost("vmla.f32 s0,s1,s2"), 3);
  EXPECT_EQ(float_cost("vfma.f32 s0,s1,s2"), 3);
  EXPECT_EQ(float_cost("vmov s0,r0\nvmov r2,s1\nvabs.f32 s2,s2\nvcmp.f32 s3,s4"), 4);
  EXPECT_EQ(float_cost("vmrs apsr_nzcv,fpscr"), 1);
  EXPECT_EQ(float_cost("vldr s0,[r0]"), 2);
  EXPECT_EQ(float_cost("vldr d0,[r0]"), 3);
  EXPECT_EQ(float_cost("vstr s0,[r0]"), 2);
  EXPECT_EQ(float_cost("vldmia r0,{s0-s3}"), 5);
  EXPECT_EQ(float_cost("vstmia r0!,{s0-s3}"), 5);
}

TEST(CortexM4Floats, ResultThatIsReadRightAway_TakesOneMore) {
  EXPECT_EQ(float_cost("vadd.f32 s0,s1,s2\nvmul.f32 s3,s0,s5"), 3);
  EXPECT_EQ(float_cost("vadd.f32 s0,s1,s2\nnop\nvmul.f32 s3,s0,s5"), 3);
  EXPECT_EQ(float_cost("vdiv.f32 s0,s1,s2\nvmov r2,s0"), 16);
  EXPECT_EQ(float_cost("vmov s0,r0\nvadd.f32 s1,s0,s2"), 2);
}

TEST(FloatUnit, DoublePrecision_IsRefused) {
  Program program("cortex-m4f", "f: .inst.w 0xee300b01\nbx lr\n");
  const CallReport report = program.call({});
  EXPECT_EQ(report.end, CallEnd::kIllegalInstruction);
  EXPECT_NE(report.detail.find("vadd: the FPU has single precision only"), std::string::npos)
      << report.detail;
}

TEST(FloatUnit, TransfersOfPairs_NeedTheAlignmentOfWords) {
  const auto ends = [](const std::string& body) {
    Program program("cortex-m4f", "f:\n" + body + "\nbx lr\n");
    CallOptions watched;
    watched.check_alignment = true;
    return program.call({program.data() + 4, program.data() + 2}, watched).end;
  };
  EXPECT_EQ(ends("vldr d0,[r0]\nvstr d0,[r0,#8]\nvldmia r0,{d1-d2}"), CallEnd::kReturned);
  EXPECT_EQ(ends("vldr s0,[r1]"), CallEnd::kMisaligned);
}

Result<ProgramReport> run_quietly(const std::string& device_name, const std::string& source) {
  const Device device = *load_device(device_name);
  ProgramOptions options;
  options.print = [](std::string_view) {};
  return run_program(device, *load_program_facts(device.name), assemble(source, device), options);
}

TEST(FloatUnit, ProgramThatDidNotSwitchItOn_FailsWhereTheChipFaults) {
  const std::string use =
      ".globl g\n.type g,%function\ng: vmov s0,r2\nvadd.f32 s0,s0,s0\n"
      "vmov r0,s0\nbx lr\n";
  const auto off = run_quietly("stm32f4", "f: ldr r2,=0x3fc00000\nb g\n.ltorg\n" + use);
  ASSERT_FALSE(off);
  EXPECT_NE(off.error().message().find("uses the FPU at"), std::string::npos);
  EXPECT_NE(off.error().message().find("(g)"), std::string::npos) << off.error().message();
  const auto on =
      run_quietly("stm32f4",
                  "f: ldr r0,=0xE000ED88\nmov r1,#0xF00000\nstr r1,[r0]\nldr r2,=0x3fc00000\n"
                  "b g\n.ltorg\n" +
                      use);
  ASSERT_TRUE(on) << on.error().message();
  EXPECT_EQ(on->return_value, std::bit_cast<uint32_t>(3.0F));
}

}  // namespace
}  // namespace tinytune
