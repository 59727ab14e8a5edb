#include "codegen/networks/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tinytune {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRiscv =
    "\t.text\n\t.attribute\t4, 16\n\t.attribute\t5, \"rv32i2p0_m2p0_c2p0\"\n"
    "\t.file\t\"f\"\n\t.section\t.text.f,\"ax\",@progbits\n\t.globl\tf                # -- Begin\n"
    "\t.type\tf,@function\nf:                              # @f\n# %bb.0:        # %entry\n"
    ".LBB0_1:\n\tlui\ta0, %hi(.LCPI0_0)\n\tbnez\ta0, .LBB0_1\n\tret\n.Lfunc_end0:\n"
    "\t.size\tf, .Lfunc_end0-f\n.LCPI0_0:\n\t.word\t7\n"
    "\t.section\t\".note.GNU-stack\",\"\",@progbits\n\t.addrsig\n";

TEST(CleanAssembly, LocalLabels_CarryTheKernelsNumber) {
  const std::string clean = clean_assembly(kRiscv, "f", 3, CoreFamily::kRiscv32).text();
  EXPECT_THAT(clean, HasSubstr(".LBB0_1_k3:"));
  EXPECT_THAT(clean, HasSubstr("bnez\ta0, .LBB0_1_k3"));
  EXPECT_THAT(clean, HasSubstr("%hi(.LCPI0_0_k3)"));
  EXPECT_THAT(clean, HasSubstr(".size\tf, .Lfunc_end0_k3-f"));
  EXPECT_THAT(clean, HasSubstr("\nf:\n"));
}

TEST(CleanAssembly, WholeFileDirectivesAndComments_AreDropped) {
  const std::string clean = clean_assembly(kRiscv, "f", 0, CoreFamily::kRiscv32).text();
  for (const char* gone : {".attribute", ".file", "#", "GNU-stack", ".addrsig"})
    EXPECT_THAT(clean, Not(HasSubstr(gone)));
  EXPECT_THAT(clean, HasSubstr("@progbits"));
  EXPECT_THAT(clean, HasSubstr("@function"));
}

TEST(CleanAssembly, ArmImmediates_AreKept) {
  const std::string clean =
      clean_assembly(
          "\t.syntax unified\n\t.cpu\tcortex-m4\n\t.eabi_attribute\t6, 13\t@ Tag_CPU\n"
          "\t.type\tf,%function\nf:\n\tmovs\tr0, #1 @ one\n\tbx\tlr\n",
          "f", 0, CoreFamily::kArmM)
          .text();
  EXPECT_EQ(clean, "\t.syntax unified\n\t.type\tf,%function\nf:\n\tmovs\tr0, #1\n\tbx\tlr\n");
}

TEST(CleanAssembly, CallsOfHelpers_AreTold) {
  const auto calls_helpers = [](const std::string& call) {
    return clean_assembly("f:\n" + call + "\n\tbx\tlr\n.Lown:\n\tbx\tlr\n", "f", 0,
                          CoreFamily::kArmM)
        .calls_helpers;
  };
  EXPECT_TRUE(calls_helpers("\tbl\t__aeabi_uidivmod"));
  EXPECT_TRUE(calls_helpers("\tbl\tmemcpy"));
  EXPECT_FALSE(calls_helpers("\tbl\t.Lown"));
  EXPECT_FALSE(calls_helpers("\tblo\t.Lown"));
  EXPECT_FALSE(calls_helpers("\tblx\tr3"));
}

// If the compiler names one core and a kernel's own assembly asks for another, the second is kept,
// in the form that each assembler knows.
TEST(CleanAssembly, VectorsOfAKernel_AreAskedOfBothAssemblers) {
  const std::string before = "\t.cpu\tcortex-m33\nf:\n";
  const std::string vectors =
      clean_assembly(before + "\t@APP\n\t.cpu\tcortex-m55\n\tvldrb.u8\tq0, [r0]\n", "f", 0,
                     CoreFamily::kArmM)
          .text();
  EXPECT_THAT(vectors, testing::StartsWith("#ifdef __clang__\n\t.cpu\tcortex-m55\n#else\n"));
  EXPECT_THAT(vectors, HasSubstr("\t.arch_extension\tmve\n#endif\n"));
  EXPECT_THAT(vectors, Not(HasSubstr("cortex-m33")));
  const std::string none = clean_assembly(before + "\tbx\tlr\n", "f", 0, CoreFamily::kArmM).text();
  EXPECT_THAT(none, Not(HasSubstr("mve")));
}

// LLVM 14 knows no such directive.
TEST(CleanAssembly, VectorsOfRiscv_AreAskedOfGnuAssemblers) {
  const std::string vectors =
      clean_assembly("f:\n\t#APP\n\tcsrwi\tvxrm, 0\n\tvsetvli\tzero, a0, e8, m1, ta, ma\n", "f", 0,
                     CoreFamily::kRiscv32)
          .text();
  EXPECT_THAT(vectors, testing::StartsWith("#ifndef __clang__\n\t.option\tarch, +zicsr, +zve32x\n"
                                           "#endif\n"));
  EXPECT_THAT(clean_assembly(kRiscv, "f", 0, CoreFamily::kRiscv32).text(),
              Not(HasSubstr("zve32x")));
}

TEST(CleanAssembly, SectionOfTheFunction_StandsApart) {
  const KernelAssembly clean = clean_assembly(kRiscv, "f", 0, CoreFamily::kRiscv32);
  EXPECT_EQ(clean.head, "\t.text\n");
  EXPECT_EQ(clean.section, "\t.section\t.text.f,\"ax\",@progbits\n");
  EXPECT_THAT(clean.rest, testing::StartsWith("\t.globl\tf\n"));
  const std::string text = clean.text();
  EXPECT_EQ(clean.lines, 9U) << "of " << text;
}

}  // namespace
}  // namespace tinytune
