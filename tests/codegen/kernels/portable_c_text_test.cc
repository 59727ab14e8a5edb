#include "codegen/kernels/portable_c_text.h"

#include <gtest/gtest.h>

namespace tinytune::portable_c {
namespace {

TEST(PortableC, Literal_KeepsItsWidthWhereAnIntHas16Bits) {
  EXPECT_EQ(literal(Width::k32, 70000), "70000u");
  EXPECT_EQ(literal(Width::k32, 0xFFFFFFFF), "(uint32_t)-1");
  EXPECT_EQ(literal(Width::k8, 0x80), "(uint8_t)-128");
  EXPECT_EQ(literal(Width::k64, 1), "UINT64_C(1)");
  EXPECT_EQ(literal(Width::k1, 1), "1");
}

TEST(PortableC, SmallestInteger_IsWrittenWithoutOverflow) {
  EXPECT_EQ(signed_literal(Width::k32, INT32_MIN), "(-2147483647 - 1)");
  EXPECT_EQ(literal(Width::k32, 0x80000000), "(uint32_t)(-2147483647 - 1)");
}

TEST(PortableC, NarrowArithmetic_IsDoneIn32BitsAndCut) {
  EXPECT_EQ(wrapping(Width::k16, "a", "*", "b"), "(uint16_t)((uint32_t)a * b)");
  EXPECT_EQ(wrapping(Width::k32, "a", "*", "b"), "(a * b)");
}

TEST(PortableC, Word_IsReadByBytesWhereItsAddressIsAnyNumber) {
  EXPECT_EQ(load(Width::k32, true, "p"), "TINYTUNE_LOAD32(p)");
  EXPECT_EQ(load(Width::k32, false, "p"), "TINYTUNE_LOAD32_BYTES(p)");
}

TEST(PortableC, Enclosed_IsOnePairAroundAllOfIt) {
  EXPECT_TRUE(is_enclosed("((a) + (b))"));
  EXPECT_FALSE(is_enclosed("(a) + (b)"));
}

}  // namespace
}  // namespace tinytune::portable_c
