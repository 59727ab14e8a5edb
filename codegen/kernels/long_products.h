// 64-bit products of two words, on cores whose multiplication gives only the low word.
//
// LLVM calls a function that multiplies 64 by 64 bits (runtime.h), with four registers of arguments
// and everything else on the stack. Kernels multiply words and need the high word: four inline
// products of halves, where the halves of a constant are known before the loop.
#pragma once

namespace llvm {
class Module;
}

namespace tinytune {

/// Replaces each 64-bit product of words that were extended to 64 bits.
void expand_long_products(llvm::Module& module);

}  // namespace tinytune
