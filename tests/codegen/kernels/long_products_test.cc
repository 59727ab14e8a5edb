// 64-bit products of two words, made of products of their halves: at the ends of halves and signs.
#include "codegen/kernels/long_products.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <string>

#include "base/rng.h"
#include "codegen/kernels/kernel.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

int64_t extended(uint32_t word, bool is_signed) {
  return is_signed ? int64_t{static_cast<int32_t>(word)} : int64_t{word};
}

// Expands a product of constants and returns its value, which LLVM folds.
uint64_t expanded(uint32_t a, bool a_signed, uint32_t b, bool b_signed) {
  const auto extend = [](const char* name, uint32_t word, bool is_signed) {
    return std::string(name) + (is_signed ? " = sext i32 " : " = zext i32 ") +
           std::to_string(static_cast<int32_t>(word)) + " to i64\n";
  };
  const std::string text = "define i64 @f() {\n" + extend("%a", a, a_signed) +
                           extend("%b", b, b_signed) + "%p = mul i64 %a, %b\nret i64 %p\n}\n";
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_NE(module, nullptr) << problem.getMessage().str();
  expand_long_products(*module);
  const llvm::Instruction* end = module->getFunction("f")->getEntryBlock().getTerminator();
  const auto* result = llvm::dyn_cast<llvm::ConstantInt>(end->getOperand(0));
  EXPECT_NE(result, nullptr) << "the product is still there";
  return result == nullptr ? 0 : result->getZExtValue();
}

TEST(LongProducts, OfWordsAtTheirEndsAndAtRandom_AreExact) {
  std::vector<uint32_t> words = {0,          1,          0x7fff,     0x8000,
                                 0xffff,     0x10000,    0x1ffff,    0x12345678,
                                 0x7fffffff, 0x80000000, 0xffff0000, 0xffffffff};
  Rng rng(3);
  for (int i = 0; i < 12; ++i) words.push_back(static_cast<uint32_t>(rng.below(uint64_t{1} << 32)));
  for (const uint32_t a : words)
    for (const uint32_t b : words)
      for (int signs = 0; signs < 4; ++signs) {
        const bool a_signed = (signs & 1) != 0, b_signed = (signs & 2) != 0;
        const auto product = static_cast<uint64_t>(extended(a, a_signed)) *
                             static_cast<uint64_t>(extended(b, b_signed));
        ASSERT_EQ(expanded(a, a_signed, b, b_signed), product) << a << " * " << b << ", " << signs;
      }
}

TEST(LongProducts, OfCoresWithoutThem_AreInLine) {
  const Workload workload = *parse_workload(
      "depthwise_conv2d_s8 nhwc n1 in8x8x8 out8x8x8 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
      "act-128,127 lane1 short");
  const Device device = *load_device("rp2040");
  const Schedule schedule = *default_schedule_of(workload, device);
  const auto kernel = compile_kernel(workload, schedule, device, "kernel", Emit::kAssembly);
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_EQ(kernel->assembly.find("__aeabi_lmul"), std::string::npos);
}

}  // namespace
}  // namespace tinytune
