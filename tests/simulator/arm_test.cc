// The Arm M-profile core: execution, predication, multiple transfers, refusals.
#include <gtest/gtest.h>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

uint64_t instructions_of(const std::string& body) {
  Program program("cortex-m4", "f: " + body + "\nbx lr\n");
  const CallReport report = program.call({program.data(), 1, 2, 3});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.counts.cycles, report.counts.instructions);
  return report.counts.instructions - 1;
}

TEST(CortexM4, Function_ReturnsItsValueAndCounts) {
  Program program("cortex-m4",
                  "f: movs r3,#0\n1: ldrsb r12,[r0],#1\nsubs r1,#1\nmla r3,r12,r12,r3\nbne 1b\n"
                  "str r3,[r2]\nmov r0,r3\nbx lr\n");
  const std::vector<uint8_t> bytes = {1, 2, 3, 0xfc};
  ASSERT_TRUE(program.simulator().write(program.data(), bytes));
  const CallReport report = program.call({program.data(), 4, program.data() + 8});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 30u);
  EXPECT_EQ(report.counts.instructions, 1u + 4 * 4 + 3);
  EXPECT_EQ(report.counts.cycles, 1u + 4 * 4 + 3);
  EXPECT_EQ(report.counts.loads, 4u);
  EXPECT_EQ(report.counts.stores, 1u);
  EXPECT_EQ(report.counts.multiplies, 4u);
  EXPECT_EQ(report.counts.branches_taken, 3u);
  EXPECT_EQ((*program.simulator().read(program.data() + 8, 1))[0], 30);
}

TEST(CortexM4, FifthArgument_IsOnTheStack) {
  Program program("cortex-m4", "f: ldrd r0,r1,[sp]\nsubs r0,r1\nbx lr\n");
  EXPECT_EQ(program.call({0, 0, 0, 0, 44, 2}).return_value, 42u);
}

TEST(CortexM4, PredicatedInstructions_CountWhetherTheyActOrNot) {
  EXPECT_EQ(instructions_of("cmp r1,#1\nit eq\nmoveq r2,#5"), 3u);
  EXPECT_EQ(instructions_of("cmp r1,#2\nit eq\nmoveq r2,#5"), 3u);
  EXPECT_EQ(instructions_of("cmp r1,#2\nitete eq\nmoveq r2,#5\nmovne r2,#6\nmoveq r3,r2\n"
                            "addne r3,r2"),
            6u);
  Program program("cortex-m4", "f: cmp r0,#7\nitt ne\nmovne r0,#5\nbxne lr\nmovs r0,#9\nbx lr\n");
  CallReport report = program.call({7});
  EXPECT_EQ(report.return_value, 9u);
  EXPECT_EQ(report.counts.instructions, 6u);
  EXPECT_EQ(report.counts.branches_taken, 0u);
  report = program.call({8});
  EXPECT_EQ(report.return_value, 5u);
  EXPECT_EQ(report.counts.instructions, 4u);
  EXPECT_EQ(report.counts.branches_taken, 1u);
}

TEST(CortexM4, Branches_OfEveryKindAreFollowed) {
  EXPECT_EQ(instructions_of("b 1f\nnop\n1:"), 1u);
  EXPECT_EQ(instructions_of("cbz r1,1f\nnop\n1:"), 2u);
  EXPECT_EQ(instructions_of("cbnz r1,1f\nnop\n1:"), 1u);
  EXPECT_EQ(instructions_of("push {r4,lr}\nbl g\npop {r4,lr}\nbx lr\ng: nop\nbx lr\nnop"), 5u);
  EXPECT_EQ(instructions_of("push {r4,r5,lr}\nmovs r4,#1\npop {r4,r5,pc}\nnop"), 2u);
  EXPECT_EQ(instructions_of("tbb [pc,r1]\n1: .byte (2f-1b)/2,(3f-1b)/2\n2: nop\n3: nop"), 2u);
}

TEST(CortexM4, ClobberedRegisters_AreNamed) {
  const CallReport report =
      Program("cortex-m4", "f: movs r4,#1\nmov r11,r4\npush {r4}\nbx lr\n").call();
  EXPECT_EQ(report.clobbered, "r4, r11, sp");
  const CallReport clean =
      Program("cortex-m4", "f: push {r4-r11,lr}\nmovs r4,#1\npop {r4-r11,pc}\n").call();
  EXPECT_EQ(clean.clobbered, "");
  EXPECT_EQ(clean.stack_bytes, 36u);
}

TEST(CortexM4, FaultAndMisalignment_NameTheInstruction) {
  CallOptions options;
  options.check_alignment = true;
  Program program("cortex-m4", "f: ldm r0,{r1,r2}\nnop\nldr r3,[r0,#2]\nbx lr\n");
  const CallReport misaligned = program.call({program.data()}, options);
  EXPECT_EQ(misaligned.end, CallEnd::kMisaligned);
  EXPECT_EQ(misaligned.detail, "misaligned read of 4 bytes at 0x20000002 from pc 0x08000006");
  EXPECT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
  const CallReport fault = program.call({0x60000000}, options);
  EXPECT_EQ(fault.end, CallEnd::kFault);
  EXPECT_EQ(fault.detail, "read of 4 bytes at 0x60000000 from pc 0x08000000");
}

TEST(CortexM4, InstructionsItLacks_AreRefused) {
  const struct {
    const char* code;
    const char* detail;
  } kCases[] = {
      {".inst.w 0xee300a20",
       "vadd: floating point is not simulated (-mfloat-abi=soft) at 0x08000002"},
      {".inst.w 0xed900a00", "vldr: floating point is not simulated"},
      {"svc #0", "svc is not simulated"},
      {"bkpt #0", "bkpt is not simulated"},
      {"udf #0", "udf is not simulated"},
      {"mrs r0,apsr", "mrs is not simulated"},
      {"wfi", "hint is not simulated"},
      {"cpsid i", "cps is not simulated"},
  };
  for (const auto& c : kCases) {
    Program program("cortex-m4", std::string("f: str r0,[r0]\n") + c.code + "\nbx lr\n");
    const CallReport report = program.call({program.data()});
    EXPECT_EQ(report.end, CallEnd::kIllegalInstruction) << c.code;
    EXPECT_TRUE(contains(report.detail, c.detail)) << report.detail;
    EXPECT_EQ((*program.simulator().read(program.data() + 3, 1))[0], 0);
  }
}

TEST(CortexM4, DspInstructions_Run) {
  Program program("cortex-m4", "f: smlad r0,r0,r1,r2\nsxtb16 r3,r0\nssat r0,#8,r0\nbx lr\n");
  EXPECT_EQ(program.call({0x00030002, 0x00050007, 1}).return_value, 30u);
}

TEST(CortexM4, Sections_EndAtTheirReturn) {
  Program program("cortex-m4",
                  "f: push {r4,lr}\nbl g\nbl g\npop {r4,pc}\n"
                  ".globl g\n.type g,%function\ng: nop\nnop\nbx lr\n");
  CallOptions options;
  options.sections = {program.symbol("g")};
  const CallReport report = program.call({}, options);
  EXPECT_EQ(report.sections.at(0).instructions, 6u);
  EXPECT_EQ(report.counts.instructions, 10u);
}

TEST(CortexM4, CompiledCode_GivesTheAnswer) {
  const Device device = *load_device("cortex-m4");
  Simulator simulator = std::move(*Simulator::create(device));
  const auto info = simulator.load(compile_c(
      "unsigned f(unsigned n) { unsigned c = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2;"
      " ++c; } return c; }",
      device));
  ASSERT_TRUE(info) << info.error().message();
  const std::vector<uint32_t> arguments = {27};
  const auto report = simulator.call(info->symbols.at("f").address, arguments);
  EXPECT_EQ(report->return_value, 111u);
}

// Armv8-M instructions: some that a Cortex-M4 lacks, and some that both have.
TEST(CortexM33, RunsItsOwnInstructions) {
  const auto file = load_device(TINYTUNE_SOURCE_DIR "/tests/cli/cortex_m33.toml");
  ASSERT_TRUE(file) << file.error().message();
  const std::string body =
      "f: push {r4,lr}\nlda r3,[r0]\nsmlad r3,r1,r2,r3\nstl r3,[r0]\nsdiv r3,r3,r1\n"
      "mov r0,r3\npop {r4,pc}\n";
  Program program(*file, body);
  ASSERT_TRUE(program.simulator().write(program.data(), std::vector<uint8_t>{10, 0, 0, 0}));
  const CallReport report = program.call({program.data(), 3, 4});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 22u / 3);
  EXPECT_EQ((*program.simulator().read(program.data(), 1))[0], 22);

  Program older("cortex-m4", ".arch armv8-m.main\nf: lda r3,[r0]\nbx lr\n");
  const CallReport refused = older.call({older.data(), 3, 4});
  EXPECT_EQ(refused.end, CallEnd::kIllegalInstruction);
  EXPECT_TRUE(contains(refused.detail, "lda is not in armv7e-m")) << refused.detail;
}

}  // namespace
}  // namespace tinytune
