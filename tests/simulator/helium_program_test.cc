// Programs that use Helium on the devices of Cortex-M55 and M85: values, counts and refusals.
#include <gtest/gtest.h>

#include <string>

#include "simulator/program.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

const std::string kForM55 = ".cpu cortex-m55\n";

Result<ProgramReport> run_on(const std::string& device_name, const std::string& source) {
  const Device device = *load_device(device_name);
  return run_program(device, *load_program_facts(device.name), assemble(kForM55 + source, device),
                     ProgramOptions());
}

std::string refusal(const Result<ProgramReport>& ran) { return ran ? "" : ran.error().message(); }

class HeliumProgram : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Devices, HeliumProgram, testing::Values("cortex-m55", "cortex-m85"));

TEST_P(HeliumProgram, TailPredicatedLoop_SumsWhatIsThere) {
  const auto ran = run_on(GetParam(),
                          "f: push {r4,lr}\nmovs r1,#5\nmovs r2,#20\nmovs r0,#0\nvdup.8 q0,r1\n"
                          "vmov.i8 q1,#3\ndlstp.8 lr,r2\n1: vmladava.s8 r0,q0,q1\nletp lr,1b\n"
                          "pop {r4,pc}\n");
  ASSERT_TRUE(ran) << refusal(ran);
  EXPECT_EQ(ran->return_value, 20u * 15);
  EXPECT_EQ(ran->counts.instructions, 7u + 2 * 2 + 1);
}

TEST_P(HeliumProgram, SavedVectors_ComeBack) {
  const auto ran = run_on(GetParam(),
                          "f: push {r4,lr}\nvmov.i8 q4,#7\nvmov.i8 q5,#9\nvpush {d8-d11}\n"
                          "vmov.i8 q4,#0\nvmov.i8 q5,#0\nvpop {d8-d11}\nvadd.i8 q4,q4,q5\n"
                          "vmov.u8 r0,q4[13]\npop {r4,pc}\n");
  ASSERT_TRUE(ran) << refusal(ran);
  EXPECT_EQ(ran->return_value, 16u);
}

TEST_P(HeliumProgram, ChoiceByCondition_AndWordsOfLanes) {
  const auto ran = run_on(GetParam(),
                          "f: movs r1,#40\nmovs r2,#2\ncmp r1,r2\ncsinc r3,r2,r1,gt\n"
                          "vdup.32 q3,r1\nvmov s13,r3\nvmov.32 r0,q3[1]\nadds r0,r1\nbx lr\n");
  ASSERT_TRUE(ran) << refusal(ran);
  EXPECT_EQ(ran->return_value, 42u);
}

TEST_P(HeliumProgram, ShiftsOfPairs_ShiftThemAndLeaveFlagsAlone) {
  // r3:r2 = 0x80000001_00000007; carry and zero are set before. A vector follows the last shift.
  const auto ran = run_on(GetParam(),
                          "f: ldr r3,=0x80000001\nmovs r2,#7\nmovs r1,#4\ncmp r1,r1\n"
                          "asrl r2,r3,#4\nlsll r2,r3,r1\nlsrl r2,r3,#28\nasrl r2,r3,r1\n"
                          "vmov.i32 q0,#0\nmov r0,r2\nbne 1f\nbcc 1f\nbx lr\n1: movs r0,#0\n"
                          "bx lr\n");
  ASSERT_TRUE(ran) << refusal(ran);
  const uint64_t shifted = (0x8000000100000007u >> 4 << 4) >> 28;
  EXPECT_EQ(ran->return_value, static_cast<uint32_t>(shifted >> 4));
  EXPECT_EQ(ran->counts.instructions, 13u);
}

TEST_P(HeliumProgram, SaturatingShiftOfAWord_IsRefusedByName) {
  const auto ran = run_on(GetParam(), "f: uqshl r0,#3\nbx lr\n");
  EXPECT_NE(refusal(ran).find("uqshl is not simulated"), std::string::npos) << refusal(ran);
}

TEST_P(HeliumProgram, FloatVectors_AreRefusedByName) {
  const auto ran = run_on(GetParam(),
                          ""
                          "f: vadd.f32 q0,q0,q0\nbx lr\n");
  EXPECT_NE(refusal(ran).find("vadd: floating point"), std::string::npos) << refusal(ran);
}

TEST_P(HeliumProgram, MisalignedVector_IsAFault) {
  const auto ran = run_on(GetParam(), "f: ldr r0,=0x20000002\nvldrw.u32 q0,[r0]\nbx lr\n");
  EXPECT_NE(refusal(ran).find("not aligned"), std::string::npos) << refusal(ran);
}

}  // namespace
}  // namespace tinytune
