// Pointer types: one per pointee type in LLVM 14, opaque in LLVM 19.
#pragma once

namespace llvm {
class Type;
}  // namespace llvm

namespace tinytune {

llvm::Type* pointer_to(llvm::Type* type, unsigned address_space = 0);

}  // namespace tinytune
