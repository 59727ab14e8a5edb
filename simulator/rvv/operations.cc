// The table of arithmetic instructions. Numbers: RISC-V vector specification 1.0, section 19.
#include "simulator/rvv/operations.h"

#include <array>

namespace tinytune::rvv {
namespace {

using enum Shape;

// funct3: selects the kind of the second operand, and one of the two tables below.
constexpr unsigned kIvv = 0, kMvv = 2, kIvi = 3, kIvx = 4, kMvx = 6;

struct Row {
  uint8_t first, last;  ///< range of funct6
  Shape shape;
  bool v, x, i;  ///< whether the second operand may be a vector, a register, an immediate
};

constexpr Row kIntegers[] = {
    {0x00, 0x00, kSame, true, true, true},         // vadd
    {0x02, 0x02, kSame, true, true, false},        // vsub
    {0x03, 0x03, kSame, false, true, true},        // vrsub
    {0x04, 0x07, kSame, true, true, false},        // vminu, vmin, vmaxu, vmax
    {0x09, 0x0b, kSame, true, true, true},         // vand, vor, vxor
    {0x0c, 0x0c, kGather, true, true, true},       // vrgather
    {0x0e, 0x0e, kGather16, true, false, false},   // vrgatherei16
    {0x0e, 0x0e, kSlideUp, false, true, true},     // vslideup
    {0x0f, 0x0f, kSlideDown, false, true, true},   // vslidedown
    {0x10, 0x10, kCarry, true, true, true},        // vadc
    {0x11, 0x11, kCarryOut, true, true, true},     // vmadc
    {0x12, 0x12, kCarry, true, true, false},       // vsbc
    {0x13, 0x13, kCarryOut, true, true, false},    // vmsbc
    {0x17, 0x17, kMerge, true, true, true},        // vmerge, vmv.v
    {0x18, 0x19, kMaskResult, true, true, true},   // vmseq, vmsne
    {0x1a, 0x1b, kMaskResult, true, true, false},  // vmsltu, vmslt
    {0x1c, 0x1d, kMaskResult, true, true, true},   // vmsleu, vmsle
    {0x1e, 0x1f, kMaskResult, false, true, true},  // vmsgtu, vmsgt
    {0x20, 0x21, kSame, true, true, true},         // vsaddu, vsadd
    {0x22, 0x23, kSame, true, true, false},        // vssubu, vssub
    {0x25, 0x25, kSame, true, true, true},         // vsll
    {0x27, 0x27, kSame, true, true, false},        // vsmul
    {0x27, 0x27, kWholeRegisters, false, false, true},
    {0x28, 0x2b, kSame, true, true, true},           // vsrl, vsra, vssrl, vssra
    {0x2c, 0x2f, kNarrow, true, true, true},         // vnsrl, vnsra, vnclipu, vnclip
    {0x30, 0x31, kWidenReduce, true, false, false},  // vwredsumu, vwredsum
};

constexpr Row kMultiplications[] = {
    {0x00, 0x07, kReduce, true, false, false},      // vredsum to vredmax
    {0x08, 0x0b, kSame, true, true, false},         // vaaddu, vaadd, vasubu, vasub
    {0x0e, 0x0e, kSlideUp, false, true, false},     // vslide1up
    {0x0f, 0x0f, kSlideDown, false, true, false},   // vslide1down
    {0x10, 0x10, kToScalar, true, false, false},    // vmv.x.s, vcpop, vfirst
    {0x10, 0x10, kFromScalar, false, true, false},  // vmv.s.x
    {0x12, 0x12, kExtend, true, false, false},      // vzext, vsext
    {0x14, 0x14, kMaskUnary, true, false, false},   // vmsbf to vid
    {0x17, 0x17, kCompress, true, false, false},
    {0x18, 0x1f, kMaskLogic, true, false, false},  // vmandn to vmxnor
    {0x20, 0x27, kSame, true, true, false},        // divisions, remainders, products
    {0x29, 0x29, kSame, true, true, false},        // vmadd
    {0x2b, 0x2b, kSame, true, true, false},        // vnmsub
    {0x2d, 0x2d, kSame, true, true, false},        // vmacc
    {0x2f, 0x2f, kSame, true, true, false},        // vnmsac
    {0x30, 0x33, kWiden, true, true, false},       // vwaddu, vwadd, vwsubu, vwsub
    {0x34, 0x37, kWidenFirst, true, true, false},  // … of a wide vs2
    {0x38, 0x38, kWiden, true, true, false},       // vwmulu
    {0x3a, 0x3d, kWiden, true, true, false},       // vwmulsu, vwmul, vwmaccu, vwmacc
    {0x3e, 0x3e, kWiden, false, true, false},      // vwmaccus
    {0x3f, 0x3f, kWiden, true, true, false},       // vwmaccsu
};

struct Table {
  std::array<std::array<Shape, 64>, 8> shapes{};  ///< by funct3 and funct6
  constexpr Table() {
    for (const Row& row : kIntegers) fill(row, kIvv, kIvx, kIvi);
    for (const Row& row : kMultiplications) fill(row, kMvv, kMvx, kMvx);
  }
  constexpr void fill(const Row& row, unsigned v, unsigned x, unsigned i) {
    for (unsigned function = row.first; function <= row.last; ++function) {
      if (row.v) shapes[v][function] = row.shape;
      if (row.x) shapes[x][function] = row.shape;
      if (row.i) shapes[i][function] = row.shape;
    }
  }
};
constexpr Table kTable;

// Checks vs1 where it encodes a part of the function: some of its values are undefined.
bool has_function(Shape shape, unsigned vs1) {
  switch (shape) {
    case kExtend:
      return vs1 >= 4 && vs1 <= 7;  // eighths of SEW are narrower than a byte
    case kMaskUnary:
      return (vs1 >= 1 && vs1 <= 3) || vs1 == 16 || vs1 == 17;
    case kToScalar:
      return vs1 == 0 || vs1 == 16 || vs1 == 17;
    case kWholeRegisters:
      return vs1 == 0 || vs1 == 1 || vs1 == 3 || vs1 == 7;
    default:
      return true;
  }
}

bool has_unsigned_immediate(unsigned funct6) {
  constexpr uint64_t kFunctions = uint64_t{1} << 0x0c | uint64_t{1} << 0x0e | uint64_t{1} << 0x0f |
                                  uint64_t{1} << 0x25 | uint64_t{0xFF} << 0x28;
  return (kFunctions >> funct6 & 1) != 0;
}

bool is_fixed_point(const Operands& of) {
  const unsigned function = of.code.funct6();
  if (of.multiplies) return function >= 0x08 && function <= 0x0b;
  return (function >= 0x20 && function <= 0x23) || function == 0x27 || function == 0x2a ||
         function == 0x2b || function == 0x2e || function == 0x2f;
}

}  // namespace

Shape shape_of(Code code) {
  const Shape shape = kTable.shapes[code.funct3()][code.funct6()];
  return has_function(shape, code.vs1()) ? shape : kNone;
}

Operands operands_of(Code code, VectorUnit::Core& core) {
  Operands of;
  of.code = code;
  of.shape = shape_of(code);
  of.multiplies = code.funct3() == kMvv || code.funct3() == kMvx;
  of.vector = code.funct3() == kIvv || code.funct3() == kMvv;
  if (code.funct3() == kIvi) {
    of.scalar = has_unsigned_immediate(code.funct6()) ? code.vs1()
                                                      : static_cast<uint32_t>(code.immediate());
  } else if (!of.vector) {
    of.scalar = core.get(code.vs1());
  }
  return of;
}

void run(State& state, const Operands& of, VectorUnit::Core& core) {
  switch (of.shape) {
    case kSame:
    case kNarrow:
      return is_fixed_point(of) ? run_fixed_point(state, of) : run_integer(state, of);
    case kWiden:
    case kWidenFirst:
    case kExtend:
      return run_integer(state, of);
    case kMaskResult:
    case kCarry:
    case kCarryOut:
    case kMerge:
      return run_compare(state, of);
    case kReduce:
    case kWidenReduce:
      return run_reduction(state, of);
    case kMaskLogic:
    case kMaskUnary:
    case kToScalar:
      return run_mask(state, of, core);
    default:
      return run_permutation(state, of);
  }
}

}  // namespace tinytune::rvv
