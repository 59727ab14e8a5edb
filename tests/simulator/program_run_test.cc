// Whole programs: how they end, what they print, the values of their counters, and the messages for
// programs that cannot run.
#include <elf.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/rng.h"
#include "simulator/program.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

Ran run(const std::string& device_name, const std::string& source, const std::string& function = "",
        uint64_t limit = 10'000'000'000) {
  const Device device = *load_device(device_name);
  return run(device, assemble(source, device), function, limit);
}

const std::string kSemihost =
    ".option push\n.option norvc\nslli zero,zero,0x1f\nebreak\n"
    "srai zero,zero,7\n.option pop\n";

TEST(RiscvProgram, ConsoleAndExitPorts_PrintAndEnd) {
  const Ran ran = run("hazard3",
                      "f: lui a1,0x80000\nli a0,'h'\nsw a0,0(a1)\nli a0,'i'\nsw a0,0(a1)\n"
                      "li a0,0x2a\nsw a0,4(a1)\nli a0,3\nsw a0,8(a1)\n1: j 1b\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.output, "hi0000002a\n");
  EXPECT_EQ(ran.report->end, ProgramReport::End::kExit);
  EXPECT_EQ(ran.report->exit_status, 3);
}

TEST(RiscvProgram, CounterDifferences_AreTheModelsCounts) {
  const std::string body =
      "csrwi mcountinhibit,0\n.option norvc\ncsrr a2,mcycle\ncsrr a3,minstret\n"
      "li a4,5\n1: addi a4,a4,-1\nbnez a4,1b\ncsrr a5,mcycle\ncsrr a6,minstret\n"
      "sub a0,a5,a2\nsub a1,a6,a3\nslli a0,a0,8\nor a0,a0,a1\nret\n";
  const Ran ran = run("hazard3", "f: nop\nnop\ng:\n" + body, "g");
  ASSERT_TRUE(ran.report) << refusal(ran);
  // Both first reads and li, five addi; the first branch, three predicted, one that falls through.
  EXPECT_EQ(ran.report->return_value >> 8, 3u + 5 + 2 + 3 * 1 + 2);
  EXPECT_EQ(ran.report->return_value & 0xFF, 2u + 10 + 1);
}

TEST(RiscvProgram, CounterOfUserMode_SaysTheSame) {
  const Ran ran =
      run("hazard3", "f: csrwi mcountinhibit,0\ncsrr a0,cycle\ncsrr a1,cycle\nsub a0,a1,a0\nret\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 1u);
}

TEST(RiscvProgram, InhibitedCounter_Stands) {
  const Ran ran = run("hazard3",
                      "f: csrwi mcountinhibit,1\ncsrr a0,mcycle\nnop\nnop\ncsrr a1,mcycle\n"
                      "sub a0,a1,a0\nret\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 0u);
}

TEST(RiscvProgram, Esp32c3_HasItsOwnCounterAndNoOther) {
  const Ran own = run("esp32c3", "f: csrr a0,0x7e2\nnop\nnop\ncsrr a1,0x7e2\nsub a0,a1,a0\nret\n");
  ASSERT_TRUE(own.report) << refusal(own);
  EXPECT_EQ(own.report->return_value, 3u);
  const Ran other = run("esp32c3", "f: nop\ncsrr a0,mcycle\nret\n");
  EXPECT_NE(refusal(other).find("esp32c3 has no register 0xb00, used at 0x40380002 (f+0x2)"),
            std::string::npos)
      << refusal(other);
  EXPECT_EQ(other.report.error().code(), ErrorCode::kUnsupported);
}

TEST(RiscvProgram, CodeThatItOverwrites_RunsAsItIsThen) {
  const Ran ran = run("hazard3",
                      ".option norvc\nf: mv a6,ra\nla a1,g\njal g\nslli a5,a0,8\n"
                      "li a2,0x00200513\nsw a2,0(a1)\nfence.i\njal g\nor a0,a0,a5\njr a6\n"
                      "g: li a0,1\nret\n",
                      "f");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 0x102u);
}

TEST(RiscvProgram, Semihosting_PrintsAndExits) {
  const Ran ran = run("hazard3", "f: li a0,4\nla a1,text\n" + kSemihost +
                                     "li a0,0x20\nla a1,end\n" + kSemihost +
                                     "ebreak\n.data\nend: .word 0x20026, 7\n"
                                     "text: .asciz \"hello\\n\"\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.output, "hello\n");
  EXPECT_EQ(ran.report->exit_status, 7);
}

TEST(RiscvProgram, PlainBreakpoint_EndsIt) {
  const Ran wide = run("hazard3", "f: nop\n.option norvc\nebreak\nnop\n");
  ASSERT_TRUE(wide.report) << refusal(wide);
  EXPECT_EQ(wide.report->end, ProgramReport::End::kBreakpoint);
  EXPECT_EQ(wide.report->counts.instructions, 2u);
  EXPECT_EQ(run("hazard3", "f: nop\nc.ebreak\n").report->end, ProgramReport::End::kBreakpoint);
}

TEST(RiscvProgram, EnvironmentCalls_PrintAndExitAsNewlibMeansThem) {
  const Ran ran = run("hazard3",
                      "f: li a7,64\nli a0,1\nla a1,text\nli a2,3\necall\nli a7,93\nli a0,5\necall\n"
                      ".data\ntext: .ascii \"abc\"\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.output, "abc");
  EXPECT_EQ(ran.report->exit_status, 5);
}

TEST(RiscvProgram, Profile_AddsUpAndCountsCalls) {
  const Ran ran =
      run("hazard3",
          "f: mv s1,ra\nli s0,4\n1: call g\naddi s0,s0,-1\nbnez s0,1b\njr s1\n"
          ".globl g\n.type g,@function\ng: li a0,10\n2: addi a0,a0,-1\nbnez a0,2b\nret\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  uint64_t cycles = 0, instructions = 0;
  for (const auto& symbol : ran.report->symbols) {
    cycles += symbol.cycles;
    instructions += symbol.instructions;
  }
  EXPECT_EQ(cycles, ran.report->counts.cycles);
  EXPECT_EQ(instructions, ran.report->counts.instructions);
  ASSERT_EQ(ran.report->symbols.size(), 2u);
  EXPECT_EQ(ran.report->symbols[0].name, "g");
  EXPECT_EQ(ran.report->symbols[0].calls, 4u);
  EXPECT_EQ(ran.report->symbols[0].instructions, 4u * 22);
}

TEST(RiscvProgram, DataIsWhereStartUpCodeAndWhereFunctionsLookForIt) {
  const Device device = *load_device("hazard3");
  std::vector<uint8_t> elf = assemble(
      "f: lui a0,0x400\nlw a0,0(a0)\nla a1,d\nlw a1,0(a1)\nsub a0,a0,a1\nret\n"
      ".data\nd: .word 0x1234\n",
      device);
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  int changed = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    uint8_t* at = elf.data() + header.e_phoff + i * sizeof(Elf32_Phdr);
    Elf32_Phdr segment;
    std::memcpy(&segment, at, sizeof segment);
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    segment.p_paddr = 0x00400000;
    std::memcpy(at, &segment, sizeof segment);
    ++changed;
  }
  ASSERT_EQ(changed, 1);
  const Ran ran = run(device, elf);
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 0u);
}

TEST(Program, SectionOutsideTheDevice_IsNamed) {
  const auto elf = assemble("f: ret\n", *load_device("rv32imc"));
  const std::string message = refusal(run(*load_device("esp32c3"), elf));
  EXPECT_NE(
      message.find("section .text, 2 bytes at 0x20000000, lies outside the memories of esp32c3 "
                   "(iram 0x40380000-0x403affff"),
      std::string::npos)
      << message;
}

TEST(Program, WhatCannotGoOn_IsOneLineWithItsPlace) {
  EXPECT_NE(
      refusal(run("hazard3", "f: nop\n1: j 1b\n")).find("stays at 0x00000002 (f+0x2) for ever"),
      std::string::npos);
  EXPECT_NE(refusal(run("hazard3", "f: nop\nwfi\n")).find("the program sleeps"), std::string::npos);
  EXPECT_NE(
      refusal(run("hazard3", "f: lui a0,0x50000\nsw a0,4(a0)\nret\n"))
          .find("writes 0x50000004 (4 bytes) near 0x00000000 (f): hazard3 has no memory there"),
      std::string::npos);
  EXPECT_NE(refusal(run("hazard3", "f: lui a0,0x50000\njr a0\n")).find("jumps to 0x50000000"),
            std::string::npos);
  const Ran limit = run("hazard3", "f: nop\nj f\n", "", 1000);
  EXPECT_NE(refusal(limit).find("instruction limit"), std::string::npos) << refusal(limit);
  EXPECT_EQ(limit.report.error().code(), ErrorCode::kFailed);
  EXPECT_EQ(run("hazard3", "f: ret\n", "h").report.error().code(), ErrorCode::kNotFound);
}

TEST(Program, DamagedFiles_NeverCrash) {
  const Device device = *load_device("hazard3");
  const auto whole = assemble(
      "f: la a0,d\nlw a1,0(a0)\n1: addi a1,a1,-1\nbnez a1,1b\nebreak\n.data\nd: .word 5,6\n",
      device);
  Rng rng(11);
  size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    auto elf = whole;
    for (uint64_t i = 0; i <= rng.below(4); ++i)
      elf[rng.below(elf.size())] = static_cast<uint8_t>(rng.next());
    refused += !run(device, elf, "", 10000).report.has_value();
  }
  EXPECT_GT(refused, 0u);
  for (size_t size = 0; size < whole.size(); size += 7)
    (void)run(device, std::vector<uint8_t>(whole.begin(), whole.begin() + static_cast<long>(size)),
              "", 10000);
}

TEST(ArmProgram, Semihosting_PrintsAndExits) {
  const Ran ran = run("stm32f4",
                      "f: movs r0,#4\nldr r1,=text\nbkpt 0xab\nmovs r0,#0x18\nldr r1,=0x20026\n"
                      "bkpt 0xab\n.ltorg\n.data\ntext: .asciz \"hello\\n\"\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.output, "hello\n");
  EXPECT_EQ(ran.report->exit_status, 0);
  EXPECT_EQ(ran.report->end, ProgramReport::End::kExit);
}

TEST(ArmProgram, CycleCounter_SaysWhatTheModelCounts) {
  // Both reads are in one block, so only the position of each load can tell them apart.
  const Ran ran = run("cortex-m4",
                      "f: ldr r1,=0xE000EDFC\nldr r2,=0x01000000\nstr r2,[r1]\nldr r1,=0xE0001000\n"
                      "movs r2,#1\nstr r2,[r1]\nldr r2,[r1,#4]\nnop\nnop\nnop\nldr r3,[r1,#4]\n"
                      "subs r0,r3,r2\nbx lr\n.ltorg\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 4u);
}

TEST(ArmProgram, SysTick_CountsDownAndWraps) {
  const Ran ran =
      run("cortex-m4",
          "f: ldr r1,=0xE000E010\nmovs r2,#99\nstr r2,[r1,#4]\nstr r2,[r1,#8]\nmovs r2,#5\n"
          "str r2,[r1]\nldr r2,[r1,#8]\nnop\nnop\nldr r3,[r1,#8]\nsubs r0,r2,r3\nbx lr\n"
          ".ltorg\n");
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 3u);
}

TEST(ArmProgram, InstructionOfAnotherCore_IsNamedWithItsFunction) {
  const Ran ran =
      run("cortex-m4", "f: nop\nb g\n.globl g\n.type g,%function\ng: .inst.w 0xee300a20\nbx lr\n");
  EXPECT_NE(refusal(ran).find("vadd: floating point is not simulated"), std::string::npos);
  EXPECT_NE(refusal(ran).find("its FPU is off"), std::string::npos) << refusal(ran);
  EXPECT_NE(refusal(ran).find("(g)"), std::string::npos) << refusal(ran);
  EXPECT_EQ(ran.report.error().code(), ErrorCode::kFailed);
  const Ran on = run("cortex-m4",
                     "f: ldr r0,=0xE000ED88\nmov r1,#0xF00000\nstr r1,[r0]\nb g\n.ltorg\n"
                     ".globl g\n.type g,%function\ng: .inst.w 0xee300a20\nbx lr\n");
  EXPECT_EQ(refusal(on).find("its FPU is off"), std::string::npos) << refusal(on);
  EXPECT_EQ(on.report.error().code(), ErrorCode::kUnsupported);
  // A Cortex-M3 has neither an FPU nor DSP instructions.
  EXPECT_NE(refusal(run("qemu-mps2-m3", "f: .inst.w 0xee300a20\nbx lr\n")).find(" is not in "),
            std::string::npos);
  EXPECT_NE(refusal(run("qemu-mps2-m3", "f: .inst.w 0xfb20f000\nbx lr\n")).find("smuad"),
            std::string::npos);
}

// Returns the fault's message; "" if the program runs to its end.
std::string fault_of(const std::string& device, const std::string& body) {
  const Ran ran = run(device, body);
  if (ran.report) return "";
  EXPECT_EQ(ran.report.error().code(), ErrorCode::kFailed) << refusal(ran);
  return refusal(ran);
}

TEST(UnalignedAccess, StopsTheProgramWhereTheChipFaults) {
  EXPECT_NE(fault_of("hazard3", "f: la a0,f\nlw a1,1(a0)\nret\n")
                .find("reads 4 bytes at the unaligned address 0x00000001, on which hazard3 faults, "
                      "at 0x00000008 (f+0x8): lw a1, 1(a0)"),
            std::string::npos);
  EXPECT_NE(fault_of("rp2350-riscv", "f: la a0,d\nsh a1,1(a0)\nret\n.data\nd: .word 0,0\n"), "");
  EXPECT_NE(fault_of("rp2040", "f: ldr r0,=d+2\nldr r1,[r0]\nbx lr\n.ltorg\n.data\nd: .word 0,0\n"),
            "");
  EXPECT_NE(
      fault_of("rp2040", "f: ldr r0,=d+1\nstrh r1,[r0]\nbx lr\n.ltorg\n.data\nd: .word 0,0\n"), "");
  const auto arm = [](const std::string& device, const std::string& code) {
    return fault_of(device, "f: ldr r0,=d+2\nmovs r2,#0\n" + code +
                                "\nbx lr\n.ltorg\n.data\nd: .word 0,0,0,0\n");
  };
  for (const char* device : {"stm32f4", "stm32f7", "rp2350", "qemu-mps2-m3"}) {
    for (const char* code : {"ldr r1,[r0]", "str r1,[r0]", "adds r0,#1\nldrh r1,[r0]"})
      EXPECT_EQ(arm(device, code), "") << device << code;
    for (const char* code : {"ldrd r2,r3,[r0]", "strd r2,r3,[r0]", "ldm r0,{r2,r3}",
                             "stm r0,{r2,r3}", "ldrex r1,[r0]"})
      EXPECT_NE(arm(device, code).find(": " + std::string(code).substr(0, 3)), std::string::npos)
          << device << code;
  }
}

TEST(UnalignedAccess, Works_WhereTheCoreDoesItInHardware) {
  EXPECT_EQ(fault_of("esp32c3", "f: la a0,d\nlw a0,1(a0)\nret\n.data\nd: .word 0,0\n"), "");
  EXPECT_NE(fault_of("esp32c6", "f: la a0,d+1\namoadd.w a1,a1,(a0)\nret\n.data\nd: .word 0,0\n"),
            "");
}

TEST(UnalignedAccess, Trapped_IsAFaultOfTheProgram) {
  EXPECT_NE(fault_of("stm32f4",
                     "f: ldr r0,=0xE000ED14\nmovs r1,#8\nstr r1,[r0]\nldr r0,=d+2\nldr r1,[r0]\n"
                     "bx lr\n.ltorg\n.data\nd: .word 0,0\n"),
            "");
}

TEST(UnalignedAccess, GoesToTheProgramsHandlerAsOnTheChip) {
  // The handler skips the load and prints what it was told; nothing after the load has executed.
  const std::string program =
      "f: la a0,handler\ncsrw mtvec,a0\nlui a2,0x80000\nla a0,d\nli a1,7\nli a3,1\n"
      "lw a1,1(a0)\nsw a1,4(a2)\nli a3,2\nsw zero,8(a2)\n1: j 1b\n.p2align 2\n"
      "handler: csrr a4,mcause\nsw a4,4(a2)\nsw a3,4(a2)\ncsrr a4,mepc\naddi a4,a4,4\n"
      "csrw mepc,a4\n";
  const std::string data = ".data\nd: .word 0,0\n";
  const Ran returned = run("hazard3", program + "mret\n" + data);
  ASSERT_TRUE(returned.report) << refusal(returned);
  EXPECT_EQ(returned.output, "00000004\n00000001\n00000007\n");
  const Ran ended = run("hazard3", program + "sw zero,8(a2)\n2: j 2b\n" + data);
  EXPECT_EQ(ended.output, "00000004\n00000001\n");
  EXPECT_NE(refusal(ended).find("lw a1, 1(a0); the program ends in its exception handler"),
            std::string::npos)
      << refusal(ended);
}

TEST(ArmProgram, DivisionByZero_FaultsIfTheProgramHasItTrapped) {
  const std::string divide = "movs r0,#5\nmovs r1,#0\nudiv r0,r0,r1\nbx lr\n.ltorg\n";
  EXPECT_EQ(fault_of("stm32f4", "f: " + divide), "");
  EXPECT_NE(fault_of("stm32f4", "f: ldr r0,=0xE000ED14\nmovs r1,#16\nstr r1,[r0]\n" + divide)
                .find("udiv r0, r0, r1"),
            std::string::npos);
}

TEST(Program, CodeInAMemoryWithoutInstructionBus_CannotRun) {
  const std::string copied = ".data\n.p2align 2\ng: .word 0x00008067\n";
  EXPECT_NE(fault_of("esp32c3", "f: la a0,g\njr a0\n" + copied).find("cannot be fetched from"),
            std::string::npos);
  EXPECT_EQ(fault_of("esp32c6", "f: la a0,g\njr a0\n" + copied), "");
  EXPECT_NE(fault_of("stm32f4",
                     "f: ldr r0,=0x10000001\nldr r1,=0x4770\nldr r2,=0x10000000\n"
                     "str r1,[r2]\nbx r0\n.ltorg\n")
                .find("cannot be fetched from"),
            std::string::npos);
}

TEST(ArmProgram, UnpredictableEncodings_Run) {
  EXPECT_EQ(fault_of("stm32f4", "f: strd ip,lr,[sp,#-16]!\nldrd ip,lr,[sp],#16\nbx lr\n"), "");
}

TEST(RiscvProgram, UnknownEnvironmentCall_IsNoSilentSuccess) {
  EXPECT_NE(fault_of("hazard3", "f: li a7,7\necall\nret\n").find("ecall with a7 = 7"),
            std::string::npos);
  const Ran handled =
      run("hazard3",
          "f: la a0,h\ncsrw mtvec,a0\nli a7,93\necall\n.p2align 2\nh: csrr a0,mcause\n"
          "lui a1,0x80000\nsw a0,4(a1)\ncsrr a0,mstatus\nsw a0,4(a1)\nsw zero,8(a1)\n1: j 1b\n");
  EXPECT_EQ(handled.output, "0000000b\n00001800\n") << refusal(handled);
}

TEST(RiscvProgram, Hazard3Registers_HoldWhatTheRtlHas) {
  const auto read = [](const std::string& csr, const std::string& before = "") {
    const Ran ran = run("hazard3", "f: " + before + "csrr a0," + csr + "\nret\n");
    EXPECT_TRUE(ran.report) << refusal(ran);
    return ran.report ? ran.report->return_value : 0;
  };
  EXPECT_EQ(read("misa"), 0x40901105u);
  EXPECT_EQ(read("mstatus"), 0x1800u);
  EXPECT_EQ(read("marchid"), 0x1Bu);
  EXPECT_EQ(read("mip"), 0x80u);
  EXPECT_EQ(read("mcountinhibit"), 5u);
  EXPECT_EQ(read("minstret", "nop\nnop\n"), 0u);  // stopped after reset
  EXPECT_EQ(read("minstret", "nop\ncsrwi mcountinhibit,0\nnop\n"), 1u);
  EXPECT_EQ(read("mcycle", "li a1,100\ncsrwi mcountinhibit,0\ncsrw mcycle,a1\n"), 100u);
  EXPECT_EQ(read("misa", "csrwi misa,0\n"), 0x40901105u);
  EXPECT_EQ(read("mtvec", "li a0,7\ncsrw mtvec,a0\n"), 5u);
}

TEST(ArmProgram, StackPointer_ComesFromTheVectorTable) {
  const Device device = *load_device("stm32f4");
  const Ran ran = run(device, assemble(".word 0x20001000, f\n.zero 120\n.thumb_func\nf: mov r0,sp\n"
                                       "bx lr\n",
                                       device));
  ASSERT_TRUE(ran.report) << refusal(ran);
  EXPECT_EQ(ran.report->return_value, 0x20001000u);
}

}  // namespace
}  // namespace tinytune
