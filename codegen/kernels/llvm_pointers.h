// Types of pointers, which LLVM 14 has for every type and LLVM 19 once.
#pragma once

namespace llvm {
class Type;
}  // namespace llvm

namespace tinytune {

llvm::Type* pointer_to(llvm::Type* type, unsigned address_space = 0);

}  // namespace tinytune
