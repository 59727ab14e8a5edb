// Fixed-point arithmetic: saturating results, and shifts rounded according to vxrm.
//
// Elements are computed in 64 bits, where neither a sum nor a product of 32-bit ones overflows.
// Saturation sets vxsat.
#include <limits>

#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

/// `value` shifted right by `shift`, rounded.
int64_t rounded(uint32_t vxrm, int64_t value, unsigned shift) {
  if (shift == 0) return value;
  const auto bits = static_cast<uint64_t>(value);
  const uint64_t half = bits >> (shift - 1) & 1, last = bits >> shift & 1;
  const bool below_half = (bits & ((uint64_t{1} << (shift - 1)) - 1)) != 0;
  uint64_t more = 0;
  switch (vxrm) {
    case 0:  // to nearest, up
      more = half;
      break;
    case 1:  // to nearest, even
      more = half & (uint64_t{below_half} | last);
      break;
    case 2:  // down
      break;
    default:  // to odd
      more = (last ^ 1) & uint64_t{half != 0 || below_half};
  }
  return (value >> shift) + static_cast<int64_t>(more);
}

template <typename T>
T saturated(State& state, bool is_signed, int64_t value) {
  using S = std::make_signed_t<T>;
  const int64_t least = is_signed ? std::numeric_limits<S>::min() : 0;
  const int64_t most =
      is_signed ? int64_t{std::numeric_limits<S>::max()} : int64_t{std::numeric_limits<T>::max()};
  const int64_t clamped = std::clamp(value, least, most);
  if (clamped != value) state.vxsat = 1;
  return static_cast<T>(clamped);
}

template <typename T>
void run_narrow(State& state, const Operands& of) {
  using W = Wider<T>;
  T* const d = state.reg<T>(of.code.vd());
  const W* const wide = state.reg<W>(of.code.vs2());
  const bool is_signed = of.code.funct6() % 2 != 0;  // vnclip, else vnclipu
  for_each_second<T>(state, of, [&](uint32_t i, T b) {
    const int64_t value = is_signed ? as_signed(wide[i]) : int64_t{wide[i]};
    d[i] = saturated<T>(state, is_signed, rounded(state.vxrm, value, b & (16 * sizeof(T) - 1)));
  });
}

template <typename T>
void run_same(State& state, const Operands& of) {
  constexpr unsigned kShift = 8 * sizeof(T) - 1, kOpm = 1u << 6;
  T* const d = state.reg<T>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  const bool is_signed = of.code.funct6() % 2 != 0;
  const auto value = [is_signed](T x) { return is_signed ? as_signed(x) : int64_t{x}; };
  const auto saturate = [&](auto compute) {
    for_each_second<T>(state, of, [&](uint32_t i, T b) {
      d[i] = saturated<T>(state, is_signed, compute(value(a[i]), value(b)));
    });
  };
  const auto round = [&](auto compute, auto shift) {
    for_each_second<T>(state, of, [&](uint32_t i, T b) {
      d[i] = static_cast<T>(rounded(state.vxrm, compute(value(a[i]), value(b)), shift(b)));
    });
  };
  const auto sum = [](int64_t x, int64_t y) { return x + y; };
  const auto difference = [](int64_t x, int64_t y) { return x - y; };
  const auto by_one = [](T) { return 1u; };
  switch (of.key()) {
    case 0x20:  // vsaddu
    case 0x21:  // vsadd
      return saturate(sum);
    case 0x22:  // vssubu
    case 0x23:  // vssub
      return saturate(difference);
    case 0x27:  // vsmul
      return saturate([&](int64_t x, int64_t y) { return rounded(state.vxrm, x * y, kShift); });
    case 0x2a:  // vssrl
    case 0x2b:  // vssra
      return round([](int64_t x, int64_t) { return x; }, [](T b) { return b & kShift; });
    case kOpm | 0x08:  // vaaddu
    case kOpm | 0x09:  // vaadd
      return round(sum, by_one);
    case kOpm | 0x0a:  // vasubu
    case kOpm | 0x0b:  // vasub
      return round(difference, by_one);
    default:
      return;
  }
}

}  // namespace

void run_fixed_point(State& state, const Operands& of) {
  if (of.shape == Shape::kNarrow)
    return with_half_element(state, [&](auto t) { run_narrow<decltype(t)>(state, of); });
  with_element(state, [&](auto t) { run_same<decltype(t)>(state, of); });
}

}  // namespace tinytune::rvv
