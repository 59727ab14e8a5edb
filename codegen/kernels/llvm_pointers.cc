#include "codegen/kernels/llvm_pointers.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DerivedTypes.h>

static_assert(LLVM_VERSION_MAJOR == 14 || LLVM_VERSION_MAJOR == 19, "the versions that were tried");

namespace tinytune {

llvm::Type* pointer_to(llvm::Type* type, unsigned address_space) {
#if LLVM_VERSION_MAJOR == 14
  return type->getPointerTo(address_space);
#else
  return llvm::PointerType::get(type->getContext(), address_space);
#endif
}

}  // namespace tinytune
