// Comparisons and carries, which write masks, and merges and additions that read one.
#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

template <typename T>
void run_comparison(State& state, const Operands& of) {
  const T* const a = state.reg<T>(of.code.vs2());
  const unsigned to = of.code.vd();
  const auto each = [&](auto holds) {
    for_each_second<T>(state, of, [&](uint32_t i, T b) { state.set_bit(to, i, holds(a[i], b)); });
  };
  switch (of.code.funct6()) {
    case 0x18:  // vmseq
      return each([](T x, T y) { return x == y; });
    case 0x19:  // vmsne
      return each([](T x, T y) { return x != y; });
    case 0x1a:  // vmsltu
      return each([](T x, T y) { return x < y; });
    case 0x1b:  // vmslt
      return each([](T x, T y) { return as_signed(x) < as_signed(y); });
    case 0x1c:  // vmsleu
      return each([](T x, T y) { return x <= y; });
    case 0x1d:  // vmsle
      return each([](T x, T y) { return as_signed(x) <= as_signed(y); });
    case 0x1e:  // vmsgtu
      return each([](T x, T y) { return x > y; });
    default:  // vmsgt
      return each([](T x, T y) { return as_signed(x) > as_signed(y); });
  }
}

/// Returns the operands as unmasked: v0 is data here, and all elements take part.
Operands unmasked(Operands of) {
  of.code.word |= 1u << 25;
  return of;
}

template <typename T>
void run_carry(State& state, const Operands& of) {
  const bool subtracts = of.code.funct6() >= 0x12, has_carry = of.code.masked();
  const T* const a = state.reg<T>(of.code.vs2());
  T* const d = state.reg<T>(of.code.vd());
  for_each_second<T>(state, unmasked(of), [&](uint32_t i, T b) {
    const int64_t carry = has_carry && state.bit(0, i) ? 1 : 0;
    const int64_t result =
        subtracts ? int64_t{a[i]} - int64_t{b} - carry : int64_t{a[i]} + int64_t{b} + carry;
    if (of.shape == Shape::kCarry) {
      d[i] = static_cast<T>(result);
    } else {
      state.set_bit(of.code.vd(), i, (result >> (8 * sizeof(T)) & 1) != 0);
    }
  });
}

template <typename T>
void run_merge(State& state, const Operands& of) {
  const bool moves = !of.code.masked();
  const T* const a = state.reg<T>(of.code.vs2());
  T* const d = state.reg<T>(of.code.vd());
  for_each_second<T>(state, unmasked(of),
                     [&](uint32_t i, T b) { d[i] = moves || state.bit(0, i) ? b : a[i]; });
}

}  // namespace

void run_compare(State& state, const Operands& of) {
  with_element(state, [&](auto t) {
    using T = decltype(t);
    if (of.shape == Shape::kMaskResult) return run_comparison<T>(state, of);
    of.shape == Shape::kMerge ? run_merge<T>(state, of) : run_carry<T>(state, of);
  });
}

}  // namespace tinytune::rvv
