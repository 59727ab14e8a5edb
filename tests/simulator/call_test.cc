#include <gtest/gtest.h>

#include <algorithm>

#include "base/processor_time.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SimulatorCall, Function_ReturnsItsValueAndCounts) {
  Program program("rv32imc",
                  "f: li a5,0\n1: lb a3,0(a0)\nlb a4,0(a1)\nmul a3,a3,a4\nadd a5,a5,a3\n"
                  "addi a0,a0,1\naddi a1,a1,1\naddi a2,a2,-1\nbnez a2,1b\nsw a5,0(a0)\n"
                  "mv a0,a5\nret\n");
  const std::vector<uint8_t> bytes = {1, 2, 3, 4};
  ASSERT_TRUE(program.simulator().write(program.data(), bytes));
  const CallReport report = program.call({program.data(), program.data(), 4});
  EXPECT_EQ(report.end, CallEnd::kReturned);
  EXPECT_EQ(report.detail, "");
  EXPECT_EQ(report.return_value, 30u);
  EXPECT_EQ(report.counts.instructions, 1u + 4 * 8 + 3);
  EXPECT_EQ(report.counts.cycles, 1u + 4 * 8 + 3);
  EXPECT_EQ(report.counts.loads, 8u);
  EXPECT_EQ(report.counts.stores, 1u);
  EXPECT_EQ(report.counts.multiplies, 4u);
  EXPECT_EQ(report.counts.branches_taken, 3u);
  EXPECT_EQ(*program.simulator().read(program.data() + 4, 4), (std::vector<uint8_t>{30, 0, 0, 0}));
}

TEST(SimulatorCall, NinthArgument_IsOnTheStack) {
  Program program("rv32imc", "f: lw a0,0(sp)\nlw a1,4(sp)\nadd a0,a0,a1\nret\n");
  const CallReport report = program.call({0, 0, 0, 0, 0, 0, 0, 0, 40, 2});
  EXPECT_EQ(report.return_value, 42u);
  EXPECT_EQ(report.stack_bytes, 0u);
}

TEST(SimulatorCall, Registers_AreTheSameForEveryCall) {
  Program program("rv32imc",
                  "f: xor a0,t0,t6\nxor a0,a0,a7\nxor a0,a0,s0\nli t0,7\nli t6,9\nret\n");
  const uint32_t first = program.call().return_value;
  EXPECT_EQ(program.call().return_value, first);
}

TEST(SimulatorCall, UnmappedWrite_IsAFaultThatNamesTheInstruction) {
  Program program("esp32c3", "f: nop\nlb a1,0(a0)\nsb a1,1(a0)\nsb a1,4(a0)\nret\n");
  const MemoryRegion& dram = program.device().memory("dram");
  const uint32_t last = dram.address + dram.size_bytes - 4;
  CallOptions options;
  options.check_alignment = true;
  const CallReport checked = program.call({last}, options);
  EXPECT_EQ(checked.end, CallEnd::kFault);
  EXPECT_EQ(checked.detail, "write of 1 byte at 0x3fcdb000 from pc 0x4038000a");
  const CallReport timed = program.call({last});
  EXPECT_EQ(timed.end, CallEnd::kFault);
  EXPECT_EQ(timed.detail, "write of 1 byte at 0x3fcdb000 from the block at pc 0x40380000");
}

TEST(SimulatorCall, UnmappedRead_IsAFault) {
  Program program("esp32c3", "f: lw a0,0(zero)\nret\n");
  const CallReport report = program.call();
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_TRUE(has_text(report.detail, "read of 4 bytes at 0x00000000")) << report.detail;
}

TEST(SimulatorCall, WriteToCode_IsAFault) {
  Program program("esp32c3", "f: la a0,f\nsw a0,0(a0)\nret\n");
  const CallReport report = program.call();
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_TRUE(has_text(report.detail, "write of 4 bytes at 0x40380000")) << report.detail;
}

TEST(SimulatorCall, JumpIntoData_IsAFault) {
  Program program("esp32c3", "f: jr a0\n");
  const CallReport report = program.call({program.data()});
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_TRUE(has_text(report.detail, "jump to 0x3fcb0000")) << report.detail;
}

TEST(SimulatorCall, StackOverflow_IsAFault) {
  Program program("esp32c3", "f: addi sp,sp,-64\nsw a0,0(sp)\nj f\n");
  const CallReport report = program.call();
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_TRUE(has_text(report.detail, "write of 4 bytes at 0x3fcdbfc0")) << report.detail;
}

TEST(SimulatorCall, AfterAFault_TheNextCallWorks) {
  Program program("esp32c3", "f: lw a0,0(a0)\nret\n");
  EXPECT_EQ(program.call({4}).end, CallEnd::kFault);
  EXPECT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
  CallOptions options;
  options.check_alignment = true;
  EXPECT_EQ(program.call({4}, options).end, CallEnd::kFault);
  EXPECT_EQ(program.call({program.data()}, options).end, CallEnd::kReturned);
}

struct Refused {
  const char* name;
  const char* code;
  const char* march;
  const char* detail;
};

class RefusedInstruction : public testing::TestWithParam<Refused> {};

TEST_P(RefusedInstruction, StopsBeforeItRuns) {
  const Refused& p = GetParam();
  Program program("esp32c3", std::string("f: sw a0,0(a1)\n") + p.code + "\nret\n", p.march);
  for (int i = 0; i < 2; ++i) {  // the second time the block is known
    const CallReport report = program.call({7, program.data()});
    EXPECT_EQ(report.end, CallEnd::kIllegalInstruction);
    EXPECT_TRUE(has_text(report.detail, p.detail)) << report.detail;
    EXPECT_TRUE(has_text(report.detail, "at 0x40380002")) << report.detail;
  }
  EXPECT_EQ((*program.simulator().read(program.data(), 1))[0], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Simulator, RefusedInstruction,
    testing::Values(
        Refused{"Atomic", "amoadd.w a0,a1,(a2)", "rv32imac", "amoadd.w is not in rv32imc"},
        Refused{"LoadReserved", "lr.w a0,(a2)", "rv32imac", "lr.w is not in rv32imc"},
        Refused{"Float", "fadd.s fa0,fa1,fa2", "rv32imfc", "fadd.s is not in rv32imc"},
        Refused{"Double", "fadd.d fa0,fa1,fa2", "rv32imfdc", "fadd.d is not in rv32imc"},
        Refused{"FloatLoad", "flw fa0,0(a0)", "rv32imfc", "flw is not in rv32imc"},
        Refused{"CycleCounter", "rdcycle a0", "", "csrrs is not simulated"},
        Refused{"Breakpoint", "ebreak", "", "ebreak is not simulated"},
        Refused{"SystemCall", "ecall", "", "ecall is not simulated"},
        Refused{"Trap", "unimp", "", "unimp is not simulated"},
        Refused{"Undefined", ".word 0xffffffff", "", "undefined instruction 0xffffffff"}),
    [](const auto& info) { return info.param.name; });

TEST(SimulatorCall, EndlessLoop_StopsAtTheLimitEveryTimeAtTheSamePlace) {
  Program program("esp32c3", "f: addi a0,a0,1\naddi a1,a1,1\nj f\n");
  CallOptions options;
  options.instruction_limit = 1000;
  for (int i = 0; i < 2; ++i) {
    const CallReport report = program.call({}, options);
    EXPECT_EQ(report.end, CallEnd::kInstructionLimit);
    EXPECT_EQ(report.counts.instructions, 999u);
    EXPECT_TRUE(has_text(report.detail, "limit"));
  }
}

TEST(SimulatorCall, LimitOfExactlyTheNeed_IsEnough) {
  Program program("esp32c3", "f: nop\nnop\nret\n");
  CallOptions options;
  options.instruction_limit = 3;
  EXPECT_EQ(program.call({}, options).end, CallEnd::kReturned);
  options.instruction_limit = 2;
  EXPECT_EQ(program.call({}, options).end, CallEnd::kInstructionLimit);
}

TEST(SimulatorCall, ClobberedRegisters_AreNamed) {
  Program program("esp32c3", "f: li s3,1\nli gp,2\naddi sp,sp,-16\nret\n");
  const CallReport report = program.call();
  EXPECT_EQ(report.end, CallEnd::kReturned);
  EXPECT_FALSE(report.registers_restored);
  EXPECT_EQ(report.clobbered, "gp, s3, sp");
  EXPECT_TRUE(
      Program("esp32c3", "f: mv t0,s3\nli s3,1\nmv s3,t0\nret\n").call().registers_restored);
}

TEST(SimulatorCall, DeepestStack_IsSeenEvenIfNotTheLastWord) {
  Program program("esp32c3",
                  "f: addi sp,sp,-256\nsw ra,16(sp)\nlw ra,16(sp)\naddi sp,sp,256\nret\n");
  EXPECT_EQ(program.call().stack_bytes, 240u);
  EXPECT_EQ(Program("esp32c3", "f: ret\n").call().stack_bytes, 0u);
}

TEST(SimulatorCall, MisalignedAccess_IsReportedOnlyWhenAsked) {
  Program program("esp32c3", "f: lb a1,3(a0)\nlh a1,0(a0)\nlw a1,2(a0)\nret\n");
  EXPECT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
  CallOptions options;
  options.check_alignment = true;
  const CallReport report = program.call({program.data()}, options);
  EXPECT_EQ(report.end, CallEnd::kMisaligned);
  EXPECT_EQ(report.detail, "misaligned read of 4 bytes at 0x3fcb0002 from pc 0x40380008");
  EXPECT_EQ(program.call({program.data() + 2}, options).end, CallEnd::kReturned);
  Program store("esp32c3", "f: sh a0,1(a0)\nret\n");
  EXPECT_EQ(store.call({store.data()}, options).end, CallEnd::kMisaligned);
}

TEST(SimulatorCall, BytesOffLimits_FaultWhenWatched) {
  Program program("esp32c3", "f: lh a1,0(a0)\nret\n");
  CallOptions options;
  options.check_alignment = true;
  options.off_limits = {{program.data() + 2, 2}};
  EXPECT_EQ(program.call({program.data()}, options).end, CallEnd::kReturned);
  EXPECT_EQ(program.call({program.data() + 4}, options).end, CallEnd::kReturned);
  const CallReport report = program.call({program.data() + 2}, options);
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_EQ(report.detail, "read of 2 bytes at 0x3fcb0002 from pc 0x40380000");
}

TEST(SimulatorCall, Checking_ChangesNoCount) {
  Program program("esp32c3",
                  "f: 1: lw a1,0(a0)\nadd a1,a1,a1\nsw a1,4(a0)\naddi a2,a2,-1\nbgtz a2,1b\nret\n");
  const Counts plain = program.call({program.data(), 0, 100}).counts;
  CallOptions options;
  options.check_alignment = true;
  const Counts checked = program.call({program.data(), 0, 100}, options).counts;
  EXPECT_EQ(plain.cycles, checked.cycles);
  EXPECT_EQ(plain.instructions, checked.instructions);
  EXPECT_EQ(plain.instructions, 501u);
}

TEST(SimulatorCall, Sections_CountTheirCalleesAndAddUp) {
  Program program("esp32c3",
                  "f: mv s0,ra\ncall g\nnop\ncall h\ncall g\nmv ra,s0\nret\n"
                  ".globl g\n.type g,@function\ng: mv t0,ra\ncall k\nmv ra,t0\nret\n"
                  ".globl h\n.type h,@function\nh: nop\nnop\nret\n"
                  "k: nop\nret\n");
  CallOptions options;
  options.sections = {program.symbol("h"), program.symbol("g")};
  for (int i = 0; i < 2; ++i) {
    const CallReport report = program.call({}, options);
    ASSERT_EQ(report.sections.size(), 2u);
    EXPECT_EQ(report.sections[0].instructions, 3u);
    EXPECT_EQ(report.sections[0].cycles, 4u);
    EXPECT_EQ(report.sections[1].instructions, 2u * 7);  // `call` is auipc and jalr
    EXPECT_EQ(report.counts.instructions, 2u * 7 + 3 + 4 + 3 * 2);
    ASSERT_EQ(report.visits.size(), 3u);
    for (const size_t visit : {0, 1, 2}) {
      EXPECT_EQ(report.visits[visit].section, visit == 1 ? 0u : 1u);
      EXPECT_EQ(report.visits[visit].counts.instructions, visit == 1 ? 3u : 7u);
    }
  }
  options.sections = {program.symbol("f")};
  const CallReport whole = program.call({}, options);
  EXPECT_EQ(whole.sections[0].instructions, whole.counts.instructions);
  EXPECT_EQ(whole.sections[0].cycles, whole.counts.cycles);
  EXPECT_TRUE(program.call().sections.empty());
}

TEST(SimulatorLoad, OtherCodeAtTheSameAddress_RunsTheNewCode) {
  Program program("esp32c3", "f: li a0,1\nret\n");
  EXPECT_EQ(program.call().return_value, 1u);
  const auto other = assemble("f: li a0,2\nnop\nret\n", program.device());
  ASSERT_TRUE(program.simulator().load(other));
  const CallReport report = program.call();
  EXPECT_EQ(report.return_value, 2u);
  EXPECT_EQ(report.counts.instructions, 3u);
}

TEST(SimulatorLoad, WritingOverCode_RunsTheNewCode) {
  Program program("esp32c3", "f: li a0,1\nret\n");
  EXPECT_EQ(program.call().return_value, 1u);
  const std::vector<uint8_t> li_a0_3 = {0x0d, 0x45};
  ASSERT_TRUE(program.simulator().write(program.symbol("f"), li_a0_3));
  EXPECT_EQ(program.call().return_value, 3u);
}

TEST(SimulatorLoad, MemoryOfTheProgramBefore_IsCleared) {
  Program program("esp32c3", "f: lw a1,0(a0)\nsw a0,0(a0)\nmv a0,a1\nret\n");
  EXPECT_EQ(program.call({program.data()}).return_value, 0u);
  EXPECT_EQ(program.call({program.data()}).return_value, program.data());
  ASSERT_TRUE(program.simulator().load(assemble("f: lw a0,0(a0)\nret\n", program.device())));
  EXPECT_EQ(program.call({program.data()}).return_value, 0u);
}

TEST(SimulatorLoad, LoadAndCall_TakeLessThanTwoMillisecondsOfProcessorTime) {
  Program program("esp32c3", "f: li a0,1\nret\n");
  const auto elf = assemble("f: sw a0,0(a0)\nret\n", program.device());
  std::vector<double> milliseconds;
  for (int i = 0; i < 31; ++i) {
    const ProcessorWatch watch;
    ASSERT_TRUE(program.simulator().load(elf));
    ASSERT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
    milliseconds.push_back(watch.ms());
  }
  std::nth_element(milliseconds.begin(), milliseconds.begin() + 15, milliseconds.end());
  RecordProperty("median_microseconds", static_cast<int>(milliseconds[15] * 1000));
  EXPECT_LT(milliseconds[15], 2.0);
}

TEST(SimulatorMap, ExtraMemory_FaultsOneByteOutside) {
  Program program("esp32c3", "f: sb a0,0(a0)\nret\n");
  ASSERT_TRUE(program.simulator().map(0x60000000, 8192, true));
  EXPECT_EQ(program.call({0x60000000}).end, CallEnd::kReturned);
  EXPECT_EQ(program.call({0x60001fff}).end, CallEnd::kReturned);
  EXPECT_EQ(program.call({0x60002000}).end, CallEnd::kFault);
  EXPECT_EQ(program.call({0x5fffffff}).end, CallEnd::kFault);
  EXPECT_EQ((*program.simulator().read(0x60001fff, 1))[0], 0xff);
}

TEST(SimulatorMap, ReadOnlyMemory_RefusesWrites) {
  Program program("esp32c3", "f: lw a1,0(a0)\nsb a0,0(a0)\nret\n");
  ASSERT_TRUE(program.simulator().map(0x60000000, 4096, false));
  const CallReport report = program.call({0x60000000});
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_TRUE(has_text(report.detail, "write of 1 byte at 0x60000000")) << report.detail;
}

TEST(SimulatorMap, Overlap_IsRefusedAndUnmapExtraMakesRoom) {
  Program program("esp32c3", "f: lw a0,0(a0)\nret\n");
  Simulator& simulator = program.simulator();
  ASSERT_TRUE(simulator.map(0x60000000, 1, true));
  EXPECT_EQ(simulator.map(0x60000fff, 1, true).error().code(), ErrorCode::kInvalidInput);
  EXPECT_FALSE(simulator.map(program.data(), 4096, true));
  EXPECT_FALSE(simulator.map(0xfffff000, 8192, true));
  EXPECT_FALSE(simulator.map(0x60001000, 0, true));
  simulator.unmap_extra();
  EXPECT_EQ(program.call({0x60000000}).end, CallEnd::kFault);
  EXPECT_TRUE(simulator.map(0x60000fff, 1, true));
  EXPECT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
}

TEST(SimulatorMemory, OutsideMappedMemory_IsAnError) {
  Program program("esp32c3", "f: ret\n");
  const std::vector<uint8_t> bytes(8);
  const MemoryRegion& dram = program.device().memory("dram");
  EXPECT_FALSE(program.simulator().write(dram.address + dram.size_bytes - 4, bytes));
  EXPECT_FALSE(program.simulator().read(0xfffffffc, 8));
  EXPECT_FALSE(program.simulator().read(dram.address, size_t{1} << 40));
  EXPECT_TRUE(program.simulator().read(dram.address, 0)->empty());
}

TEST(Simulator, EveryKnownDeviceThatHasOne_RunsAProgram) {
  for (const std::string& name : known_devices()) {
    const Device device = *load_device(name);
    if (!std::ranges::count(device.transports, "simulator")) continue;
    auto simulator = Simulator::create(device);
    ASSERT_TRUE(simulator) << simulator.error().message();
    const auto info = simulator->load(compile_c(
        "int f(int a, int b, int c, int d, int e) { return a - b + c * d - e; }", device));
    ASSERT_TRUE(info) << name << ": " << info.error().message();
    const std::vector<uint32_t> arguments = {50, 20, 3, 5, 3};
    const auto report = simulator->call(info->symbols.at("f").address, arguments);
    ASSERT_TRUE(report) << name;
    EXPECT_EQ(report->return_value, 42u) << name << ": " << report->detail;
    EXPECT_TRUE(report->registers_restored) << name;
    EXPECT_GE(report->counts.cycles, 3u) << name;
  }
}

TEST(Simulator, AtomicsOnADeviceThatHasThem_Run) {
  Program program("rv32imac", "f: amoadd.w a0,a1,(a0)\nret\n");
  const std::vector<uint8_t> bytes = {40, 0, 0, 0};
  ASSERT_TRUE(program.simulator().write(program.data(), bytes));
  EXPECT_EQ(program.call({program.data(), 2}).return_value, 40u);
  EXPECT_EQ((*program.simulator().read(program.data(), 1))[0], 42);
}

TEST(Simulator, TwoAtOnce_DoNotMeet) {
  Program one("esp32c3", "f: li a0,1\nret\n"), two("rv32imc", "f: li a0,2\nret\n");
  EXPECT_EQ(one.call().return_value, 1u);
  EXPECT_EQ(two.call().return_value, 2u);
  EXPECT_EQ(one.call().return_value, 1u);
}

TEST(Simulator, SameElf_GivesTheSameNumbersInAnyOrder) {
  const Device device = *load_device("esp32c3");
  const auto elf = compile_c(
      "int f(signed char* p, int n) { int s = 0; for (int i = 0; i < n; ++i) {"
      " s += p[i] * p[n - i]; if (s & 1) s ^= i; p[i] = s >> 3; } return s; }",
      device);
  const auto other =
      compile_c("int f(int* p, int n) { while (n--) *p++ = n % 7; return 0; }", device);
  const auto run = [&](Simulator& simulator, const std::vector<uint8_t>& image) {
    const uint32_t f = simulator.load(image)->symbols.at("f").address;
    const std::vector<uint32_t> arguments = {device.memory("dram").address, 1000};
    return simulator.call(f, arguments)->counts.cycles;
  };
  Simulator fresh = std::move(*Simulator::create(device));
  const uint64_t expected = run(fresh, elf);
  Simulator used = std::move(*Simulator::create(device));
  run(used, other);
  EXPECT_EQ(run(used, elf), expected);
  EXPECT_EQ(run(used, elf), expected);
}

TEST(Simulator, BlockLongerThanAPage_CountsEveryInstructionOnce) {
  // Unicorn cuts it at the page border; the pieces must add up to the whole, stalls included.
  std::string body = "f:\n.option norvc\n";
  for (int i = 0; i < 1500; ++i) body += "lw a1,0(a0)\nadd a2,a1,a1\n";
  Program program("esp32c3", body + "ret\n");
  const CallReport report = program.call({program.data()});
  EXPECT_EQ(report.counts.instructions, 3001u);
  EXPECT_EQ(report.counts.loads, 1500u);
  EXPECT_EQ(report.counts.cycles, 1500u * 3 + 2);
}

}  // namespace
}  // namespace tinytune
