// The expansion of each integer intrinsic, a row of a table.
//
// Builders fold constants and work on vectors as on scalars, so a row is the definition in LLVM's
// language reference. Arguments are not frozen here: an expansion that reads one twice reads a
// value that LLVM has proved is no poison where the intrinsic's result is used.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <functional>
#include <map>
#include <vector>

#include "codegen/kernels/portable_lowering.h"

namespace tinytune::portable_c {
namespace {

using Build = llvm::IRBuilder<>;
using llvm::Value;
using Call = llvm::IntrinsicInst;
using Expand = std::function<Value*(Build&, const Call&)>;

unsigned bits_of(const Value* value) { return value->getType()->getScalarSizeInBits(); }

Value* number(const Value* like, const llvm::APInt& value) {
  return llvm::ConstantInt::get(like->getType(), value);
}
Value* number(const Value* like, uint64_t value) {
  return llvm::ConstantInt::get(like->getType(), value);
}
Value* zero(const Value* like) { return llvm::Constant::getNullValue(like->getType()); }

struct Checked {
  Value *result, *overflows;
};

Checked add(Build& b, Value* x, Value* y, bool is_signed) {
  Value* sum = b.CreateAdd(x, y);
  if (!is_signed) return {sum, b.CreateICmpULT(sum, x)};
  // Overflow: both terms have the sign that the sum lacks.
  Value* crossed = b.CreateAnd(b.CreateXor(sum, x), b.CreateXor(sum, y));
  return {sum, b.CreateICmpSLT(crossed, zero(sum))};
}

Checked subtract(Build& b, Value* x, Value* y, bool is_signed) {
  Value* difference = b.CreateSub(x, y);
  if (!is_signed) return {difference, b.CreateICmpULT(x, y)};
  Value* crossed = b.CreateAnd(b.CreateXor(x, y), b.CreateXor(difference, x));
  return {difference, b.CreateICmpSLT(crossed, zero(x))};
}

Value* extend(Build& b, Value* x, llvm::Type* to, bool is_signed) {
  return is_signed ? b.CreateSExt(x, to) : b.CreateZExt(x, to);
}

// Finds overflow up to 32 bits by a product of 64, and of 64 bits by dividing the product again.
Checked multiply(Build& b, Value* x, Value* y, bool is_signed) {
  Value* product = b.CreateMul(x, y);
  if (bits_of(x) <= 32) {
    llvm::Type* wide = x->getType()->getWithNewBitWidth(64);
    Value* exact = b.CreateMul(extend(b, x, wide, is_signed), extend(b, y, wide, is_signed));
    return {product, b.CreateICmpNE(exact, extend(b, product, wide, is_signed))};
  }
  Value* divides = b.CreateICmpNE(x, zero(x));
  Value* extreme = llvm::ConstantInt::getFalse(divides->getType());
  if (is_signed) {  // the least number divided by -1 is undefined
    Value* minus = b.CreateICmpEQ(x, llvm::Constant::getAllOnesValue(x->getType()));
    Value* least = number(y, llvm::APInt::getSignedMinValue(bits_of(y)));
    extreme = b.CreateAnd(minus, b.CreateICmpEQ(y, least));
    divides = b.CreateAnd(divides, b.CreateNot(minus));
  }
  Value* divisor = b.CreateSelect(divides, x, number(x, 1));
  Value* quotient = is_signed ? b.CreateSDiv(product, divisor) : b.CreateUDiv(product, divisor);
  Value* lost = b.CreateAnd(divides, b.CreateICmpNE(quotient, y));
  return {product, b.CreateOr(lost, extreme)};
}

/// Replaces a result that overflows by the least value if `below_zero`, else by the greatest.
Value* saturated(Build& b, const Checked& checked, Value* below_zero) {
  const unsigned bits = bits_of(checked.result);
  Value* limit =
      b.CreateSelect(below_zero, number(checked.result, llvm::APInt::getSignedMinValue(bits)),
                     number(checked.result, llvm::APInt::getSignedMaxValue(bits)));
  return b.CreateSelect(checked.overflows, limit, checked.result);
}

using Check = Checked (*)(Build&, Value*, Value*, bool);

Expand with_overflow(Check check, bool is_signed) {
  return [=](Build& b, const Call& i) {
    const Checked checked = check(b, i.getArgOperand(0), i.getArgOperand(1), is_signed);
    Value* pair = b.CreateInsertValue(llvm::UndefValue::get(i.getType()), checked.result, 0);
    return b.CreateInsertValue(pair, checked.overflows, 1);
  };
}

Expand signed_saturating(Check check) {
  return [=](Build& b, const Call& i) {
    Value *x = i.getArgOperand(0), *y = i.getArgOperand(1);
    return saturated(b, check(b, x, y, true), b.CreateICmpSLT(x, zero(x)));
  };
}

Value* unsigned_add_saturating(Build& b, const Call& i) {
  const Checked sum = add(b, i.getArgOperand(0), i.getArgOperand(1), false);
  return b.CreateSelect(sum.overflows, llvm::Constant::getAllOnesValue(i.getType()), sum.result);
}

Value* unsigned_subtract_saturating(Build& b, const Call& i) {
  const Checked rest = subtract(b, i.getArgOperand(0), i.getArgOperand(1), false);
  return b.CreateSelect(rest.overflows, zero(&i), rest.result);
}

Expand shift_saturating(bool is_signed) {
  return [=](Build& b, const Call& i) {
    Value *x = i.getArgOperand(0), *by = i.getArgOperand(1);
    Value* shifted = b.CreateShl(x, by);
    Value* back = is_signed ? b.CreateAShr(shifted, by) : b.CreateLShr(shifted, by);
    const Checked checked{shifted, b.CreateICmpNE(back, x)};
    if (is_signed) return saturated(b, checked, b.CreateICmpSLT(x, zero(x)));
    return b.CreateSelect(checked.overflows, llvm::Constant::getAllOnesValue(x->getType()),
                          shifted);
  };
}

/// A product with `scale` fraction bits, rounded down. Not of 64 bits, which would need 128.
Expand fixed_product(bool is_signed, bool saturates) {
  return [=](Build& b, const Call& i) -> Value* {
    const unsigned bits = bits_of(&i);
    if (bits > 32) return nullptr;
    llvm::Type* wide = i.getType()->getWithNewBitWidth(64);
    Value* product = b.CreateMul(extend(b, i.getArgOperand(0), wide, is_signed),
                                 extend(b, i.getArgOperand(1), wide, is_signed));
    const uint64_t scale = llvm::cast<llvm::ConstantInt>(i.getArgOperand(2))->getZExtValue();
    product = is_signed ? b.CreateAShr(product, scale) : b.CreateLShr(product, scale);
    if (saturates) {
      const auto limit = [&](const llvm::APInt& value) {
        return number(product, is_signed ? value.sext(64) : value.zext(64));
      };
      const auto least = llvm::APInt::getSignedMinValue(bits);
      const auto most =
          is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
      if (is_signed)
        product = b.CreateSelect(b.CreateICmpSLT(product, limit(least)), limit(least), product);
      Value* above =
          is_signed ? b.CreateICmpSGT(product, limit(most)) : b.CreateICmpUGT(product, limit(most));
      product = b.CreateSelect(above, limit(most), product);
    }
    return b.CreateTrunc(product, i.getType());
  };
}

/// A shift by the width is undefined, so the other word is shifted by one and then by the rest.
Expand funnel_shift(bool is_left) {
  return [=](Build& b, const Call& i) {
    Value *high = i.getArgOperand(0), *low = i.getArgOperand(1);
    const unsigned bits = bits_of(&i);
    Value* by = b.CreateURem(i.getArgOperand(2), number(high, bits));
    Value* rest = b.CreateSub(number(high, bits - 1), by);
    if (is_left) return b.CreateOr(b.CreateShl(high, by), b.CreateLShr(b.CreateLShr(low, 1), rest));
    return b.CreateOr(b.CreateShl(b.CreateShl(high, 1), rest), b.CreateLShr(low, by));
  };
}

/// The bits whose index lacks bit `step`: 0101… for 1, 00110011… for 2.
llvm::APInt low_of_each(unsigned bits, unsigned step) {
  llvm::APInt mask(bits, 0);
  for (unsigned bit = 0; bit < bits; ++bit)
    if ((bit / step) % 2 == 0) mask.setBit(bit);
  return mask;
}

Value* bits_set(Build& b, Value* x) {
  const unsigned bits = bits_of(x);
  for (unsigned step = 1; step < bits; step *= 2) {
    Value* mask = number(x, low_of_each(bits, step));
    x = b.CreateAdd(b.CreateAnd(x, mask), b.CreateAnd(b.CreateLShr(x, step), mask));
  }
  return x;
}

Value* leading_zeros(Build& b, Value* x) {
  for (unsigned step = 1; step < bits_of(x); step *= 2) x = b.CreateOr(x, b.CreateLShr(x, step));
  return bits_set(b, b.CreateNot(x));
}

Value* trailing_zeros(Build& b, Value* x) {
  return bits_set(b, b.CreateAnd(b.CreateNot(x), b.CreateSub(x, number(x, 1))));
}

/// Reverses the order of pieces of `first` bits: neighbours are swapped, then pairs of them, ….
Value* reversed(Build& b, Value* x, unsigned first) {
  const unsigned bits = bits_of(x);
  Value* result = zero(x);
  if ((bits & (bits - 1)) != 0) {  // 24 or 48 bits: piece by piece
    for (unsigned at = 0; at < bits; at += first) {
      Value* piece = b.CreateAnd(b.CreateLShr(x, at), number(x, (1u << first) - 1));
      result = b.CreateOr(result, b.CreateShl(piece, bits - first - at));
    }
    return result;
  }
  for (unsigned step = first; step < bits; step *= 2) {
    Value* mask = number(x, low_of_each(bits, step));
    x = b.CreateOr(b.CreateShl(b.CreateAnd(x, mask), step),
                   b.CreateAnd(b.CreateLShr(x, step), mask));
  }
  return x;
}

Expand unary(Value* (*of)(Build&, Value*)) {
  return [=](Build& b, const Call& i) { return of(b, i.getArgOperand(0)); };
}

Expand reduction(Value* (*step)(Build&, Value*, Value*)) {
  return [=](Build& b, const Call& i) -> Value* {
    Value* vector = i.getArgOperand(0);
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
    if (type == nullptr) return nullptr;
    Value* sum = b.CreateExtractElement(vector, uint64_t{0});
    for (unsigned lane = 1; lane < type->getNumElements(); ++lane)
      sum = step(b, sum, b.CreateExtractElement(vector, lane));
    return sum;
  };
}

Expand smaller(llvm::CmpInst::Predicate first_if) {
  return [=](Build& b, const Call& i) -> Value* {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(i.getArgOperand(0)->getType());
    if (type == nullptr) return nullptr;
    Value* best = b.CreateExtractElement(i.getArgOperand(0), uint64_t{0});
    for (unsigned lane = 1; lane < type->getNumElements(); ++lane) {
      Value* other = b.CreateExtractElement(i.getArgOperand(0), lane);
      best = b.CreateSelect(b.CreateICmp(first_if, best, other), best, other);
    }
    return best;
  };
}

Value* first_argument(Build&, const Call& i) { return i.getArgOperand(0); }

/// For intrinsics that only inform the optimiser.
Value* nothing(Build&, const Call& i) { return llvm::UndefValue::get(i.getType()); }

const std::map<llvm::Intrinsic::ID, Expand>& expansions() {
  namespace I = llvm::Intrinsic;
  using P = llvm::CmpInst::Predicate;
  static const std::map<I::ID, Expand> kAll = {
      {I::sadd_with_overflow, with_overflow(add, true)},
      {I::uadd_with_overflow, with_overflow(add, false)},
      {I::ssub_with_overflow, with_overflow(subtract, true)},
      {I::usub_with_overflow, with_overflow(subtract, false)},
      {I::smul_with_overflow, with_overflow(multiply, true)},
      {I::umul_with_overflow, with_overflow(multiply, false)},
      {I::sadd_sat, signed_saturating(add)},
      {I::ssub_sat, signed_saturating(subtract)},
      {I::uadd_sat, unsigned_add_saturating},
      {I::usub_sat, unsigned_subtract_saturating},
      {I::sshl_sat, shift_saturating(true)},
      {I::ushl_sat, shift_saturating(false)},
      {I::smul_fix, fixed_product(true, false)},
      {I::umul_fix, fixed_product(false, false)},
      {I::smul_fix_sat, fixed_product(true, true)},
      {I::umul_fix_sat, fixed_product(false, true)},
      {I::fshl, funnel_shift(true)},
      {I::fshr, funnel_shift(false)},
      {I::ctpop, unary(bits_set)},
      {I::ctlz, unary(leading_zeros)},
      {I::cttz, unary(trailing_zeros)},
      {I::bswap, unary([](Build& b, Value* x) { return reversed(b, x, 8); })},
      {I::bitreverse, unary([](Build& b, Value* x) { return reversed(b, x, 1); })},
      {I::vector_reduce_add,
       reduction([](Build& b, Value* x, Value* y) { return b.CreateAdd(x, y); })},
      {I::vector_reduce_mul,
       reduction([](Build& b, Value* x, Value* y) { return b.CreateMul(x, y); })},
      {I::vector_reduce_and,
       reduction([](Build& b, Value* x, Value* y) { return b.CreateAnd(x, y); })},
      {I::vector_reduce_or,
       reduction([](Build& b, Value* x, Value* y) { return b.CreateOr(x, y); })},
      {I::vector_reduce_xor,
       reduction([](Build& b, Value* x, Value* y) { return b.CreateXor(x, y); })},
      {I::vector_reduce_smin, smaller(P::ICMP_SLT)},
      {I::vector_reduce_smax, smaller(P::ICMP_SGT)},
      {I::vector_reduce_umin, smaller(P::ICMP_ULT)},
      {I::vector_reduce_umax, smaller(P::ICMP_UGT)},
      {I::expect, first_argument},
      {I::expect_with_probability, first_argument},
      {I::ssa_copy, first_argument},
      {I::launder_invariant_group, first_argument},
      {I::strip_invariant_group, first_argument},
      {I::annotation, first_argument},
      {I::ptr_annotation, first_argument},
      {I::is_constant, [](Build& b, const Call&) { return b.getFalse(); }},
      {I::assume, nothing},
      {I::sideeffect, nothing},
      {I::donothing, nothing},
      {I::prefetch, nothing},
      {I::lifetime_start, nothing},
      {I::lifetime_end, nothing},
      {I::invariant_start, nothing},
      {I::invariant_end, nothing},
      {I::experimental_noalias_scope_decl, nothing},
      {I::var_annotation, nothing},
      {I::dbg_declare, nothing},
      {I::dbg_value, nothing},
      {I::dbg_label, nothing},
  };
  return kAll;
}

/// Splits a vector call of an intrinsic that the printer knows for scalars (`abs`, …) into one call
/// per lane.
Value* lane_by_lane(Build& b, const Call& i) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
  if (type == nullptr) return nullptr;
  Value* result = llvm::UndefValue::get(i.getType());
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    std::vector<Value*> arguments;
    for (Value* argument : i.args())
      arguments.push_back(argument->getType()->isVectorTy() ? b.CreateExtractElement(argument, lane)
                                                            : argument);
    Value* one = b.CreateIntrinsic(i.getIntrinsicID(), {type->getElementType()}, arguments);
    result = b.CreateInsertElement(result, one, lane);
  }
  return result;
}

}  // namespace

bool is_printed(const llvm::Instruction& call) {
  switch (const auto& i = llvm::cast<Call>(call); i.getIntrinsicID()) {
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::abs:
      return true;
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return i.getType()->isIntegerTy(32) && llvm::isa<llvm::ConstantInt>(i.getArgOperand(2));
    default:
      return false;
  }
}

bool expand_intrinsics(llvm::Function& function) {
  std::vector<Call*> calls;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<Call>(&i)) calls.push_back(call);
  bool changed = false;
  for (Call* call : calls) {
    Build build(call);
    const bool printed = is_printed(*call);
    if (printed && !call->getType()->isVectorTy()) continue;
    const auto row = expansions().find(call->getIntrinsicID());
    Value* value = printed                     ? lane_by_lane(build, *call)
                   : row != expansions().end() ? row->second(build, *call)
                                               : nullptr;
    if (value == nullptr) continue;
    call->replaceAllUsesWith(value);
    changed |= !call->getType()->isVoidTy();
    call->eraseFromParent();
  }
  return changed;
}

}  // namespace tinytune::portable_c
