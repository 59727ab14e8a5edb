// Operations with a core register as the second operand of every lane.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

constexpr auto kAnySign = Sign::kUnsigned;  // for operations that wrap
constexpr auto kBoth = Sign::kByBit28;
constexpr auto kSigned = Sign::kSigned;
constexpr Kind kV = Kind::kVector;

constexpr auto kAdd = [](auto a, auto b, bool&) { return Wide<decltype(a)>{a} + b; };
constexpr auto kSubtract = [](auto a, auto b, bool&) { return Wide<decltype(a)>{a} - b; };
constexpr auto kMultiply = [](auto a, auto b, bool&) { return Wide<decltype(a)>{a} * b; };
constexpr auto kHalvedSum = [](auto a, auto b, bool&) { return (int64_t{a} + b) >> 1; };
constexpr auto kHalvedDifference = [](auto a, auto b, bool&) { return (int64_t{a} - b) >> 1; };
constexpr auto kSaturatedSum = [](auto a, auto b, bool& saturated) {
  return saturate<decltype(a)>(int64_t{a} + b, saturated);
};
constexpr auto kSaturatedDifference = [](auto a, auto b, bool& saturated) {
  return saturate<decltype(a)>(int64_t{a} - b, saturated);
};

// Reverses the bits of each lane and keeps the lowest of them, as many as the lowest byte of Rm.
bool reverse_bits(Machine& m, uint32_t code) {
  const unsigned rm = field(code, 3, 0);
  if (!is_general(rm)) return false;
  const unsigned width = m.get(rm) & 255;
  return with_unsigned(size_at_20(code), [&]<typename T>() {
    const auto a = m.vector<T>(qn(code));
    for (unsigned i = 0; i < kLanes<T>; ++i) {
      uint32_t mirrored = 0;
      for (unsigned bit = 0; bit < kBits<T>; ++bit)
        mirrored |= (uint32_t{a[i]} >> bit & 1) << (kBits<T> - 1 - bit);
      const uint32_t kept = width == 0         ? 0
                            : width < kBits<T> ? mirrored >> (kBits<T> - width)
                                               : mirrored;
      m.merge<T>(qd(code), i, static_cast<T>(kept));
    }
    return true;
  });
}

// Qd = Qd + Qn * Rm, and Qd = Qd * Qn + Rm.
constexpr auto kMultiplyAdd = [](auto d, auto a, auto b, bool&) {
  return Wide<decltype(a)>{a} * b + d;
};
constexpr auto kMultiplyAddScalar = [](auto d, auto a, auto b, bool&) {
  return Wide<decltype(a)>{d} * a + b;
};

// Returns the upper half of a doubled product, plus an addend to that half, rounded or truncated.
template <bool rounds, typename T>
T high_half(T a, T b, T addend, bool& saturated) {
  __extension__ using Exact = __int128;
  const Exact sum = Exact{int64_t{a} * b} * 2 +
                    (Exact{addend} << kBits<T>)+(rounds ? Exact{1} << (kBits<T> - 1) : Exact{0});
  return static_cast<T>(saturate<T>(sum >> kBits<T>, saturated));
}
template <bool rounds>
constexpr auto kHighMultiply = [](auto a, auto b, bool& saturated) {
  return high_half<rounds>(a, b, decltype(a){0}, saturated);
};
template <bool rounds>
constexpr auto kHighMultiplyAdd =
    [](auto d, auto a, auto b, bool& saturated) { return high_half<rounds>(a, b, d, saturated); };
template <bool rounds>
constexpr auto kHighMultiplyAddScalar =
    [](auto d, auto a, auto b, bool& saturated) { return high_half<rounds>(d, a, b, saturated); };

constexpr Row kRows[] = {
    // clang-format off
    {"1110 1110 00ss nnn1 ddd0 1111 0100 rrrr", "vadd", kV, binary_scalar<kAnySign, kAdd>},
    {"1110 1110 00ss nnn1 ddd1 1111 0100 rrrr", "vsub", kV, binary_scalar<kAnySign, kSubtract>},
    {"1110 1110 00ss nnn1 ddd1 1110 0110 rrrr", "vmul", kV, binary_scalar<kAnySign, kMultiply>},
    {"111U 1110 00ss nnn0 ddd0 1111 0100 rrrr", "vhadd", kV, binary_scalar<kBoth, kHalvedSum>},
    {"111U 1110 00ss nnn0 ddd1 1111 0100 rrrr", "vhsub", kV, binary_scalar<kBoth, kHalvedDifference>},
    {"111U 1110 00ss nnn0 ddd0 1111 0110 rrrr", "vqadd", kV, binary_scalar<kBoth, kSaturatedSum>},
    {"111U 1110 00ss nnn0 ddd1 1111 0110 rrrr", "vqsub", kV, binary_scalar<kBoth, kSaturatedDifference>},
    {"1110 1110 00ss nnn1 ddd0 1110 0110 rrrr", "vqdmulh", kV, binary_scalar<kSigned, kHighMultiply<false>>},
    {"1111 1110 00ss nnn1 ddd0 1110 0110 rrrr", "vqrdmulh", kV, binary_scalar<kSigned, kHighMultiply<true>>},
    {"1111 1110 00ss nnn1 ddd1 1110 0110 rrrr", "vbrsr", kV, reverse_bits},
    {"111U 1110 00ss nnn1 ddd0 1110 0100 rrrr", "vmla", kV, accumulate_scalar<kAnySign, kMultiplyAdd>},
    {"111U 1110 00ss nnn1 ddd1 1110 0100 rrrr", "vmlas", kV, accumulate_scalar<kAnySign, kMultiplyAddScalar>},
    {"1110 1110 00ss nnn0 ddd0 1110 0110 rrrr", "vqdmlah", kV, accumulate_scalar<kSigned, kHighMultiplyAdd<false>>},
    {"1110 1110 00ss nnn0 ddd0 1110 0100 rrrr", "vqrdmlah", kV, accumulate_scalar<kSigned, kHighMultiplyAdd<true>>},
    {"1110 1110 00ss nnn0 ddd1 1110 0110 rrrr", "vqdmlash", kV, accumulate_scalar<kSigned, kHighMultiplyAddScalar<false>>},
    {"1110 1110 00ss nnn0 ddd1 1110 0100 rrrr", "vqrdmlash", kV, accumulate_scalar<kSigned, kHighMultiplyAddScalar<true>>},
    // clang-format on
};

}  // namespace

std::span<const Row> scalar_operand_rows() { return kRows; }

}  // namespace tinytune::helium
