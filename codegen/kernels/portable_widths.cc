// Computes integers of widths that C does not have in the next wider one that it has.
//
// Induction variables give 33 bits where a product of two 32-bit counts is summed, and narrowing
// gives 24. A widened value is kept zero-extended: what may carry into the upper bits is masked,
// and what reads a sign extends it first.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <vector>

#include "codegen/kernels/llvm_pointers.h"
#include "codegen/kernels/portable_c_expressions.h"
#include "codegen/kernels/portable_lowering.h"

namespace tinytune::portable_c {
namespace {

using llvm::Value;
using Op = llvm::Instruction;

unsigned next_width(unsigned bits) {
  return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

bool is_odd(const llvm::Type* type) {
  if (!type->isIntegerTy() || type->isIntegerTy(1)) return false;
  const unsigned bits = type->getIntegerBitWidth();
  return bits <= 64 && bits != next_width(bits);
}

class Widening {
 public:
  explicit Widening(llvm::Function& function)
      : function_(function), build_(function.getContext()) {}

  bool run();

 private:
  llvm::Type* wide_type(const llvm::Type* type) {
    return build_.getIntNTy(next_width(type->getIntegerBitWidth()));
  }
  Value* wide(Value* value);
  Value* with_sign(Value* value);
  /// Masks a value to the bits of `type`.
  Value* cut(Value* value, const llvm::Type* type) {
    const auto mask = llvm::APInt::getLowBitsSet(value->getType()->getIntegerBitWidth(),
                                                 type->getIntegerBitWidth());
    return build_.CreateAnd(value, llvm::ConstantInt::get(value->getType(), mask));
  }
  Value* widened(Op& i);
  Value* arithmetic(const llvm::BinaryOperator& i);
  Value* cast(const llvm::CastInst& i);
  Value* call(const llvm::IntrinsicInst& i);
  Value* load(const llvm::LoadInst& i);
  void store(const llvm::StoreInst& i);

  llvm::Function& function_;
  llvm::IRBuilder<> build_;
  std::map<const Value*, Value*> wide_;
};

Value* Widening::wide(Value* value) {
  if (!is_odd(value->getType())) return value;
  llvm::Type* type = wide_type(value->getType());
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(value))
    return llvm::ConstantInt::get(type, c->getZExtValue());
  if (llvm::isa<llvm::UndefValue>(value)) return llvm::Constant::getNullValue(type);
  const auto known = wide_.find(value);
  if (known == wide_.end()) refuse(*value);
  return known->second;
}

Value* Widening::with_sign(Value* value) {
  Value* word = wide(value);
  if (word == value) return word;
  const unsigned by =
      word->getType()->getIntegerBitWidth() - value->getType()->getIntegerBitWidth();
  return build_.CreateAShr(build_.CreateShl(word, by), by);
}

Value* Widening::arithmetic(const llvm::BinaryOperator& i) {
  const bool is_signed =
      i.getOpcode() == Op::SDiv || i.getOpcode() == Op::SRem || i.getOpcode() == Op::AShr;
  Value *a = i.getOperand(0), *b = i.getOperand(1);
  a = is_signed ? with_sign(a) : wide(a);
  b = is_signed && i.getOpcode() != Op::AShr ? with_sign(b) : wide(b);
  return cut(build_.CreateBinOp(i.getOpcode(), a, b), i.getType());
}

Value* Widening::cast(const llvm::CastInst& i) {
  Value* from = i.getOpcode() == Op::SExt ? with_sign(i.getOperand(0)) : wide(i.getOperand(0));
  llvm::Type* to = is_odd(i.getType()) ? wide_type(i.getType()) : i.getType();
  Value* result = nullptr;
  switch (i.getOpcode()) {
    case Op::SExt:
      result = build_.CreateSExtOrTrunc(from, to);
      break;
    case Op::ZExt:
    case Op::Trunc:
      result = build_.CreateZExtOrTrunc(from, to);
      break;
    case Op::PtrToInt:
    case Op::IntToPtr:
      result = build_.CreateCast(i.getOpcode(), from, to);
      break;
    default:
      refuse(i);
  }
  return is_odd(i.getType()) && i.getOpcode() != Op::ZExt ? cut(result, i.getType()) : result;
}

Value* Widening::call(const llvm::IntrinsicInst& i) {
  const auto id = i.getIntrinsicID();
  if (!is_printed(i)) refuse(i);
  const bool is_signed = id != llvm::Intrinsic::umin && id != llvm::Intrinsic::umax;
  std::vector<Value*> arguments;
  for (Value* argument : i.args())
    arguments.push_back(is_signed ? with_sign(argument) : wide(argument));
  return cut(build_.CreateIntrinsic(id, {wide_type(i.getType())}, arguments), i.getType());
}

Value* byte_at(llvm::IRBuilder<>& build, Value* address, unsigned byte) {
  Value* bytes = build.CreatePointerCast(
      address, pointer_to(build.getInt8Ty(), address->getType()->getPointerAddressSpace()));
  return build.CreateConstInBoundsGEP1_32(build.getInt8Ty(), bytes, byte);
}

Value* Widening::load(const llvm::LoadInst& i) {
  const unsigned bits = i.getType()->getIntegerBitWidth();
  if (i.isVolatile() || bits % 8 != 0) refuse(i);
  llvm::Type* type = wide_type(i.getType());
  Value* word = llvm::Constant::getNullValue(type);
  for (unsigned byte = 0; byte < bits / 8; ++byte) {
    Value* one =
        build_.CreateLoad(build_.getInt8Ty(), byte_at(build_, wide(i.getOperand(0)), byte));
    word = build_.CreateOr(word, build_.CreateShl(build_.CreateZExt(one, type), 8 * byte));
  }
  return word;
}

void Widening::store(const llvm::StoreInst& i) {
  const unsigned bits = i.getValueOperand()->getType()->getIntegerBitWidth();
  if (i.isVolatile() || bits % 8 != 0) refuse(i);
  Value* word = wide(const_cast<Value*>(i.getValueOperand()));
  for (unsigned byte = 0; byte < bits / 8; ++byte)
    build_.CreateStore(build_.CreateTrunc(build_.CreateLShr(word, 8 * byte), build_.getInt8Ty()),
                       byte_at(build_, const_cast<Value*>(i.getPointerOperand()), byte));
}

Value* Widening::widened(Op& i) {
  if (const auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return arithmetic(*op);
  if (const auto* op = llvm::dyn_cast<llvm::CastInst>(&i)) return cast(*op);
  if (const auto* op = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) return call(*op);
  if (const auto* op = llvm::dyn_cast<llvm::LoadInst>(&i)) return load(*op);
  if (auto* op = llvm::dyn_cast<llvm::ICmpInst>(&i)) {
    Value *a = op->getOperand(0), *b = op->getOperand(1);
    return op->isSigned() ? build_.CreateICmp(op->getPredicate(), with_sign(a), with_sign(b))
                          : build_.CreateICmp(op->getPredicate(), wide(a), wide(b));
  }
  if (llvm::isa<llvm::SelectInst>(i))
    return build_.CreateSelect(i.getOperand(0), wide(i.getOperand(1)), wide(i.getOperand(2)));
  if (llvm::isa<llvm::FreezeInst>(i)) return build_.CreateFreeze(wide(i.getOperand(0)));
  if (auto* op = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    auto* copy = llvm::cast<llvm::GetElementPtrInst>(op->clone());
    for (unsigned index = 1; index < copy->getNumOperands(); ++index)
      copy->setOperand(index, with_sign(op->getOperand(index)));
    return build_.Insert(copy);
  }
  refuse(i);
}

bool Widening::run() {
  std::vector<Op*> odd;
  std::vector<llvm::PHINode*> phis;
  const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function_);
  for (llvm::BasicBlock* block : blocks)
    for (Op& i : *block) {
      const bool reads = llvm::any_of(
          i.operands(), [](const auto& operand) { return is_odd(operand->getType()); });
      if (reads || is_odd(i.getType())) odd.push_back(&i);
    }
  for (Op* i : odd)
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
      build_.SetInsertPoint(phi);
      wide_[phi] = build_.CreatePHI(wide_type(phi->getType()), phi->getNumIncomingValues());
      phis.push_back(phi);
    }
  std::vector<Op*> replaced;
  for (Op* i : odd) {
    if (llvm::isa<llvm::PHINode>(i)) continue;
    build_.SetInsertPoint(i);
    replaced.push_back(i);
    if (const auto* to = llvm::dyn_cast<llvm::StoreInst>(i)) {
      store(*to);
      continue;
    }
    Value* value = widened(*i);
    if (is_odd(i->getType()))
      wide_[i] = value;
    else
      i->replaceAllUsesWith(value);
  }
  for (llvm::PHINode* phi : phis) {
    auto* to = llvm::cast<llvm::PHINode>(wide_[phi]);
    for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n)
      to->addIncoming(wide(phi->getIncomingValue(n)), phi->getIncomingBlock(n));
    replaced.push_back(phi);
  }
  for (Op* i : replaced) i->dropAllReferences();
  for (Op* i : replaced) {
    if (!i->use_empty()) i->replaceAllUsesWith(llvm::UndefValue::get(i->getType()));
    i->eraseFromParent();
  }
  return !odd.empty();
}

}  // namespace

bool widen_odd_integers(llvm::Function& function) { return Widening(function).run(); }

}  // namespace tinytune::portable_c
