// The LLVM version that this build is linked with: kernels' IR is written for it, and C is compiled
// by the clang of the same version.
#pragma once

namespace tinytune {

/// 14 or 19.
int llvm_version();

/// Returns the compiler's name on the PATH, `clang-14`.
const char* clang_program();

}  // namespace tinytune
