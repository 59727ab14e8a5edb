// Lane-wise sums, products, extremes, absolute values and logic; also the few operations that mix
// lanes (complex addition, carries, reversal).
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr auto kAnySign = Sign::kUnsigned;  // for operations that wrap

constexpr auto kAdd = [](auto a, auto b, bool&) { return Wide<decltype(a)>{a} + b; };
constexpr auto kSubtract = [](auto a, auto b, bool&) { return Wide<decltype(a)>{a} - b; };
constexpr auto kMultiply = [](auto a, auto b, bool&) { return Wide<decltype(a)>{a} * b; };
constexpr auto kMaximum = [](auto a, auto b, bool&) { return a > b ? a : b; };
constexpr auto kMinimum = [](auto a, auto b, bool&) { return a < b ? a : b; };
constexpr auto kDistance = [](auto a, auto b, bool&) {
  return a > b ? Wide<decltype(a)>{a} - b : Wide<decltype(a)>{b} - a;
};
constexpr auto kHalvedSum = [](auto a, auto b, bool&) { return (int64_t{a} + b) >> 1; };
constexpr auto kHalvedDifference = [](auto a, auto b, bool&) { return (int64_t{a} - b) >> 1; };
constexpr auto kRoundedHalf = [](auto a, auto b, bool&) { return (int64_t{a} + b + 1) >> 1; };
constexpr auto kSaturatedSum = [](auto a, auto b, bool& saturated) {
  return saturate<decltype(a)>(int64_t{a} + b, saturated);
};
constexpr auto kSaturatedDifference = [](auto a, auto b, bool& saturated) {
  return saturate<decltype(a)>(int64_t{a} - b, saturated);
};

constexpr auto kAbsolute = [](auto a, bool&) { return a < 0 ? -int64_t{a} : int64_t{a}; };
constexpr auto kNegated = [](auto a, bool&) { return -int64_t{a}; };
constexpr auto kSaturatedAbsolute = [](auto a, bool& saturated) {
  return saturate<decltype(a)>(a < 0 ? -int64_t{a} : int64_t{a}, saturated);
};
constexpr auto kSaturatedNegated = [](auto a, bool& saturated) {
  return saturate<decltype(a)>(-int64_t{a}, saturated);
};
constexpr auto kLeadingZeros = [](auto a, bool&) {
  return std::countl_zero(static_cast<std::make_unsigned_t<decltype(a)>>(a));
};
// Counts the copies of the sign bit below it.
constexpr auto kLeadingSigns = [](auto a, bool&) {
  using Bits = std::make_unsigned_t<decltype(a)>;
  const auto bits = static_cast<Bits>(a < 0 ? ~a : a);
  return std::countl_zero(bits) - 1;
};

template <auto operation>
bool logic(Machine& m, uint32_t code) {
  const auto a = m.vector<uint32_t>(qn(code)), b = m.vector<uint32_t>(qm(code));
  for (unsigned i = 0; i < 4; ++i) m.merge<uint32_t>(qd(code), i, operation(a[i], b[i]));
  return true;
}

bool invert(Machine& m, uint32_t code) {
  const auto a = m.vector<uint32_t>(qm(code));
  for (unsigned i = 0; i < 4; ++i) m.merge<uint32_t>(qd(code), i, ~a[i]);
  return true;
}

/// Reverses the lanes in each group of `group` bytes.
template <unsigned group>
bool reverse(Machine& m, uint32_t code) {
  const unsigned bytes = 1u << size_at_18(code);
  if (bytes >= group) return false;
  const auto a = m.vector<uint8_t>(qm(code));
  for (unsigned i = 0; i < 16; ++i) m.merge<uint8_t>(qd(code), i, a[i ^ (group - bytes)]);
  return true;
}

/// Adds Qm rotated by 90 or 270 degrees, as complex numbers in pairs of lanes: 90 degrees subtract
/// in the even lane.
template <bool halved, bool by_270>
bool complex_add(Machine& m, uint32_t code) {
  if (size_at_20(code) == 2 && qd(code) == qm(code)) return false;
  return with_signed(size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      const bool subtracts = (i % 2 == 0) != by_270;
      const int64_t other = b[i ^ 1];
      const int64_t sum = subtracts ? a[i] - other : a[i] + other;
      m.merge<T>(qd(code), i, static_cast<T>(halved ? sum >> 1 : sum));
    }
    return true;
  });
}

/// Adds or subtracts 128-bit numbers, a word at a time. Inactive lanes pass the carry on.
bool add_with_carry(Machine& m, uint32_t code) {
  const bool subtracts = is_unsigned(code), initial = field(code, 12, 12) != 0;
  const auto a = m.vector<uint32_t>(qn(code)), b = m.vector<uint32_t>(qm(code));
  uint64_t carry = initial ? (subtracts ? 1 : 0) : (m.state().fpscr & kCarryFlag) != 0;
  bool writes_flags = initial;
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t sum = carry + a[i] + (subtracts ? ~b[i] : b[i]);
    if (m.active<uint32_t>(i)) {
      carry = sum >> 32;
      writes_flags = true;
    }
    m.merge<uint32_t>(qd(code), i, static_cast<uint32_t>(sum));
  }
  if (writes_flags)
    m.state().fpscr = (m.state().fpscr & ~0xF0000000u) | (carry != 0 ? kCarryFlag : 0);
  return true;
}

/// Qd = the larger (or smaller) of Qd, unsigned, and the absolute value of Qm.
template <bool larger>
bool absolute_extreme(Machine& m, uint32_t code) {
  return with_signed(size_at_18(code), [&]<typename T>() {
    using U = std::make_unsigned_t<T>;
    const auto a = m.vector<T>(qm(code));
    const auto d = m.vector<U>(qd(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      const auto size = static_cast<U>(a[i] < 0 ? -int64_t{a[i]} : int64_t{a[i]});
      m.merge<U>(qd(code), i, (size > d[i]) == larger ? size : d[i]);
    }
    return true;
  });
}

constexpr auto kBoth = Sign::kByBit28;
constexpr auto kSigned = Sign::kSigned;
constexpr Kind kV = Kind::kVector;

constexpr Row kRows[] = {
    // clang-format off
    {"1110 1111 0000 nnn0 ddd0 0001 0101 mmm0", "vand", kV, logic<[](uint32_t a, uint32_t b) { return a & b; }>},
    {"1110 1111 0001 nnn0 ddd0 0001 0101 mmm0", "vbic", kV, logic<[](uint32_t a, uint32_t b) { return a & ~b; }>},
    {"1110 1111 0010 nnn0 ddd0 0001 0101 mmm0", "vorr", kV, logic<[](uint32_t a, uint32_t b) { return a | b; }>},
    {"1110 1111 0011 nnn0 ddd0 0001 0101 mmm0", "vorn", kV, logic<[](uint32_t a, uint32_t b) { return a | ~b; }>},
    {"1111 1111 0000 nnn0 ddd0 0001 0101 mmm0", "veor", kV, logic<[](uint32_t a, uint32_t b) { return a ^ b; }>},
    {"1111 1111 1011 0000 ddd0 0101 1100 mmm0", "vmvn", kV, invert},
    {"1110 1111 00ss nnn0 ddd0 1000 0100 mmm0", "vadd", kV, binary<kAnySign, kAdd>},
    {"1111 1111 00ss nnn0 ddd0 1000 0100 mmm0", "vsub", kV, binary<kAnySign, kSubtract>},
    {"1110 1111 00ss nnn0 ddd0 1001 0101 mmm0", "vmul", kV, binary<kAnySign, kMultiply>},
    {"111U 1111 00ss nnn0 ddd0 0110 0100 mmm0", "vmax", kV, binary<kBoth, kMaximum>},
    {"111U 1111 00ss nnn0 ddd0 0110 0101 mmm0", "vmin", kV, binary<kBoth, kMinimum>},
    {"111U 1111 00ss nnn0 ddd0 0111 0100 mmm0", "vabd", kV, binary<kBoth, kDistance>},
    {"111U 1111 00ss nnn0 ddd0 0000 0100 mmm0", "vhadd", kV, binary<kBoth, kHalvedSum>},
    {"111U 1111 00ss nnn0 ddd0 0010 0100 mmm0", "vhsub", kV, binary<kBoth, kHalvedDifference>},
    {"111U 1111 00ss nnn0 ddd0 0001 0100 mmm0", "vrhadd", kV, binary<kBoth, kRoundedHalf>},
    {"111U 1111 00ss nnn0 ddd0 0000 0101 mmm0", "vqadd", kV, binary<kBoth, kSaturatedSum>},
    {"111U 1111 00ss nnn0 ddd0 0010 0101 mmm0", "vqsub", kV, binary<kBoth, kSaturatedDifference>},
    {"1111 1111 1011 ss01 ddd0 0011 0100 mmm0", "vabs", kV, unary<kSigned, kAbsolute>},
    {"1111 1111 1011 ss01 ddd0 0011 1100 mmm0", "vneg", kV, unary<kSigned, kNegated>},
    {"1111 1111 1011 ss00 ddd0 0111 0100 mmm0", "vqabs", kV, unary<kSigned, kSaturatedAbsolute>},
    {"1111 1111 1011 ss00 ddd0 0111 1100 mmm0", "vqneg", kV, unary<kSigned, kSaturatedNegated>},
    {"1111 1111 1011 ss00 ddd0 0100 0100 mmm0", "vcls", kV, unary<kSigned, kLeadingSigns>},
    {"1111 1111 1011 ss00 ddd0 0100 1100 mmm0", "vclz", kV, unary<kAnySign, kLeadingZeros>},
    {"1111 1111 1011 ss00 ddd0 0001 0100 mmm0", "vrev16", kV, reverse<2>},
    {"1111 1111 1011 ss00 ddd0 0000 1100 mmm0", "vrev32", kV, reverse<4>},
    {"1111 1111 1011 ss00 ddd0 0000 0100 mmm0", "vrev64", kV, reverse<8>},
    {"1110 1110 0011 ss11 ddd0 1110 1000 mmm1", "vmaxa", kV, absolute_extreme<true>},
    {"1110 1110 0011 ss11 ddd1 1110 1000 mmm1", "vmina", kV, absolute_extreme<false>},
    {"1111 1110 00ss nnn0 ddd0 1111 0000 mmm0", "vcadd", kV, complex_add<false, false>},
    {"1111 1110 00ss nnn0 ddd1 1111 0000 mmm0", "vcadd", kV, complex_add<false, true>},
    {"1110 1110 00ss nnn0 ddd0 1111 0000 mmm0", "vhcadd", kV, complex_add<true, false>},
    {"1110 1110 00ss nnn0 ddd1 1111 0000 mmm0", "vhcadd", kV, complex_add<true, true>},
    {"1110 1110 0011 nnn0 ddd0 1111 0000 mmm0", "vadc", kV, add_with_carry},
    {"1110 1110 0011 nnn0 ddd1 1111 0000 mmm0", "vadci", kV, add_with_carry},
    {"1111 1110 0011 nnn0 ddd0 1111 0000 mmm0", "vsbc", kV, add_with_carry},
    {"1111 1110 0011 nnn0 ddd1 1111 0000 mmm0", "vsbci", kV, add_with_carry},
    // clang-format on
};

}  // namespace

std::span<const Row> arithmetic_rows() { return kRows; }

}  // namespace tinytune::helium
