// Integer arithmetic on elements: one line per instruction, for all widths.
//
// Elements are unsigned, because unsigned arithmetic wraps; signed instructions use as_signed().
// Products use explicit types of 32 bits or more: the promoted ints of 16-bit elements could
// overflow.
#include <type_traits>

#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

template <typename T>
constexpr unsigned kBits = 8 * sizeof(T);

template <typename T>
T divided(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  return static_cast<T>(as_signed(a) / as_signed(b));  // in 64 bits: -2^31 / -1 wraps back
}

// Type of the products of which the high half is taken. GCC 12 at -O3 miscompiles those of 16-bit
// elements in 64 bits when it vectorises them (it takes one factor as unsigned), but not in 32.
template <typename T>
using Product = std::conditional_t<sizeof(T) == 4, int64_t, int32_t>;

template <typename T>
Product<T> with_sign(T value) {
  return static_cast<std::make_signed_t<T>>(value);
}

template <typename T>
T remainder(T a, T b) {
  return b == 0 ? a : static_cast<T>(as_signed(a) % as_signed(b));
}

template <typename T>
void run_same(State& state, const Operands& of) {
  T* const d = state.reg<T>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  const auto each = [&](auto compute) {
    for_each_second<T>(state, of,
                       [&](uint32_t i, T b) { d[i] = static_cast<T>(compute(a[i], b)); });
  };
  const auto accumulate = [&](auto compute) {
    for_each_second<T>(state, of,
                       [&](uint32_t i, T b) { d[i] = static_cast<T>(compute(d[i], a[i], b)); });
  };
  constexpr unsigned kShift = kBits<T> - 1;
  using U = uint32_t;
  constexpr unsigned kOpm = 1u << 6;
  switch (of.key()) {
    case 0x00:  // vadd
      return each([](T x, T y) { return x + y; });
    case 0x02:  // vsub
      return each([](T x, T y) { return x - y; });
    case 0x03:  // vrsub
      return each([](T x, T y) { return y - x; });
    case 0x04:  // vminu
      return each([](T x, T y) { return std::min(x, y); });
    case 0x05:  // vmin
      return each([](T x, T y) { return std::min(as_signed(x), as_signed(y)); });
    case 0x06:  // vmaxu
      return each([](T x, T y) { return std::max(x, y); });
    case 0x07:  // vmax
      return each([](T x, T y) { return std::max(as_signed(x), as_signed(y)); });
    case 0x09:  // vand
      return each([](T x, T y) { return x & y; });
    case 0x0a:  // vor
      return each([](T x, T y) { return x | y; });
    case 0x0b:  // vxor
      return each([](T x, T y) { return x ^ y; });
    case 0x25:  // vsll
      return each([](T x, T y) { return U{x} << (y & kShift); });
    case 0x28:  // vsrl
      return each([](T x, T y) { return x >> (y & kShift); });
    case 0x29:  // vsra
      return each([](T x, T y) { return as_signed(x) >> (y & kShift); });
    case kOpm | 0x20:  // vdivu
      return each([](T x, T y) { return y == 0 ? static_cast<T>(~T{0}) : static_cast<T>(x / y); });
    case kOpm | 0x21:  // vdiv
      return each([](T x, T y) { return divided(x, y); });
    case kOpm | 0x22:  // vremu
      return each([](T x, T y) { return y == 0 ? x : static_cast<T>(x % y); });
    case kOpm | 0x23:  // vrem
      return each([](T x, T y) { return remainder(x, y); });
    case kOpm | 0x24:  // vmulhu
      return each([](T x, T y) { return std::make_unsigned_t<Product<T>>{x} * y >> kBits<T>; });
    case kOpm | 0x25:  // vmul
      return each([](T x, T y) { return U{x} * y; });
    case kOpm | 0x26:  // vmulhsu
      return each([](T x, T y) { return with_sign(x) * Product<T>{y} >> kBits<T>; });
    case kOpm | 0x27:  // vmulh
      return each([](T x, T y) { return with_sign(x) * with_sign(y) >> kBits<T>; });
    case kOpm | 0x29:  // vmadd
      return accumulate([](T sum, T x, T y) { return U{sum} * y + x; });
    case kOpm | 0x2b:  // vnmsub
      return accumulate([](T sum, T x, T y) { return x - U{sum} * y; });
    case kOpm | 0x2d:  // vmacc
      return accumulate([](T sum, T x, T y) { return sum + U{x} * y; });
    case kOpm | 0x2f:  // vnmsac
      return accumulate([](T sum, T x, T y) { return sum - U{x} * y; });
    default:
      return;
  }
}

// T is the narrow type: bytes or half words.
template <typename T>
void run_widening(State& state, const Operands& of) {
  using W = Wider<T>;
  W* const d = state.reg<W>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  const W* const wide = state.reg<W>(of.code.vs2());
  // Extends an operand to 64 bits.
  const auto value = [](T x, bool is_signed) { return is_signed ? as_signed(x) : int64_t{x}; };
  const auto each = [&](bool signed_a, bool signed_b, auto compute) {
    for_each_second<T>(state, of, [&](uint32_t i, T b) {
      d[i] = static_cast<W>(compute(int64_t{d[i]}, value(a[i], signed_a), value(b, signed_b)));
    });
  };
  const auto each_wide = [&](bool signed_b, auto compute) {
    for_each_second<T>(state, of, [&](uint32_t i, T b) {
      d[i] = static_cast<W>(compute(int64_t{wide[i]}, value(b, signed_b)));
    });
  };
  const auto sum = [](int64_t, int64_t x, int64_t y) { return x + y; };
  const auto difference = [](int64_t, int64_t x, int64_t y) { return x - y; };
  const auto product = [](int64_t, int64_t x, int64_t y) { return x * y; };
  const auto accumulated = [](int64_t d, int64_t x, int64_t y) { return d + x * y; };
  const unsigned function = of.code.funct6();
  const bool is_signed = function % 2 != 0;
  switch (function) {
    case 0x30:  // vwaddu
    case 0x31:  // vwadd
      return each(is_signed, is_signed, sum);
    case 0x32:  // vwsubu
    case 0x33:  // vwsub
      return each(is_signed, is_signed, difference);
    case 0x34:  // vwaddu.w
    case 0x35:  // vwadd.w
      return each_wide(is_signed, [](int64_t x, int64_t y) { return x + y; });
    case 0x36:  // vwsubu.w
    case 0x37:  // vwsub.w
      return each_wide(is_signed, [](int64_t x, int64_t y) { return x - y; });
    case 0x38:  // vwmulu
      return each(false, false, product);
    case 0x3a:  // vwmulsu: vs2 signed
      return each(true, false, product);
    case 0x3b:  // vwmul
      return each(true, true, product);
    case 0x3c:  // vwmaccu
    case 0x3d:  // vwmacc
      return each(is_signed, is_signed, accumulated);
    case 0x3e:  // vwmaccus: vs2 signed
      return each(true, false, accumulated);
    case 0x3f:  // vwmaccsu: the second operand signed
      return each(false, true, accumulated);
    default:
      return;
  }
}

template <typename T>
void run_narrowing(State& state, const Operands& of) {
  using W = Wider<T>;
  T* const d = state.reg<T>(of.code.vd());
  const W* const wide = state.reg<W>(of.code.vs2());
  const bool is_signed = of.code.funct6() % 2 != 0;  // vnsra, else vnsrl
  for_each_second<T>(state, of, [&](uint32_t i, T b) {
    const unsigned shift = b & (kBits<W> - 1);
    d[i] = static_cast<T>(is_signed ? as_signed(wide[i]) >> shift : int64_t{wide[i]} >> shift);
  });
}

template <typename From, typename T>
void extend(State& state, const Operands& of) {
  T* const d = state.reg<T>(of.code.vd());
  const From* const a = state.reg<From>(of.code.vs2());
  const bool is_signed = of.code.vs1() % 2 != 0;
  for_each_element(state, of, [&](uint32_t i) {
    d[i] = static_cast<T>(is_signed ? as_signed(a[i]) : int64_t{a[i]});
  });
}

void run_extension(State& state, const Operands& of) {
  const bool quarter = of.code.vs1() <= 5;
  if (state.sew_log() == 1) return extend<uint8_t, uint16_t>(state, of);
  quarter ? extend<uint8_t, uint32_t>(state, of) : extend<uint16_t, uint32_t>(state, of);
}

}  // namespace

void run_integer(State& state, const Operands& of) {
  switch (of.shape) {
    case Shape::kExtend:
      return run_extension(state, of);
    case Shape::kWiden:
    case Shape::kWidenFirst:
      return with_half_element(state, [&](auto t) { run_widening<decltype(t)>(state, of); });
    case Shape::kNarrow:
      return with_half_element(state, [&](auto t) { run_narrowing<decltype(t)>(state, of); });
    default:
      return with_element(state, [&](auto t) { run_same<decltype(t)>(state, of); });
  }
}

}  // namespace tinytune::rvv
