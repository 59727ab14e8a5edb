// Instructions on core registers alone: conditional selects, 64-bit and saturating shifts, CLRM.
#include <algorithm>

#include "simulator/helium/rows.h"

namespace tinytune::helium {
namespace {

constexpr uint32_t kStickySaturation = 1u << 27;  // APSR.Q

/// Whether one of the sixteen conditions holds.
bool holds(unsigned condition, uint32_t flags) {
  const bool n = flags >> 31 != 0, z = (flags >> 30 & 1) != 0, c = (flags >> 29 & 1) != 0,
             v = (flags >> 28 & 1) != 0;
  const bool results[] = {z, c, n, v, c && !z, n == v, !z && n == v, true};
  return results[condition / 2] != (condition % 2 != 0);
}

bool choose(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16), rd = field(code, 11, 8), rm = field(code, 3, 0);
  const unsigned condition = field(code, 7, 4), change = field(code, 13, 12);
  if (rn == kSp || !is_general(rd) || rm == kSp || condition >= 14) return false;
  const auto value = [&](unsigned reg) { return reg == kPc ? 0 : m.get(reg); };
  if (holds(condition, m.core().flags())) {
    m.set(rd, value(rn));
    return true;
  }
  const uint32_t other = value(rm);
  const uint32_t results[] = {other, other + 1, ~other, 0 - other};
  m.set(rd, results[change]);
  return true;
}

/// Shifts left, or right by a negative amount, and saturates to `bits`. The manual's names have U
/// or S (the sign of T), Q (saturates) and R (rounds).
template <typename T>
T shifted(T value, int left, bool rounds, unsigned bits, bool saturates, bool& saturated) {
  __extension__ using Exact = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  constexpr int kMost = 63;
  const int by = std::clamp(left, -kMost - 2, kMost);
  if (by < 0) {
    Exact wide = value;
    if (rounds) wide += Exact{1} << (-by - 1);
    wide >>= -by;
    if (!saturates || bits == 64) return static_cast<T>(wide);
    const Exact limit = Exact{1} << (std::is_signed_v<T> ? bits - 1 : bits);
    const Exact low = std::is_signed_v<T> ? Exact{0} - limit : Exact{0};
    saturated = saturated || wide < low || wide > limit - 1;
    return static_cast<T>(wide < low ? low : wide > limit - 1 ? limit - 1 : wide);
  }
  if (!saturates) return left > kMost ? T{0} : static_cast<T>(static_cast<uint64_t>(value) << by);
  const Exact wide = Exact{value} << by;
  const Exact limit = Exact{1} << (std::is_signed_v<T> ? bits - 1 : bits);
  const Exact low = std::is_signed_v<T> ? Exact{0} - limit : Exact{0};
  saturated = saturated || wide < low || wide > limit - 1;
  return static_cast<T>(wide < low ? low : wide > limit - 1 ? limit - 1 : wide);
}

void note(Machine& m, bool saturated) {
  if (saturated) m.core().set_flags(m.core().flags() | kStickySaturation);
}

/// A register pair; RdaLo is even, RdaHi odd.
struct Pair {
  unsigned low, high;
  explicit Pair(uint32_t code) : low(2 * field(code, 19, 17)), high(2 * field(code, 11, 9) + 1) {}
  uint64_t get(Machine& m) const { return uint64_t{m.get(high)} << 32 | m.get(low); }
  void set(Machine& m, uint64_t value) const {
    m.set(low, static_cast<uint32_t>(value));
    m.set(high, static_cast<uint32_t>(value >> 32));
  }
};

/// Returns the amount of a shift by an immediate, 1 to 32.
int immediate(uint32_t code) {
  const auto value = static_cast<int>(field(code, 14, 12) << 2 | field(code, 7, 6));
  return value == 0 ? 32 : value;
}

template <typename T, bool to_left, bool rounds, bool saturates>
bool pair_by_immediate(Machine& m, uint32_t code) {
  const Pair pair(code);
  if (!is_general(pair.high)) return false;
  bool saturated = false;
  const int by = to_left ? immediate(code) : -immediate(code);
  const T value = static_cast<T>(pair.get(m));
  pair.set(m, static_cast<uint64_t>(shifted<T>(value, by, rounds, 64, saturates, saturated)));
  note(m, saturated);
  return true;
}

/// Shifts by the lowest byte of Rm; a negative amount shifts the other way.
template <typename T, bool to_left, bool rounds, bool saturates>
bool pair_by_register(Machine& m, uint32_t code) {
  const Pair pair(code);
  const unsigned rm = field(code, 15, 12);
  if (!is_general(pair.high) || !is_general(rm) || rm == pair.low || rm == pair.high) return false;
  const int amount = static_cast<int8_t>(m.get(rm));
  const unsigned bits = saturates && field(code, 7, 7) != 0 ? 48 : 64;
  bool saturated = false;
  const T value = static_cast<T>(pair.get(m));
  pair.set(m, static_cast<uint64_t>(shifted<T>(value, to_left ? amount : -amount, rounds, bits,
                                               saturates, saturated)));
  note(m, saturated);
  return true;
}

template <typename T>
void set_word(Machine& m, unsigned rda, int left, bool rounds, bool saturates) {
  bool saturated = false;
  const T value = static_cast<T>(m.get(rda));
  using Long = Wide<T>;
  const Long result = shifted<Long>(value, left, rounds, 32, saturates, saturated);
  m.set(rda, static_cast<uint32_t>(result));
  note(m, saturated);
}

template <typename T, bool to_left, bool rounds, bool saturates>
bool word_by_immediate(Machine& m, uint32_t code) {
  const unsigned rda = field(code, 19, 16);
  if (!is_general(rda)) return false;
  set_word<T>(m, rda, to_left ? immediate(code) : -immediate(code), rounds, saturates);
  return true;
}

template <typename T, bool to_left>
bool word_by_register(Machine& m, uint32_t code) {
  const unsigned rda = field(code, 19, 16), rm = field(code, 15, 12);
  if (!is_general(rda) || !is_general(rm) || rda == rm) return false;
  const int amount = static_cast<int8_t>(m.get(rm));
  set_word<T>(m, rda, to_left ? amount : -amount, true, true);
  return true;
}

/// CLRM: clears a list of registers; the program counter's bit stands for the flags.
bool clear(Machine& m, uint32_t code) {
  if (field(code, 13, 13) != 0 || field(code, 15, 0) == 0) return false;
  for (unsigned reg = 0; reg < 15; ++reg)
    if ((code >> reg & 1) != 0) m.set(reg, 0);
  if ((code >> 15 & 1) != 0) m.core().set_flags(0);
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"1110 1010 0101 rrrr 10oo tttt cccc uuuu", "csel", Kind::kScalar, choose},
    {"1110 1010 0101 rrr0 0iii uuu1 ii00 1111", "lsll", Kind::kScalar, pair_by_immediate<uint64_t, true, false, false>},
    {"1110 1010 0101 rrr0 0iii uuu1 ii01 1111", "lsrl", Kind::kScalar, pair_by_immediate<uint64_t, false, false, false>},
    {"1110 1010 0101 rrr0 0iii uuu1 ii10 1111", "asrl", Kind::kScalar, pair_by_immediate<int64_t, false, false, false>},
    {"1110 1010 0101 rrr1 0iii uuu1 ii00 1111", "uqshll", Kind::kScalar, pair_by_immediate<uint64_t, true, false, true>},
    {"1110 1010 0101 rrr1 0iii uuu1 ii01 1111", "urshrl", Kind::kScalar, pair_by_immediate<uint64_t, false, true, false>},
    {"1110 1010 0101 rrr1 0iii uuu1 ii10 1111", "srshrl", Kind::kScalar, pair_by_immediate<int64_t, false, true, false>},
    {"1110 1010 0101 rrr1 0iii uuu1 ii11 1111", "sqshll", Kind::kScalar, pair_by_immediate<int64_t, true, false, true>},
    {"1110 1010 0101 rrrr 0iii 1111 ii00 1111", "uqshl", Kind::kScalar, word_by_immediate<uint32_t, true, false, true>},
    {"1110 1010 0101 rrrr 0iii 1111 ii01 1111", "urshr", Kind::kScalar, word_by_immediate<uint32_t, false, true, false>},
    {"1110 1010 0101 rrrr 0iii 1111 ii10 1111", "srshr", Kind::kScalar, word_by_immediate<int32_t, false, true, false>},
    {"1110 1010 0101 rrrr 0iii 1111 ii11 1111", "sqshl", Kind::kScalar, word_by_immediate<int32_t, true, false, true>},
    {"1110 1010 0101 rrr0 tttt uuu1 0000 1101", "lsll", Kind::kScalar, pair_by_register<uint64_t, true, false, false>},
    {"1110 1010 0101 rrr0 tttt uuu1 0010 1101", "asrl", Kind::kScalar, pair_by_register<int64_t, false, false, false>},
    {"1110 1010 0101 rrr1 tttt uuu1 z000 1101", "uqrshll", Kind::kScalar, pair_by_register<uint64_t, true, true, true>},
    {"1110 1010 0101 rrr1 tttt uuu1 z010 1101", "sqrshrl", Kind::kScalar, pair_by_register<int64_t, false, true, true>},
    {"1110 1010 0101 rrrr tttt 1111 0000 1101", "uqrshl", Kind::kScalar, word_by_register<uint32_t, true>},
    {"1110 1010 0101 rrrr tttt 1111 0010 1101", "sqrshr", Kind::kScalar, word_by_register<int32_t, false>},
    {"1110 1000 1001 1111 ssss ssss ssss ssss", "clrm", Kind::kScalar, clear},
    // clang-format on
};

}  // namespace

std::span<const Row> core_rows() { return kRows; }

}  // namespace tinytune::helium
