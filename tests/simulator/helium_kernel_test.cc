// Kernels that use Helium: counts of a call, registers that it must preserve, refusals.
#include <gtest/gtest.h>

#include <string>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

const std::string kHelium = ".cpu cortex-m55\n";

TEST(HeliumKernel, LoopOfVectors_RunsAndCounts) {
  // Eight times sixteen products 3 * 5, and a scalar instruction between the vectors.
  const std::string source =
      "f: push {r4,lr}\nvmov.i8 q0,#3\nvmov.i8 q1,#5\nmovs r0,#0\nmovs r2,#8\nmovs r3,#0\n"
      "dls lr,r2\n1: vmladava.s8 r0,q0,q1\nadds r3,#1\nvmladava.s8 r0,q0,q1\nle lr,1b\n"
      "adds r0,r3\npop {r4,pc}\n";
  for (const char* device : {"cortex-m55", "cortex-m85"}) {
    Program program(device, kHelium + source);
    for (int call = 0; call < 2; ++call) {
      const CallReport report = program.call();
      ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
      EXPECT_EQ(report.return_value, 8u * 2 * 16 * 15 + 8);
      EXPECT_EQ(report.counts.instructions, 7u + 8 * 4 + 2);
      EXPECT_TRUE(report.registers_restored) << report.clobbered;
    }
  }
}

TEST(HeliumKernel, VectorOfTheCaller_IsReportedAsClobbered) {
  Program clobbers("cortex-m55", kHelium + "f: vmov.i8 q6,#1\nbx lr\n");
  EXPECT_EQ(clobbers.call().clobbered, "q4 to q7");
  Program saves("cortex-m55", kHelium +
                                  "f: sub sp,#16\nvstrw.32 q6,[sp]\nvmov.i8 q6,#1\n"
                                  "vldrw.32 q6,[sp]\nadd sp,#16\nbx lr\n");
  EXPECT_TRUE(saves.call().registers_restored);
}

TEST(HeliumKernel, LoadBeyondMemory_IsAFault) {
  Program program("cortex-m55", kHelium + "f: vldrb.8 q0,[r0]\nbx lr\n");
  const MemoryRegion& data = program.device().memory("data");
  const CallReport report = program.call({data.address + data.size_bytes - 8});
  EXPECT_EQ(report.end, CallEnd::kFault) << report.detail;
  EXPECT_NE(report.detail.find("read"), std::string::npos) << report.detail;
}

TEST(HeliumKernel, RegistersOfTheFloatingPointUnit_AreRefusedByName) {
  Program program("cortex-m55", kHelium + "f: vpush {d8-d15}\nvpop {d8-d15}\nbx lr\n");
  const CallReport report = program.call();
  EXPECT_NE(report.end, CallEnd::kReturned);
  EXPECT_NE(report.detail.find("is not simulated in kernels"), std::string::npos) << report.detail;
}

TEST(HeliumKernel, CoreWithoutVectors_RefusesThem) {
  Program program("qemu-mps2-m33", kHelium + "f: vmov.i8 q0,#1\nbx lr\n");
  EXPECT_NE(program.call().end, CallEnd::kReturned);
}

}  // namespace
}  // namespace tinytune
