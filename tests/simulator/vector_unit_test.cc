// The interface between the emulator and a core's vector unit: runs of vector instructions, counts,
// refusals, and that the unit's registers are those of its core.
#include <gtest/gtest.h>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr const char* kDevice = "rv32imc_zve32x";

TEST(VectorUnit, Length_IsTheLesserOfWishAndMost) {
  Program program(kDevice, "f: vsetvli a0,a0,e8,m1,ta,ma\nret");
  EXPECT_EQ(program.call({5}).return_value, 5u);
  EXPECT_EQ(program.call({16}).return_value, 16u);
  EXPECT_EQ(program.call({1000}).return_value, 16u);
}

TEST(VectorUnit, Length_FollowsTypeAndVlen) {
  EXPECT_EQ(Program(kDevice, "f: vsetvli a0,x0,e8,m8,ta,ma\nret").call().return_value, 128u);
  EXPECT_EQ(Program(kDevice, "f: vsetvli a0,x0,e32,m1,ta,ma\nret").call().return_value, 4u);
  EXPECT_EQ(Program(kDevice, "f: vsetvli a0,x0,e8,mf4,ta,ma\nret").call().return_value, 4u);
  EXPECT_EQ(Program(kDevice, "f: vsetivli a0,3,e32,m1,ta,ma\nret").call().return_value, 3u);
  Device device = *load_device(kDevice);
  device.target.vector_bits = 64;
  EXPECT_EQ(Program(device, "f: vsetvli a0,x0,e16,m2,ta,ma\nret").call().return_value, 8u);
  EXPECT_EQ(Program(device, "f: csrr a0,vlenb\nret").call().return_value, 8u);
}

TEST(VectorUnit, IllegalType_SetsVillAndNoLength) {
  Program program(kDevice,
                  "f: vsetvli a1,x0,e64,m1,ta,ma\ncsrr a2,vtype\ncsrr a3,vl\nadd a0,a1,a2\n"
                  "add a0,a0,a3\nret");
  EXPECT_EQ(program.call().return_value, 0x80000000u);
}

TEST(VectorUnit, RunsOfVectorInstructions_AreOneTrapAndCountedEach) {
  Program program(kDevice,
                  "f: li a1,7\nvsetvli a0,a1,e8,m1,ta,ma\ncsrr a2,vl\ncsrwi vxrm,2\n"
                  "csrr a3,vxrm\nvsetivli a4,9,e16,m2,ta,ma\nadd a0,a0,a2\nadd a0,a0,a3\n"
                  "add a0,a0,a4\nret");
  const CallReport report = program.call();
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 7u + 7 + 2 + 9);
  EXPECT_EQ(report.counts.instructions, 10u);
  EXPECT_EQ(report.counts.cycles, 10u);
}

TEST(VectorUnit, JumpIntoARun_ExecutesTheRestOfIt) {
  Program program(kDevice,
                  "f: li a5,0\nbnez a0,1f\nvsetivli a5,9,e8,m1,ta,ma\n1: csrr a4,vl\n"
                  "csrr a3,vlenb\nadd a0,a4,a3\nadd a0,a0,a5\nret");
  EXPECT_EQ(program.call({0}).return_value, 9u + 16 + 9);
  EXPECT_EQ(program.call({1}).return_value, 16u);
  EXPECT_EQ(program.call({0}).counts.instructions, 8u);
  EXPECT_EQ(program.call({1}).counts.instructions, 7u);
}

TEST(VectorUnit, State_IsFreshInEachCall) {
  Program program(kDevice, "f: csrr a2,vl\nvsetivli x0,9,e8,m1,ta,ma\nmv a0,a2\nret");
  EXPECT_EQ(program.call().return_value, 0u);
  EXPECT_EQ(program.call().return_value, 0u);
}

TEST(VectorUnit, WriteOfReadOnlyRegister_IsIllegal) {
  const CallReport report = Program(kDevice, "f: csrw vlenb,a0\nret").call();
  EXPECT_EQ(report.end, CallEnd::kIllegalInstruction);
  EXPECT_NE(report.detail.find("cannot be written"), std::string::npos) << report.detail;
}

TEST(VectorUnit, InstructionOfLongerVectors_IsRefusedByName) {
  const CallReport report = Program(kDevice, "f: vfadd.vv v1,v2,v3\nret", "rv32imfv").call();
  EXPECT_EQ(report.end, CallEnd::kIllegalInstruction);
  EXPECT_NE(report.detail.find("vfadd.vv is not in rv32imc_zve32x"), std::string::npos)
      << report.detail;
}

TEST(VectorUnit, CoreWithoutVectors_RefusesThem) {
  const CallReport report =
      Program("rv32imc", "f: vsetvli a0,a0,e8,m1,ta,ma\nret", "rv32imc_zve32x").call();
  EXPECT_EQ(report.end, CallEnd::kIllegalInstruction);
  EXPECT_NE(report.detail.find("vsetvli is not in rv32imc"), std::string::npos) << report.detail;
}

}  // namespace
}  // namespace tinytune
