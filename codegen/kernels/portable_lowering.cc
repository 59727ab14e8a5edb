// Vectors, switches and copies of memory, and the order in which everything is lowered.
#include "codegen/kernels/portable_lowering.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "codegen/kernels/llvm_pointers.h"
#include "codegen/kernels/optimise.h"
#include "codegen/kernels/portable_c_expressions.h"

namespace tinytune::portable_c {
namespace {

using llvm::Value;
using Build = llvm::IRBuilder<>;

#if LLVM_VERSION_MAJOR == 14
constexpr const char* kLowerSwitches = "lowerswitch";
#else
constexpr const char* kLowerSwitches = "lower-switch";
#endif

const llvm::FixedVectorType* vector_type(const Value& value) {
  return llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
}

bool has_vectors(const llvm::Instruction& i) {
  return i.getType()->isVectorTy() || llvm::any_of(i.operands(), [](const auto& operand) {
           return operand->getType()->isVectorTy();
         });
}

/// Returns the address of a vector's element. Elements of whole bytes are contiguous.
Value* element_address(Build& build, Value* vector, const llvm::FixedVectorType& type,
                       unsigned lane) {
  llvm::Type* element = type.getElementType();
  const auto space = vector->getType()->getPointerAddressSpace();
  return build.CreateConstInBoundsGEP1_32(
      element, build.CreatePointerCast(vector, pointer_to(element, space)), lane);
}

llvm::Align lane_alignment(llvm::Align whole, const llvm::FixedVectorType& type, unsigned lane) {
  return llvm::commonAlignment(whole, lane * (type.getScalarSizeInBits() / 8));
}

Value* load_lanes(Build& build, const llvm::LoadInst& i) {
  const llvm::FixedVectorType& type = *vector_type(i);
  Value* all = llvm::UndefValue::get(i.getType());
  for (unsigned lane = 0; lane < type.getNumElements(); ++lane) {
    Value* address = element_address(build, const_cast<Value*>(i.getPointerOperand()), type, lane);
    Value* one = build.CreateAlignedLoad(type.getElementType(), address,
                                         lane_alignment(i.getAlign(), type, lane));
    all = build.CreateInsertElement(all, one, lane);
  }
  return all;
}

void store_lanes(Build& build, const llvm::StoreInst& i) {
  Value* value = const_cast<Value*>(i.getValueOperand());
  const llvm::FixedVectorType& type = *vector_type(*value);
  for (unsigned lane = 0; lane < type.getNumElements(); ++lane)
    build.CreateAlignedStore(
        build.CreateExtractElement(value, lane),
        element_address(build, const_cast<Value*>(i.getPointerOperand()), type, lane),
        lane_alignment(i.getAlign(), type, lane));
}

/// Casts between two vectors, or a vector and an integer, as in little-endian memory.
Value* recast_lanes(Build& build, const llvm::BitCastInst& i) {
  Value* from = i.getOperand(0);
  const unsigned bits = static_cast<unsigned>(i.getType()->getPrimitiveSizeInBits());
  if (bits > 64 || !from->getType()->isIntOrIntVectorTy() || !i.getType()->isIntOrIntVectorTy())
    refuse(i);
  llvm::Type* whole = build.getIntNTy(bits);
  Value* word = from;
  if (const auto* type = vector_type(*from)) {
    word = llvm::Constant::getNullValue(whole);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      Value* one = build.CreateZExt(build.CreateExtractElement(from, lane), whole);
      word = build.CreateOr(word, build.CreateShl(one, lane * type->getScalarSizeInBits()));
    }
  }
  const auto* type = vector_type(i);
  if (type == nullptr) return word;
  Value* all = llvm::UndefValue::get(i.getType());
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value* one = build.CreateTrunc(build.CreateLShr(word, lane * type->getScalarSizeInBits()),
                                   type->getElementType());
    all = build.CreateInsertElement(all, one, lane);
  }
  return all;
}

/// Extracts a lane by a variable index: a chain of selects over all lanes.
Value* chosen_lane(Build& build, const llvm::ExtractElementInst& i) {
  const auto& type = *vector_type(*i.getVectorOperand());
  Value *from = i.getOperand(0), *index = i.getOperand(1);
  Value* chosen = build.CreateExtractElement(from, uint64_t{0});
  for (unsigned lane = 1; lane < type.getNumElements(); ++lane) {
    Value* is_it = build.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), lane));
    chosen = build.CreateSelect(is_it, build.CreateExtractElement(from, lane), chosen);
  }
  return chosen;
}

Value* with_chosen_lane(Build& build, const llvm::InsertElementInst& i) {
  Value *from = i.getOperand(0), *index = i.getOperand(2), *all = from;
  for (unsigned lane = 0; lane < vector_type(i)->getNumElements(); ++lane) {
    Value* is_it = build.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), lane));
    Value* one = build.CreateSelect(is_it, i.getOperand(1), build.CreateExtractElement(from, lane));
    all = build.CreateInsertElement(all, one, lane);
  }
  return all;
}

/// Splits the vector instructions that LLVM's scalarizer leaves whole. Returns whether there are
/// vectors.
bool split_vectors(llvm::Function& function) {
  std::vector<llvm::Instruction*> all;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (has_vectors(i)) all.push_back(&i);
  for (llvm::Instruction* i : all) {
    Build build(i);
    if (const auto* from = llvm::dyn_cast<llvm::LoadInst>(i)) {
      if (from->isVolatile() || vector_type(*i) == nullptr ||
          i->getType()->getScalarSizeInBits() % 8)
        refuse(*i);
      i->replaceAllUsesWith(load_lanes(build, *from));
    } else if (const auto* to = llvm::dyn_cast<llvm::StoreInst>(i)) {
      const Value& value = *to->getValueOperand();
      if (to->isVolatile() || vector_type(value) == nullptr ||
          value.getType()->getScalarSizeInBits() % 8)
        refuse(*i);
      store_lanes(build, *to);
    } else if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(i);
               cast && !i->getType()->isPtrOrPtrVectorTy()) {
      i->replaceAllUsesWith(recast_lanes(build, *cast));
    } else if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(i);
               extract && !llvm::isa<llvm::ConstantInt>(extract->getIndexOperand())) {
      i->replaceAllUsesWith(chosen_lane(build, *extract));
    } else if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(i);
               insert && !llvm::isa<llvm::ConstantInt>(insert->getOperand(2))) {
      i->replaceAllUsesWith(with_chosen_lane(build, *insert));
    } else {
      continue;
    }
    i->eraseFromParent();
  }
  return !all.empty();
}

bool has_switches(const llvm::Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return llvm::isa<llvm::SwitchInst>(block.getTerminator());
  });
}

}  // namespace

void lower(llvm::Module& module) {
  expand_memory_intrinsics(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    bool changed = false;
    if (llvm::any_of(llvm::instructions(function), has_vectors)) {
      run_passes(function, "scalarize-masked-mem-intrin");
      expand_intrinsics(function);
      split_vectors(function);
      run_passes(function, "scalarizer,instsimplify,dce");
      changed = true;
    }
    changed |= expand_intrinsics(function);
    if (has_switches(function)) run_passes(function, kLowerSwitches), changed = true;
    if (changed) run_passes(function, "early-cse,dce,simplifycfg");
    // Simplification may have introduced other widths.
    if (widen_odd_integers(function)) run_passes(function, "dce");
  }
}

}  // namespace tinytune::portable_c
