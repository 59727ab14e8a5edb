#include "simulator/rvv/operands.h"

namespace tinytune::rvv {
namespace {

constexpr int kMaskLog = -3;  // a bit is 2^-3 bytes

/// A group of registers: the first, log2 of their number, log2 of an element's bytes.
struct Group {
  unsigned reg;
  int lmul_log, sew_log;
  unsigned count() const { return lmul_log <= 0 ? 1u : 1u << lmul_log; }
  unsigned end() const { return reg + count(); }
  bool aligned() const { return reg % count() == 0; }
};

bool meet(const Group& a, const Group& b) { return a.reg < b.end() && b.reg < a.end(); }

/// Returns whether a destination may overlap a source. With elements of another width, each must be
/// read before its place is written: a narrower destination may be the lowest registers of the
/// source, a narrower source the highest registers of the destination.
bool may_share(const Group& to, const Group& from) {
  if (!meet(to, from) || to.sew_log == from.sew_log) return true;
  if (to.sew_log < from.sew_log) return to.reg == from.reg;
  return from.lmul_log >= 0 && to.end() == from.end();
}

constexpr const char* kAlignment = "register is no multiple of the group's size";
constexpr const char* kSharing = "destination overlaps a source";
constexpr const char* kMask = "destination is the mask v0";
constexpr const char* kMasking = "this instruction has no such mask operand";
constexpr const char* kWidth = "no element is as wide as that (ELEN is 32, LMUL at most 8)";
constexpr const char* kStart = "vstart is not 0";

bool starts_at_zero(const Operands& of) {
  switch (of.shape) {
    case Shape::kReduce:
    case Shape::kWidenReduce:
    case Shape::kCompress:
      return true;
    case Shape::kMaskUnary:
      return of.code.vs1() != 17;  // vid
    case Shape::kToScalar:
      return of.code.vs1() != 0;  // vmv.x.s
    default:
      return false;
  }
}

/// Checks destination and sources, in the order that they are named.
const char* check(const Group& to, std::initializer_list<Group> from, bool disjoint = false) {
  if (!to.aligned()) return kAlignment;
  for (const Group& source : from) {
    if (!source.aligned()) return kAlignment;
    if (disjoint ? meet(to, source) : !may_share(to, source)) return kSharing;
  }
  return nullptr;
}

const char* refusal_of_mask_unary(const Operands& of, const Group& to, const Group& mask) {
  constexpr unsigned kVid = 17, kViota = 16;
  const unsigned what = of.code.vs1();
  if (of.code.masked() && to.reg == 0) return kMask;
  if (what == kVid) return to.aligned() ? nullptr : kAlignment;
  if (what == kViota) return check(to, {mask}, true);
  return to.reg == mask.reg ? kSharing : nullptr;
}

}  // namespace

const char* refusal_of(const State& state, const Operands& of) {
  if (!state.legal()) return "vtype is illegal (vill)";
  if (state.vstart != 0 && starts_at_zero(of)) return kStart;
  const int sew = state.sew_log(), lmul = state.lmul_log();
  const bool masked = of.code.masked();
  const Group to{of.code.vd(), lmul, sew}, a{of.code.vs2(), lmul, sew};
  // A scalar operand has no registers: `a` stands in for it, and changes no check.
  const Group b = of.vector ? Group{of.code.vs1(), lmul, sew} : Group{a.reg, lmul, sew};
  const Group mask_to{to.reg, 0, kMaskLog}, mask_a{a.reg, 0, kMaskLog};
  const Group wide_to{to.reg, lmul + 1, sew + 1}, wide_a{a.reg, lmul + 1, sew + 1};
  const bool can_widen = lmul < 3 && sew < 2;
  const char* const mask_clash = masked && to.reg == 0 ? kMask : nullptr;
  switch (of.shape) {
    case Shape::kSame:
    case Shape::kSlideDown:
      return mask_clash != nullptr ? mask_clash : check(to, {a, b});
    case Shape::kMaskResult:
    case Shape::kCarryOut:
      return check(mask_to, {a, b});
    case Shape::kCarry:
      if (!masked) return kMasking;
      return to.reg == 0 ? kMask : check(to, {a, b});
    case Shape::kMerge:
      if (masked) return to.reg == 0 ? kMask : check(to, {a, b});
      if (a.reg != 0) return kMasking;
      return of.vector ? check(to, {b}) : check(to, {});
    case Shape::kWiden:
      if (!can_widen) return kWidth;
      return mask_clash != nullptr ? mask_clash : check(wide_to, {a, b});
    case Shape::kWidenFirst:
      if (!can_widen) return kWidth;
      if (mask_clash != nullptr) return mask_clash;
      return of.vector ? check(wide_to, {wide_a, b}) : check(wide_to, {wide_a});
    case Shape::kNarrow:
      if (!can_widen) return kWidth;
      if (mask_clash != nullptr) return mask_clash;
      return of.vector ? check(to, {wide_a, b}) : check(to, {wide_a});
    case Shape::kReduce:
      return a.aligned() ? nullptr : kAlignment;
    case Shape::kWidenReduce:
      if (sew >= 2) return kWidth;
      return a.aligned() ? nullptr : kAlignment;
    case Shape::kMaskLogic:
      return masked ? kMasking : nullptr;
    case Shape::kGather:
    case Shape::kSlideUp:
      return mask_clash != nullptr ? mask_clash : check(to, {a, b}, true);
    case Shape::kGather16: {
      const Group indices{of.code.vs1(), lmul + 1 - sew, 1};
      if (indices.lmul_log < -3 || indices.lmul_log > 3) return kWidth;
      return mask_clash != nullptr ? mask_clash : check(to, {a, indices}, true);
    }
    case Shape::kCompress:
      if (masked) return kMasking;
      return check(to, {a, Group{of.code.vs1(), 0, kMaskLog}}, true);
    case Shape::kExtend: {
      const int factor = of.code.vs1() >= 6 ? 1 : 2;
      const Group from{a.reg, lmul - factor, sew - factor};
      if (from.sew_log < 0 || from.lmul_log < -3) return kWidth;
      return mask_clash != nullptr ? mask_clash : check(to, {from});
    }
    case Shape::kMaskUnary:
      return refusal_of_mask_unary(of, to, mask_a);
    case Shape::kToScalar:
      return of.code.vs1() == 0 && masked ? kMasking : nullptr;
    case Shape::kFromScalar:
      return masked || a.reg != 0 ? kMasking : nullptr;
    case Shape::kWholeRegisters:
      return to.reg % (of.code.vs1() + 1) != 0 || a.reg % (of.code.vs1() + 1) != 0 ? kAlignment
                                                                                   : nullptr;
    case Shape::kNone:
      break;
  }
  return "undefined";
}

}  // namespace tinytune::rvv
