// The floating-point unit's loads, stores and moves, which cores with vectors have even without
// floating point: compilers save q4 to q7 with `vpush {d8-d15}`, load constants with `vldr d0` and
// move words of lanes as S registers. Also accesses to VPR, P0 and FPSCR.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr Kind kO = Kind::kOutside;

constexpr bool is_double(uint32_t code) { return field(code, 8, 8) != 0; }
constexpr bool loads(uint32_t code) { return field(code, 20, 20) != 0; }

/// First word of the S or D register in bits 15:12 and 22.
constexpr unsigned first_word(uint32_t code) {
  return is_double(code) ? 2 * (field(code, 22, 22) << 4 | field(code, 15, 12))
                         : field(code, 15, 12) << 1 | field(code, 22, 22);
}
uint32_t word(const Machine& m, unsigned index) { return m.lane<uint32_t>(index / 4, index % 4); }
void set_word(Machine& m, unsigned index, uint32_t value) {
  m.put<uint32_t>(index / 4, index % 4, value);
}

bool move_words(Machine& m, uint32_t code, unsigned first, unsigned count, uint32_t address) {
  if (count == 0 || first + count > 32) return false;
  for (unsigned i = 0; i < count && !m.faulted(); ++i, address += 4) {
    if (loads(code)) {
      const uint32_t value = m.load<uint32_t>(address);
      if (!m.faulted()) set_word(m, first + i, value);
    } else {
      m.store<uint32_t>(address, word(m, first + i));
    }
  }
  return true;
}

bool single(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16);
  if (rn == kPc && !loads(code)) return false;
  const uint32_t base = rn == kPc ? (m.address + 4) & ~3u : m.get(rn);
  const uint32_t offset = 4 * field(code, 7, 0);
  return move_words(m, code, first_word(code), is_double(code) ? 2 : 1,
                    field(code, 23, 23) != 0 ? base + offset : base - offset);
}

/// Moves a list of registers at Rn, or just below Rn; VPUSH and VPOP do so at the stack pointer.
bool several(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16), count = field(code, 7, 0);
  const bool down = field(code, 24, 24) != 0, writes_back = field(code, 21, 21) != 0;
  if (rn == kPc || (is_double(code) && count % 2 != 0) || (down && !writes_back)) return false;
  const uint32_t base = m.get(rn);
  if (!move_words(m, code, first_word(code), count, down ? base - 4 * count : base)) return false;
  if (writes_back && !m.faulted()) m.set(rn, down ? base - 4 * count : base + 4 * count);
  return true;
}

bool core_and_word(Machine& m, uint32_t code) {
  const unsigned index = field(code, 19, 16) << 1 | field(code, 7, 7), rt = field(code, 15, 12);
  if (!is_general(rt)) return false;
  if (loads(code))
    m.set(rt, word(m, index));
  else
    set_word(m, index, m.get(rt));
  return true;
}

/// Two core registers and a D register, or two consecutive S registers.
bool core_and_words(Machine& m, uint32_t code) {
  const unsigned rt = field(code, 15, 12), rt2 = field(code, 19, 16);
  const unsigned first = is_double(code) ? 2 * (field(code, 5, 5) << 4 | field(code, 3, 0))
                                         : field(code, 3, 0) << 1 | field(code, 5, 5);
  if (!is_general(rt) || !is_general(rt2) || (loads(code) && rt == rt2) || first > 30) return false;
  if (loads(code)) {
    m.set(rt, word(m, first));
    m.set(rt2, word(m, first + 1));
  } else {
    set_word(m, first, m.get(rt));
    set_word(m, first + 1, m.get(rt2));
  }
  return true;
}

bool word_to_word(Machine& m, uint32_t code) {
  const unsigned from = is_double(code) ? 2 * (field(code, 5, 5) << 4 | field(code, 3, 0))
                                        : field(code, 3, 0) << 1 | field(code, 5, 5);
  const unsigned words = is_double(code) ? 2 : 1, to = first_word(code);
  if (from + words > 32 || to + words > 32) return false;
  for (unsigned i = 0; i < words; ++i) set_word(m, to + i, word(m, from + i));
  return true;
}

/// VMOVX moves the upper half of a word to the lower half; VINS a lower half to the upper half.
bool upper_half(Machine& m, uint32_t code) {
  const unsigned from = field(code, 3, 0) << 1 | field(code, 5, 5);
  set_word(m, first_word(code), word(m, from) >> 16);
  return true;
}
bool insert_half(Machine& m, uint32_t code) {
  const unsigned from = field(code, 3, 0) << 1 | field(code, 5, 5), to = first_word(code);
  set_word(m, to, (word(m, to) & 0xFFFF) | word(m, from) << 16);
  return true;
}

// Numbers of system registers in VMRS, VMSR, and in their loads and stores.
enum System : unsigned { kFpscr = 1, kFpscrFlags = 2, kVpr = 12, kP0 = 13 };
constexpr uint32_t kWritableFpscr = 0xFFC8009F;
constexpr uint32_t kFpscrFlagBits = 0xF8000000;

bool exists(unsigned reg) {
  return reg == kFpscr || reg == kFpscrFlags || reg == kVpr || reg == kP0;
}
uint32_t read_system(Machine& m, unsigned reg) {
  const State& state = m.state();
  if (reg == kVpr) return state.vpr;
  if (reg == kP0) return m.p0();
  return reg == kFpscr ? state.fpscr | state.ltpsize << 16 : state.fpscr & kFpscrFlagBits;
}
void write_system(Machine& m, unsigned reg, uint32_t value) {
  State& state = m.state();
  const auto part = [&](uint32_t& target, uint32_t bits) {
    target = (target & ~bits) | (value & bits);
  };
  if (reg == kVpr) return part(state.vpr, 0x00FFFFFF);
  if (reg == kP0) return part(state.vpr, 0xFFFF);
  part(state.fpscr, reg == kFpscr ? kWritableFpscr : kFpscrFlagBits);
  if (reg == kFpscr) state.ltpsize = field(value, 18, 16);
}
/// Checks that LTPSIZE is at most 4.
bool may_write(unsigned reg, uint32_t value) { return reg != kFpscr || field(value, 18, 16) <= 4; }

bool move_system(Machine& m, uint32_t code) {
  const unsigned rt = field(code, 15, 12), reg = field(code, 19, 16);
  if (!exists(reg) || rt == kSp) return false;
  if (rt == kPc) {  // to the core's flags
    if (!loads(code) || reg != kFpscr) return false;
    m.core().set_flags((m.core().flags() & ~0xF0000000u) | (m.state().fpscr & 0xF0000000));
  } else if (loads(code)) {
    m.set(rt, read_system(m, reg));
  } else {
    if (!may_write(reg, m.get(rt))) return false;
    write_system(m, reg, m.get(rt));
  }
  return true;
}

bool memory_system(Machine& m, uint32_t code) {
  const unsigned reg = field(code, 22, 22) << 3 | field(code, 15, 13), rn = field(code, 19, 16);
  const bool indexed = field(code, 24, 24) != 0, writes_back = field(code, 21, 21) != 0;
  if (!exists(reg) || rn == kPc || (!indexed && !writes_back)) return false;
  const uint32_t offset = 4 * field(code, 6, 0), base = m.get(rn);
  const uint32_t moved = field(code, 23, 23) != 0 ? base + offset : base - offset;
  const uint32_t address = indexed ? moved : base;
  if (loads(code)) {
    const uint32_t value = m.load<uint32_t>(address);
    if (!m.faulted() && !may_write(reg, value)) return false;
    if (!m.faulted()) write_system(m, reg, value);
  } else {
    m.store<uint32_t>(address, read_system(m, reg));
  }
  if (writes_back && !m.faulted()) m.set(rn, moved);
  return true;
}

/// Clears consecutive words from a register on, and VPR.
bool clear(Machine& m, uint32_t code) {
  const unsigned first = first_word(code), count = field(code, 7, 0);
  if (count == 0 || first + count > 32 || (is_double(code) && count % 2 != 0)) return false;
  for (unsigned i = 0; i < count; ++i) set_word(m, first + i, 0);
  m.state().vpr = 0;
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"1110 1101 ad01 rrrr dddd 101p iiii iiii", "vldr", kO, single},
    {"1110 1101 ad00 rrrr dddd 101p iiii iiii", "vstr", kO, single},
    {"1110 1100 1dw1 rrrr dddd 101p iiii iiii", "vldmia", kO, several},
    {"1110 1100 1dw0 rrrr dddd 101p iiii iiii", "vstmia", kO, several},
    {"1110 1101 0d11 rrrr dddd 101p iiii iiii", "vldmdb", kO, several},
    {"1110 1101 0d10 rrrr dddd 101p iiii iiii", "vstmdb", kO, several},
    {"1110 1110 000L nnnn tttt 1010 n001 0000", "vmov", kO, core_and_word},
    {"1110 1100 010L uuuu tttt 101p 00m1 mmmm", "vmov", kO, core_and_words},
    {"1110 1110 1d11 0000 dddd 101p 01m0 mmmm", "vmov", kO, word_to_word},
    {"1111 1110 1d11 0000 dddd 1010 01m0 mmmm", "vmovx", kO, upper_half},
    {"1111 1110 1d11 0000 dddd 1010 11m0 mmmm", "vins", kO, insert_half},
    {"1110 1110 1111 nnnn tttt 1010 0001 0000", "vmrs", kO, move_system},
    {"1110 1110 1110 nnnn tttt 1010 0001 0000", "vmsr", kO, move_system},
    {"1110 1101 anw1 rrrr nnn0 1111 1iii iiii", "vldr", kO, memory_system},
    {"1110 1101 anw0 rrrr nnn0 1111 1iii iiii", "vstr", kO, memory_system},
    {"1110 1100 an11 rrrr nnn0 1111 1iii iiii", "vldr", kO, memory_system},
    {"1110 1100 an10 rrrr nnn0 1111 1iii iiii", "vstr", kO, memory_system},
    {"1110 1100 1d01 1111 dddd 101p iiii iiii", "vscclrm", kO, clear},
    // clang-format on
};

}  // namespace

std::span<const Row> float_register_rows() { return kRows; }

}  // namespace tinytune::helium
