#include "simulator/rvv/footprint.h"

#include <algorithm>

#include "simulator/rvv/configure.h"
#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

using Unit = Footprint::Unit;

constexpr unsigned kLoad = 0x07, kStore = 0x27, kConfigure = 7;
constexpr unsigned kIvv = 0, kMvv = 2, kMvx = 6;  // funct3
constexpr unsigned kWhole = 8;                    // lumop of whole registers

/// Returns 2^log registers from `first` on, at least one, a bit each.
uint32_t group(unsigned first, int log) {
  const unsigned count = log <= 0 ? 1 : 1u << std::min(log, 3);
  return static_cast<uint32_t>(((uint64_t{1} << count) - 1) << first);
}

unsigned size_of(int log) { return log <= 0 ? 1 : 1u << std::min(log, 3); }

Footprint memory_footprint(Code code, const State& state) {
  Footprint of;
  of.unit = Unit::kMemory;
  of.is_store = code.opcode() == kStore;
  const unsigned addressing = code.bits(27, 26), fields = code.bits(31, 29) + 1;
  const int width = code.funct3() == 0 ? 0 : static_cast<int>(code.funct3()) - 4;
  const bool indexed = addressing % 2 != 0;
  const bool whole = moves_whole_registers(code);
  const int log = indexed ? state.lmul_log() : width - state.sew_log() + state.lmul_log();
  of.registers = whole ? fields : fields * size_of(log);
  of.scattered = addressing != 0 || (fields > 1 && !whole);
  of.elements = fields * state.vlmax();
  uint32_t moved = 0;
  for (unsigned i = 0; i < of.registers; ++i) moved |= uint32_t{1} << ((code.vd() + i) % 32);
  (of.is_store ? of.sources[0] : of.writes) = moved;
  if (indexed) of.sources[1] = group(code.vs2(), width - state.sew_log() + state.lmul_log());
  if (code.masked()) of.sources[3] = 1;
  return of;
}

/// Returns whether the opcode is OPMVV or OPMVX, which have the products, unlike OPIVV to OPIVI.
bool is_arithmetic(Code code) { return code.funct3() == kMvv || code.funct3() == kMvx; }

bool is_product(Code code, bool multiplies) {
  const unsigned function = code.funct6();
  if (!multiplies) return function == 0x27;  // vsmul
  return (function >= 0x24 && function <= 0x2f) || function >= 0x38;
}

bool is_division(Code code, bool multiplies) {
  return multiplies && code.funct6() >= 0x20 && code.funct6() <= 0x23;
}

Unit unit_of(Code code, Shape shape, bool multiplies) {
  switch (shape) {
    case Shape::kReduce:
    case Shape::kWidenReduce:
    case Shape::kGather:
    case Shape::kGather16:
    case Shape::kCompress:
    case Shape::kMaskUnary:
    case Shape::kToScalar:
      return Unit::kElement;
    case Shape::kSlideUp:
    case Shape::kSlideDown:
      return Unit::kMultiply;
    case Shape::kSame:
    case Shape::kWiden:
      if (is_division(code, multiplies)) return Unit::kElement;
      return is_product(code, multiplies) ? Unit::kMultiply : Unit::kArithmetic;
    default:
      return Unit::kArithmetic;
  }
}

bool accumulates(Code code, bool multiplies) {
  const unsigned function = code.funct6();
  return multiplies && ((function >= 0x28 && function <= 0x2f) || function >= 0x3c);
}

}  // namespace

bool moves_whole_registers(Code code) { return code.bits(27, 26) == 0 && code.vs2() == kWhole; }

bool is_product(Code code) {
  const Shape shape = shape_of(code);
  return (shape == Shape::kSame || shape == Shape::kWiden) && is_product(code, is_arithmetic(code));
}

Footprint footprint_of(Code code, uint32_t vtype, unsigned vlenb) {
  State state(0);
  state.vlenb = vlenb;
  state.vtype = vtype & 0x3F;
  if (code.opcode() == kLoad || code.opcode() == kStore) return memory_footprint(code, state);
  if (is_csr_access(code) || code.funct3() == kConfigure) return {};
  const Shape shape = shape_of(code);
  const bool multiplies = is_arithmetic(code);
  const bool vector = code.funct3() == kIvv || code.funct3() == kMvv;
  const int lmul = state.lmul_log();
  int to = lmul, first = lmul, second = lmul;  // groups of vd, vs2 and vs1
  if (shape == Shape::kWiden || shape == Shape::kWidenFirst) to = lmul + 1;
  if (shape == Shape::kWidenFirst || shape == Shape::kNarrow) first = lmul + 1;
  if (shape == Shape::kMaskResult || shape == Shape::kCarryOut || shape == Shape::kReduce ||
      shape == Shape::kWidenReduce || shape == Shape::kMaskLogic)
    to = 0;
  if (shape == Shape::kReduce || shape == Shape::kWidenReduce || shape == Shape::kMaskLogic)
    second = 0;
  if (shape == Shape::kMaskLogic) first = 0;
  if (shape == Shape::kWholeRegisters) to = first = std::countr_zero(code.vs1() + 1u);
  const bool has_second = vector && shape != Shape::kExtend && shape != Shape::kToScalar &&
                          shape != Shape::kMaskUnary && shape != Shape::kWholeRegisters;
  const bool has_first = shape != Shape::kFromScalar && !(shape == Shape::kMerge && !code.masked());

  Footprint of;
  of.unit = unit_of(code, shape, multiplies);
  of.to_core = shape == Shape::kToScalar;
  of.registers = std::max({size_of(to), has_first ? size_of(first) : 1u, 1u});
  of.elements = state.vlmax();
  if (!of.to_core) of.writes = group(code.vd(), to);
  if (has_first) of.sources[0] = group(code.vs2(), first);
  if (has_second) of.sources[1] = group(code.vs1(), second);
  if (accumulates(code, multiplies)) of.sources[2] = of.writes;
  if (code.masked() || shape == Shape::kCarry) of.sources[3] = 1;
  return of;
}

uint8_t vtype_after(Code code, uint8_t before) {
  if (code.opcode() != 0x57 || code.funct3() != kConfigure) return before;
  const bool by_register = code.bits(31, 30) == 2;
  return by_register ? before : static_cast<uint8_t>(code.bits(25, 20));
}

}  // namespace tinytune::rvv
