// The LLVM that this build is linked with: the IR of kernels is in its language, and C is compiled
// by the clang of the same version.
#pragma once

namespace tinytune {

/// 14 or 19.
int llvm_version();

/// The compiler's name on the PATH, `clang-14`.
const char* clang_program();

}  // namespace tinytune
