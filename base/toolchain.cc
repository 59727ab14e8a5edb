#include "base/toolchain.h"

#define TINYTUNE_TEXT_OF(number) #number
#define TINYTUNE_TEXT(number) TINYTUNE_TEXT_OF(number)

namespace tinytune {

int llvm_version() { return TINYTUNE_LLVM_VERSION; }

const char* clang_program() { return "clang-" TINYTUNE_TEXT(TINYTUNE_LLVM_VERSION); }

}  // namespace tinytune
