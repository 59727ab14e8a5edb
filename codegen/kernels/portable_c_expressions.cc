#include "codegen/kernels/portable_c_expressions.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

namespace tinytune::portable_c {

void refuse(const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  throw Unsupported{text};
}

bool is_opaque(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  const auto* text = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  return text != nullptr && text->getAsmString().empty();
}

Width Expressions::width_of(const llvm::Value& value) const {
  const llvm::Type* type = value.getType();
  if (type->isPointerTy()) return Width::kPointer;
  if (type->isIntegerTy()) {
    if (const auto width = width_of_bits(type->getIntegerBitWidth())) return *width;
  }
  refuse(value);
}

std::string Expressions::constant(const llvm::Constant& value) const {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return literal(width_of(value), number->getZExtValue());
  if (llvm::isa<llvm::UndefValue>(value)) return literal(width_of(value), 0);
  if (llvm::isa<llvm::ConstantPointerNull>(value)) return "NULL";
  refuse(value);
}

std::string Expressions::use(const llvm::Value& value) const {
  if (const auto* c = llvm::dyn_cast<llvm::Constant>(&value)) return constant(*c);
  if (const auto folded = folded_.find(&value); folded != folded_.end()) return folded->second;
  const auto name = names_.find(&value);
  if (name == names_.end()) refuse(value);
  return name->second;
}

std::string Expressions::as_signed(const llvm::Value& value) const {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return signed_literal(width_of(value), number->getSExtValue());
  if (width_of(value) == Width::k1) refuse(value);
  return signed_of(width_of(value), use(value));
}

namespace {

bool is_signed_word(const llvm::Value& value) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return number->getValue().isSignedIntN(32);
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(&value);
  if (cast == nullptr) return false;
  const unsigned bits = cast->getSrcTy()->getScalarSizeInBits();
  return (cast->getOpcode() == llvm::Instruction::SExt && bits <= 32) ||
         (cast->getOpcode() == llvm::Instruction::ZExt && bits < 32);
}

}  // namespace

std::string Expressions::arithmetic(const llvm::BinaryOperator& i) const {
  const llvm::Value &a = *i.getOperand(0), &b = *i.getOperand(1);
  const Width width = width_of(i);
  const auto wraps = [&](const char* op) { return wrapping(width, use(a), op, use(b)); };
  const auto of_signed = [&](const char* op, const std::string& right) {
    return cast_to(width, "(" + as_signed(a) + " " + op + " " + right + ")");
  };
  switch (i.getOpcode()) {
    case llvm::Instruction::Add:
      for (const auto& [product, sum] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        const auto* mul = llvm::dyn_cast<llvm::BinaryOperator>(product);
        if (width == Width::k32 && mul != nullptr && mul->getOpcode() == llvm::Instruction::Mul &&
            folded_.contains(mul) && !llvm::isa<llvm::Constant>(mul->getOperand(1)))
          return fmt::format("TINYTUNE_MAC({}, {}, {})", use(*sum), use(*mul->getOperand(0)),
                             use(*mul->getOperand(1)));
      }
      return wraps("+");
    case llvm::Instruction::Sub:
      return wraps("-");
    case llvm::Instruction::Mul:
      // Compilers recognise a product of widened words by its signed form, which cannot overflow.
      if (width == Width::k64 && (i.hasNoSignedWrap() || (is_signed_word(a) && is_signed_word(b))))
        return fmt::format("(uint64_t)({} * {})", as_signed(a), as_signed(b));
      return wraps("*");
    case llvm::Instruction::UDiv:
      return wraps("/");
    case llvm::Instruction::URem:
      return wraps("%");
    case llvm::Instruction::SDiv:
      return of_signed("/", as_signed(b));
    case llvm::Instruction::SRem:
      return of_signed("%", as_signed(b));
    case llvm::Instruction::Shl:
      return wraps("<<");
    case llvm::Instruction::LShr:
      return wraps(">>");
    case llvm::Instruction::AShr:
      return of_signed(">>", use(b));
    case llvm::Instruction::And:
      return wraps("&");
    case llvm::Instruction::Or:
      return wraps("|");
    case llvm::Instruction::Xor:
      return wraps("^");
    default:
      refuse(i);
  }
}

std::string Expressions::compare(const llvm::ICmpInst& i) const {
  const llvm::Value &a = *i.getOperand(0), &b = *i.getOperand(1);
  static const std::map<llvm::CmpInst::Predicate, const char*> kSigns = {
      {llvm::CmpInst::ICMP_EQ, "=="}, {llvm::CmpInst::ICMP_NE, "!="},
      {llvm::CmpInst::ICMP_ULT, "<"}, {llvm::CmpInst::ICMP_ULE, "<="},
      {llvm::CmpInst::ICMP_UGT, ">"}, {llvm::CmpInst::ICMP_UGE, ">="},
      {llvm::CmpInst::ICMP_SLT, "<"}, {llvm::CmpInst::ICMP_SLE, "<="},
      {llvm::CmpInst::ICMP_SGT, ">"}, {llvm::CmpInst::ICMP_SGE, ">="},
  };
  const bool is_signed = i.isSigned();
  return fmt::format("({} {} {})", is_signed ? as_signed(a) : use(a), kSigns.at(i.getPredicate()),
                     is_signed ? as_signed(b) : use(b));
}

std::string Expressions::convert(const llvm::CastInst& i) const {
  const llvm::Value& from = *i.getOperand(0);
  const Width width = width_of(i);
  switch (i.getOpcode()) {
    case llvm::Instruction::ZExt:
      return cast_to(width, use(from));
    case llvm::Instruction::SExt:
      return sign_extended(width, width_of(from), use(from));
    case llvm::Instruction::Trunc:
      return width == Width::k1 ? "(int)(" + use(from) + " & 1u)" : cast_to(width, use(from));
    case llvm::Instruction::PtrToInt:
      return cast_to(width, "(uintptr_t)" + use(from));
    case llvm::Instruction::IntToPtr:
      return "(unsigned char *)(uintptr_t)" + use(from);
    case llvm::Instruction::BitCast:
      if (width == Width::kPointer) return use(from);
      [[fallthrough]];
    default:
      refuse(i);
  }
}

std::string Expressions::address(const llvm::GEPOperator& i) const {
  std::string text = use(*i.getPointerOperand());
  int64_t bytes = 0;
  for (auto index = llvm::gep_type_begin(i); index != llvm::gep_type_end(i); ++index) {
    if (index.getStructTypeOrNull() != nullptr) refuse(i);
    const auto size = static_cast<int64_t>(layout_.getTypeAllocSize(index.getIndexedType()));
    if (const auto* fixed = llvm::dyn_cast<llvm::ConstantInt>(index.getOperand()))
      bytes += size * fixed->getSExtValue();
    else
      text += fmt::format(" + {}(ptrdiff_t){}", size == 1 ? "" : std::to_string(size) + " * ",
                          as_signed(*index.getOperand()));
  }
  if (bytes != 0) text += fmt::format(" {} {}", bytes < 0 ? "-" : "+", std::abs(bytes));
  return "(" + text + ")";
}

std::string Expressions::intrinsic(const llvm::IntrinsicInst& i) const {
  const auto choose = [&](const char* sign, bool is_signed) {
    const llvm::Value &a = *i.getArgOperand(0), &b = *i.getArgOperand(1);
    return fmt::format("({} {} {} ? {} : {})", is_signed ? as_signed(a) : use(a), sign,
                       is_signed ? as_signed(b) : use(b), use(a), use(b));
  };
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::smin:
      return choose("<", true);
    case llvm::Intrinsic::smax:
      return choose(">", true);
    case llvm::Intrinsic::umin:
      return choose("<", false);
    case llvm::Intrinsic::umax:
      return choose(">", false);
    case llvm::Intrinsic::abs: {
      const std::string a = use(*i.getArgOperand(0));
      return fmt::format("({} < 0 ? {} : {})", as_signed(*i.getArgOperand(0)),
                         wrapping(width_of(i), "0u", "-", a), a);
    }
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr: {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i.getArgOperand(2));
      if (width_of(i) != Width::k32 || by == nullptr) refuse(i);
      const uint64_t bits = by->getZExtValue() % 32;
      const uint64_t left = i.getIntrinsicID() == llvm::Intrinsic::fshl ? bits : (32 - bits) % 32;
      const std::string high = use(*i.getArgOperand(0)), low = use(*i.getArgOperand(1));
      if (left == 0) return i.getIntrinsicID() == llvm::Intrinsic::fshl ? high : low;
      return fmt::format("({} << {} | {} >> {})", high, left, low, 32 - left);
    }
    default:
      refuse(i);
  }
}

std::string Expressions::load(const llvm::LoadInst& i) const {
  if (i.isVolatile()) refuse(i);
  const Width width = width_of(i);
  if (width == Width::kPointer) refuse(i);
  if (width == Width::k1) return "(*" + use(*i.getPointerOperand()) + " & 1)";
  const bool aligned = i.getAlign().value() * 8 >= i.getType()->getIntegerBitWidth();
  return portable_c::load(width, aligned, use(*i.getPointerOperand()));
}

std::string Expressions::store(const llvm::StoreInst& i) const {
  if (i.isVolatile()) refuse(i);
  const llvm::Value& value = *i.getValueOperand();
  const Width width = width_of(value);
  if (width == Width::kPointer) refuse(i);
  if (width == Width::k1)
    return "*" + use(*i.getPointerOperand()) + " = (unsigned char)" + use(value);
  const bool aligned = i.getAlign().value() * 8 >= value.getType()->getIntegerBitWidth();
  return portable_c::store(width, aligned, use(*i.getPointerOperand()), use(value));
}

std::string Expressions::of(const llvm::Instruction& i) const {
  if (const auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return arithmetic(*op);
  if (const auto* op = llvm::dyn_cast<llvm::ICmpInst>(&i)) return compare(*op);
  if (const auto* op = llvm::dyn_cast<llvm::CastInst>(&i)) return convert(*op);
  if (const auto* op = llvm::dyn_cast<llvm::GEPOperator>(&i)) return address(*op);
  if (const auto* op = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) return intrinsic(*op);
  if (const auto* op = llvm::dyn_cast<llvm::LoadInst>(&i)) return load(*op);
  if (llvm::isa<llvm::FreezeInst>(i) || is_opaque(i)) return use(*i.getOperand(0));
  if (llvm::isa<llvm::SelectInst>(i))
    return fmt::format("({} ? {} : {})", use(*i.getOperand(0)), use(*i.getOperand(1)),
                       use(*i.getOperand(2)));
  refuse(i);
}

}  // namespace tinytune::portable_c
