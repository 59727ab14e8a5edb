#include "simulator/rvv/configure.h"

#include <algorithm>

namespace tinytune::rvv {
namespace {

constexpr unsigned kVstart = 0x008, kVxsat = 0x009, kVxrm = 0x00A, kVcsr = 0x00F;
constexpr unsigned kVl = 0xC20, kVtype = 0xC21, kVlenb = 0xC22;
constexpr int kElenLog = 2;  // log2 of 4 bytes

// A fractional LMUL requires SEW <= LMUL * ELEN.
bool is_legal(uint32_t vtype) {
  const int sew_log = static_cast<int>(vtype >> 3 & 7);
  const int lmul_log = static_cast<int>((vtype & 7) ^ 4) - 4;
  return vtype >> 8 == 0 && lmul_log != -4 && sew_log <= kElenLog + std::min(lmul_log, 0);
}

uint32_t read(const State& state, unsigned csr) {
  switch (csr) {
    case kVstart:
      return state.vstart;
    case kVxsat:
      return state.vxsat;
    case kVxrm:
      return state.vxrm;
    case kVcsr:
      return state.vxrm << 1 | state.vxsat;
    case kVl:
      return state.vl;
    case kVtype:
      return state.vtype;
    default:
      return state.vlenb;
  }
}

bool write(State& state, unsigned csr, uint32_t value) {
  switch (csr) {
    case kVstart:
      state.vstart = value & (state.vlenb * 8 - 1);
      return true;
    case kVxsat:
      state.vxsat = value & 1;
      return true;
    case kVxrm:
      state.vxrm = value & 3;
      return true;
    case kVcsr:
      state.vxrm = value >> 1 & 3;
      state.vxsat = value & 1;
      return true;
    default:
      return false;
  }
}

}  // namespace

void configure(State& state, Code code, VectorUnit::Core& core) {
  constexpr uint32_t kAll = ~uint32_t{0};
  const unsigned rd = code.vd(), rs1 = code.vs1();
  const auto length = [&] { return rs1 != 0 ? core.get(rs1) : rd != 0 ? kAll : state.vl; };
  uint32_t vtype = 0, avl = 0;
  if (code.bits(31, 31) == 0) {
    vtype = code.bits(30, 20), avl = length();
  } else if (code.bits(30, 30) == 1) {
    vtype = code.bits(29, 20), avl = rs1;
  } else {
    vtype = core.get(code.vs2()), avl = length();
  }
  state.vstart = 0;
  if (is_legal(vtype)) {
    state.vtype = vtype;
    state.vl = std::min(avl, state.vlmax());
  } else {
    state.vtype = kIllegalType;
    state.vl = 0;
  }
  if (rd != 0) core.set(rd, state.vl);
}

bool is_csr_access(Code code) {
  constexpr unsigned kSystem = 0x73;
  if (code.opcode() != kSystem || code.funct3() % 4 == 0) return false;
  const unsigned csr = code.bits(31, 20);
  return (csr >= kVstart && csr <= kVxrm) || csr == kVcsr || (csr >= kVl && csr <= kVlenb);
}

bool access_csr(State& state, Code code, VectorUnit::Core& core) {
  const unsigned csr = code.bits(31, 20), how = code.bits(13, 12), source = code.vs1();
  const uint32_t operand = code.bits(14, 14) != 0 ? source : core.get(source);
  const uint32_t old = read(state, csr);
  uint32_t value = operand;
  if (how == 2) value = old | operand;
  if (how == 3) value = old & ~operand;
  if ((how == 1 || source != 0) && !write(state, csr, value)) return false;
  if (code.vd() != 0) core.set(code.vd(), old);
  return true;
}

}  // namespace tinytune::rvv
