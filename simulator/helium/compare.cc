// Comparisons, VPT blocks and predicates from element counts.
//
// A comparison writes P0, one bit per byte; with a pattern in it (VPT) it also starts a block.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr Kind kV = Kind::kVector;

/// Returns the VPT block's pattern in a comparison or VPST; 0: none.
constexpr uint32_t pattern(uint32_t code) { return field(code, 22, 22) << 3 | field(code, 15, 13); }

/// In the order of the three bits that encode them.
enum class Condition {
  kEqual,
  kDifferent,
  kHigherSame,
  kHigher,
  kGreaterEqual,
  kLess,
  kGreater,
  kLessEqual
};

template <typename T>
bool holds(Condition condition, T a, T b) {
  switch (condition) {
    case Condition::kEqual:
      return a == b;
    case Condition::kDifferent:
      return a != b;
    case Condition::kHigherSame:
    case Condition::kGreaterEqual:
      return a >= b;
    case Condition::kHigher:
    case Condition::kGreater:
      return a > b;
    case Condition::kLess:
      return a < b;
    case Condition::kLessEqual:
      return a <= b;
  }
  return false;
}

/// Compares lane i of Qn with b(i).
template <typename T, typename Other>
void compare_lanes(Machine& m, uint32_t code, Condition condition, const Other& b) {
  const auto a = m.vector<T>(qn(code));
  uint32_t result = 0;
  for (unsigned i = 0; i < kLanes<T>; ++i)
    if (holds<T>(condition, a[i], b(i))) result |= ((1u << sizeof(T)) - 1) << (i * sizeof(T));
  m.set_p0(static_cast<uint16_t>(result & m.mask()));
  if (pattern(code) != 0) m.begin_vpt(pattern(code));
}

/// Returns the condition that bit 12, `low` and bit 7 encode.
Condition condition_of(uint32_t code, unsigned low) {
  return static_cast<Condition>(field(code, 12, 12) << 2 | low << 1 | field(code, 7, 7));
}

template <typename Body>
bool with_condition(uint32_t code, unsigned low, const Body& body) {
  const Condition condition = condition_of(code, low);
  const auto call = [&]<typename T>() { return body.template operator()<T>(condition); };
  const bool lanes_unsigned =
      condition == Condition::kHigherSame || condition == Condition::kHigher;
  return lanes_unsigned ? with_unsigned(size_at_20(code), call)
                        : with_signed(size_at_20(code), call);
}

bool compare(Machine& m, uint32_t code) {
  return with_condition(code, field(code, 0, 0), [&]<typename T>(Condition condition) {
    const auto b = m.vector<T>(qm(code));
    compare_lanes<T>(m, code, condition, [&](unsigned i) { return b[i]; });
    return true;
  });
}

bool compare_scalar(Machine& m, uint32_t code) {
  const unsigned rm = field(code, 3, 0);
  if (rm == kSp) return false;
  const uint32_t scalar = rm == kPc ? 0 : m.get(rm);
  return with_condition(code, field(code, 5, 5), [&]<typename T>(Condition condition) {
    compare_lanes<T>(m, code, condition, [&](unsigned) { return static_cast<T>(scalar); });
    return true;
  });
}

bool begin_block(Machine& m, uint32_t code) {
  if (pattern(code) == 0) return false;
  m.begin_vpt(pattern(code));
  return true;
}

bool invert_predicate(Machine& m, uint32_t) {
  m.set_p0(static_cast<uint16_t>(~m.p0() & m.mask()));
  return true;
}

bool select(Machine& m, uint32_t code) {
  const auto a = m.vector<uint8_t>(qn(code)), b = m.vector<uint8_t>(qm(code));
  const uint16_t takes_first = m.p0();
  for (unsigned i = 0; i < 16; ++i)
    m.merge<uint8_t>(qd(code), i, (takes_first >> i & 1) != 0 ? a[i] : b[i]);
  return true;
}

bool predicate_from_count(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16);
  if (!is_general(rn)) return false;
  m.set_p0(Machine::first(m.get(rn), size_at_20(code)) & m.mask());
  return true;
}

constexpr Row kRows[] = {
    // clang-format off
    {"1111 1110 0pss nnn1 pppc 1111 c000 mmmB", "vcmp", kV, compare},
    {"1111 1110 0pss nnn1 pppc 1111 c1B0 rrrr", "vcmp", kV, compare_scalar},
    {"1111 1110 0p11 0001 ppp0 1111 0100 1101", "vpst", kV, begin_block},
    {"1111 1110 0011 0001 0000 1111 0100 1101", "vpnot", kV, invert_predicate},
    {"1111 1110 0011 nnn1 ddd0 1111 0000 mmm1", "vpsel", kV, select},
    {"1111 0000 00ss rrrr 1110 1000 0000 0001", "vctp", kV, predicate_from_count},
    // clang-format on
};

}  // namespace

std::span<const Row> compare_rows() { return kRows; }

}  // namespace tinytune::helium
