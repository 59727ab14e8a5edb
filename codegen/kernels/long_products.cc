#include "codegen/kernels/long_products.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <vector>

namespace tinytune {
namespace {

struct Word {
  llvm::Value* value;
  bool is_signed;
};

std::optional<Word> word_of(llvm::Value* wide) {
  llvm::Value* word = nullptr;
  if (match(wide, llvm::PatternMatch::m_SExt(llvm::PatternMatch::m_Value(word))) &&
      word->getType()->isIntegerTy(32))
    return Word{word, true};
  if (match(wide, llvm::PatternMatch::m_ZExt(llvm::PatternMatch::m_Value(word))) &&
      word->getType()->isIntegerTy(32))
    return Word{word, false};
  return std::nullopt;
}

// a1 and b1 are the upper halves, sign-extended if their word is signed. No sum overflows a word:
// (2^16 - 1)^2 + 2^16 - 1 < 2^32, and half of that with a sign.
llvm::Value* high_word(llvm::IRBuilder<>& build, const Word& a, const Word& b) {
  const auto low = [&](llvm::Value* word) { return build.CreateAnd(word, 0xffff); };
  const auto high = [&](llvm::Value* word, bool is_signed) {
    return is_signed ? build.CreateAShr(word, 16) : build.CreateLShr(word, 16);
  };
  llvm::Value *a0 = low(a.value), *a1 = high(a.value, a.is_signed);
  llvm::Value *b0 = low(b.value), *b1 = high(b.value, b.is_signed);
  llvm::Value* lowest = build.CreateLShr(build.CreateMul(a0, b0), 16);
  llvm::Value* of_a1 = build.CreateAdd(build.CreateMul(a1, b0), lowest);
  llvm::Value* of_b1 = build.CreateAdd(build.CreateMul(a0, b1), low(of_a1));
  llvm::Value* sum = build.CreateAdd(build.CreateMul(a1, b1), high(of_a1, a.is_signed));
  return build.CreateAdd(sum, high(of_b1, b.is_signed));
}

}  // namespace

void expand_long_products(llvm::Module& module) {
  std::vector<llvm::Instruction*> products;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& i : block)
        if (i.getOpcode() == llvm::Instruction::Mul && i.getType()->isIntegerTy(64))
          products.push_back(&i);
  for (llvm::Instruction* product : products) {
    const auto a = word_of(product->getOperand(0)), b = word_of(product->getOperand(1));
    if (!a || !b) continue;
    llvm::IRBuilder<> build(product);
    llvm::Type* wide = product->getType();
    llvm::Value* low = build.CreateZExt(build.CreateMul(a->value, b->value), wide);
    llvm::Value* high = build.CreateZExt(high_word(build, *a, *b), wide);
    product->replaceAllUsesWith(build.CreateOr(build.CreateShl(high, 32), low));
    product->eraseFromParent();
  }
}

}  // namespace tinytune
