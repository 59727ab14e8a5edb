// Multiplications: high halves, widening products, and sums of neighbouring products.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr auto kBoth = Sign::kByBit28;
constexpr auto kSigned = Sign::kSigned;
constexpr Kind kV = Kind::kVector;

__extension__ using Exact = __int128;

template <bool rounds>
constexpr auto kHighHalf = [](auto a, auto b, bool&) {
  using T = decltype(a);
  const Wide<T> product = Wide<T>{a} * b;
  return (rounds ? product + (Wide<T>{1} << (kBits<T> - 1)) : product) >> kBits<T>;
};
template <bool rounds>
constexpr auto kDoubledHighHalf = [](auto a, auto b, bool& saturated) {
  using T = decltype(a);
  const Exact product =
      Exact{int64_t{a} * b} * 2 + (rounds ? Exact{1} << (kBits<T> - 1) : Exact{0});
  return saturate<T>(product >> kBits<T>, saturated);
};

/// Writes lanes of twice the width, computed from the even (`top` 0) or odd lanes.
template <typename T, typename Operation>
void widened(Machine& m, uint32_t code, unsigned top, const std::array<T, kLanes<T>>& a,
             const std::array<T, kLanes<T>>& b, const Operation& operation) {
  using D = Wider<T>;
  for (unsigned i = 0; i < kLanes<D>; ++i) {
    bool saturated = false;
    const D value = operation(a[2 * i + top], b[2 * i + top], saturated);
    m.merge<D>(qd(code), i, value);
    // The saturation flag has the predicate of the source lane; for a 64-bit product, of either
    // word.
    const bool words = sizeof(T) == 4 && m.active<T>(2 * i + 1 - top);
    if (saturated && (m.active<T>(2 * i + top) || words)) m.state().fpscr |= kSaturatedFlag;
  }
}

constexpr auto kLongProduct = [](auto a, auto b, bool&) {
  using D = Wider<decltype(a)>;
  return static_cast<D>(Wide<decltype(a)>{a} * b);
};
constexpr auto kDoubledLongProduct = [](auto a, auto b, bool& saturated) {
  return saturate<Wider<decltype(a)>>(Exact{int64_t{a} * b} * 2, saturated);
};
// Multiplies polynomials over GF(2).
constexpr auto kPolynomialProduct = [](auto a, auto b, bool&) {
  using D = Wider<decltype(a)>;
  uint32_t product = 0;
  for (unsigned bit = 0; bit < kBits<decltype(a)>; ++bit)
    if ((a >> bit & 1) != 0) product ^= uint32_t{b} << bit;
  return static_cast<D>(product);
};

bool multiply_long(Machine& m, uint32_t code) {
  if (size_at_20(code) == 2 && (qd(code) == qn(code) || qd(code) == qm(code))) return false;
  return with_lanes<kBoth>(code, size_at_20(code), [&]<typename T>() {
    widened<T>(m, code, field(code, 12, 12), m.vector<T>(qn(code)), m.vector<T>(qm(code)),
               kLongProduct);
    return true;
  });
}

bool multiply_polynomial(Machine& m, uint32_t code) {
  return with_unsigned(field(code, 28, 28), [&]<typename T>() {
    if constexpr (sizeof(T) < 4)
      widened<T>(m, code, field(code, 12, 12), m.vector<T>(qn(code)), m.vector<T>(qm(code)),
                 kPolynomialProduct);
    return true;
  });
}

/// Multiplies 16-bit lanes or, with bit 28, 32-bit lanes.
bool multiply_doubled_long(Machine& m, uint32_t code) {
  const unsigned size = 1 + field(code, 28, 28);
  if (size == 2 && (qd(code) == qn(code) || qd(code) == qm(code))) return false;
  return with_signed(size, [&]<typename T>() {
    if constexpr (sizeof(T) > 1)
      widened<T>(m, code, field(code, 12, 12), m.vector<T>(qn(code)), m.vector<T>(qm(code)),
                 kDoubledLongProduct);
    return true;
  });
}

bool multiply_doubled_long_scalar(Machine& m, uint32_t code) {
  const unsigned size = 1 + field(code, 28, 28), rm = field(code, 3, 0);
  if (!is_general(rm) || (size == 2 && qd(code) == qn(code))) return false;
  return with_signed(size, [&]<typename T>() {
    if constexpr (sizeof(T) > 1) {
      std::array<T, kLanes<T>> b;
      b.fill(static_cast<T>(m.get(rm)));
      widened<T>(m, code, field(code, 12, 12), m.vector<T>(qn(code)), b, kDoubledLongProduct);
    }
    return true;
  });
}

/// Writes the upper half of the doubled sum or difference of two neighbouring products to the even
/// lane; with exchange, to the odd lane, and with the two lanes of Qm swapped.
template <bool rounds, bool subtracts>
bool dual_multiply(Machine& m, uint32_t code) {
  const unsigned exchange = field(code, 12, 12);
  if (size_at_20(code) == 2 && (qd(code) == qn(code) || qd(code) == qm(code))) return false;
  return with_signed(size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qn(code)), b = m.vector<T>(qm(code));
    for (unsigned i = exchange; i < kLanes<T>; i += 2) {
      const unsigned other = i ^ 1;
      const Exact first = int64_t{a[i]} * b[exchange != 0 ? other : i];
      const Exact second = int64_t{a[other]} * b[exchange != 0 ? i : other];
      const Exact sum = (subtracts ? first - second : first + second) * 2 +
                        (rounds ? Exact{1} << (kBits<T> - 1) : Exact{0});
      bool saturated = false;
      const T value = saturate<T>(sum >> kBits<T>, saturated);
      write_lane<T>(m, qd(code), i, value, saturated);
    }
    return true;
  });
}

constexpr Row kRows[] = {
    // clang-format off
    {"111U 1110 00ss nnn1 ddd0 1110 0000 mmm1", "vmulh", kV, binary<kBoth, kHighHalf<false>>},
    {"111U 1110 00ss nnn1 ddd1 1110 0000 mmm1", "vrmulh", kV, binary<kBoth, kHighHalf<true>>},
    {"1110 1111 00ss nnn0 ddd0 1011 0100 mmm0", "vqdmulh", kV, binary<kSigned, kDoubledHighHalf<false>>},
    {"1111 1111 00ss nnn0 ddd0 1011 0100 mmm0", "vqrdmulh", kV, binary<kSigned, kDoubledHighHalf<true>>},
    {"111U 1110 00ss nnn1 ddd0 1110 0000 mmm0", "vmullb", kV, multiply_long},
    {"111U 1110 00ss nnn1 ddd1 1110 0000 mmm0", "vmullt", kV, multiply_long},
    {"111s 1110 0011 nnn1 ddd0 1110 0000 mmm0", "vmullb", kV, multiply_polynomial},
    {"111s 1110 0011 nnn1 ddd1 1110 0000 mmm0", "vmullt", kV, multiply_polynomial},
    {"111s 1110 0011 nnn0 ddd0 1111 0000 mmm1", "vqdmullb", kV, multiply_doubled_long},
    {"111s 1110 0011 nnn0 ddd1 1111 0000 mmm1", "vqdmullt", kV, multiply_doubled_long},
    {"111s 1110 0011 nnn0 ddd0 1111 0110 rrrr", "vqdmullb", kV, multiply_doubled_long_scalar},
    {"111s 1110 0011 nnn0 ddd1 1111 0110 rrrr", "vqdmullt", kV, multiply_doubled_long_scalar},
    {"1110 1110 00ss nnn0 dddx 1110 0000 mmm0", "vqdmladh", kV, dual_multiply<false, false>},
    {"1110 1110 00ss nnn0 dddx 1110 0000 mmm1", "vqrdmladh", kV, dual_multiply<true, false>},
    {"1111 1110 00ss nnn0 dddx 1110 0000 mmm0", "vqdmlsdh", kV, dual_multiply<false, true>},
    {"1111 1110 00ss nnn0 dddx 1110 0000 mmm1", "vqrdmlsdh", kV, dual_multiply<true, true>},
    // clang-format on
};

}  // namespace

std::span<const Row> multiply_rows() { return kRows; }

}  // namespace tinytune::helium
