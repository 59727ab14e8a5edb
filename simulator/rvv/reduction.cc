// Reductions: element 0 of vs1 and all active elements of vs2 to element 0 of vd.
#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

template <typename T>
T combined(unsigned function, T x, T y) {
  switch (function) {
    case 0:  // vredsum
      return static_cast<T>(x + y);
    case 1:  // vredand
      return x & y;
    case 2:  // vredor
      return x | y;
    case 3:  // vredxor
      return x ^ y;
    case 4:  // vredminu
      return std::min(x, y);
    case 5:  // vredmin
      return as_signed(x) < as_signed(y) ? x : y;
    case 6:  // vredmaxu
      return std::max(x, y);
    default:  // vredmax
      return as_signed(x) > as_signed(y) ? x : y;
  }
}

template <typename T>
void reduce(State& state, const Operands& of) {
  const T* const a = state.reg<T>(of.code.vs2());
  T result = *state.reg<T>(of.code.vs1());
  for_each_element(state, of,
                   [&](uint32_t i) { result = combined<T>(of.code.funct6(), result, a[i]); });
  *state.reg<T>(of.code.vd()) = result;
}

template <typename T>
void reduce_widening(State& state, const Operands& of) {
  using W = Wider<T>;
  const bool is_signed = of.code.funct6() % 2 != 0;  // vwredsum, else vwredsumu
  const T* const a = state.reg<T>(of.code.vs2());
  W result = *state.reg<W>(of.code.vs1());
  for_each_element(state, of, [&](uint32_t i) {
    result = static_cast<W>(result + (is_signed ? as_signed(a[i]) : int64_t{a[i]}));
  });
  *state.reg<W>(of.code.vd()) = result;
}

}  // namespace

// Writes nothing if vl is 0.
void run_reduction(State& state, const Operands& of) {
  if (state.vl == 0) return;
  if (of.shape == Shape::kWidenReduce)
    return with_half_element(state, [&](auto t) { reduce_widening<decltype(t)>(state, of); });
  with_element(state, [&](auto t) { reduce<decltype(t)>(state, of); });
}

}  // namespace tinytune::rvv
