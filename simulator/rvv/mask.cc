// Mask instructions: logic, functions of the first or of all set bits, and moves of counts and
// elements to integer registers.
#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

void run_logic(State& state, const Operands& of) {
  const unsigned to = of.code.vd(), a = of.code.vs2(), b = of.code.vs1();
  const auto each = [&](auto compute) {
    for_each_element(state, of, [&](uint32_t i) {
      state.set_bit(to, i, compute(state.bit(a, i), state.bit(b, i)));
    });
  };
  switch (of.code.funct6()) {
    case 0x18:  // vmandn
      return each([](bool x, bool y) { return x && !y; });
    case 0x19:  // vmand
      return each([](bool x, bool y) { return x && y; });
    case 0x1a:  // vmor
      return each([](bool x, bool y) { return x || y; });
    case 0x1b:  // vmxor
      return each([](bool x, bool y) { return x != y; });
    case 0x1c:  // vmorn
      return each([](bool x, bool y) { return x || !y; });
    case 0x1d:  // vmnand
      return each([](bool x, bool y) { return !(x && y); });
    case 0x1e:  // vmnor
      return each([](bool x, bool y) { return !(x || y); });
    default:  // vmxnor
      return each([](bool x, bool y) { return x == y; });
  }
}

// vmsbf sets the bits before the first set one, vmsof that one, vmsif both.
void run_first(State& state, const Operands& of) {
  const unsigned what = of.code.vs1();
  bool found = false;
  for_each_element(state, of, [&](uint32_t i) {
    const bool first = !found && state.bit(of.code.vs2(), i);
    found = found || first;
    const bool before = !found;
    state.set_bit(of.code.vd(), i, what == 1 ? before : what == 2 ? first : before || first);
  });
}

template <typename T>
void run_index(State& state, const Operands& of) {
  constexpr unsigned kVid = 17;
  T* const d = state.reg<T>(of.code.vd());
  uint32_t set = 0;  // viota: bits before
  for_each_element(state, of, [&](uint32_t i) {
    d[i] = static_cast<T>(of.code.vs1() == kVid ? i : set);
    set += state.bit(of.code.vs2(), i) ? 1 : 0;
  });
}

uint32_t count(const State& state, const Operands& of) {
  uint32_t set = 0;
  for_each_element(state, of, [&](uint32_t i) { set += state.bit(of.code.vs2(), i) ? 1 : 0; });
  return set;
}

uint32_t first(const State& state, const Operands& of) {
  uint32_t found = ~uint32_t{0};
  for_each_element(state, of, [&](uint32_t i) {
    if (found == ~uint32_t{0} && state.bit(of.code.vs2(), i)) found = i;
  });
  return found;
}

uint32_t to_scalar(State& state, const Operands& of) {
  constexpr unsigned kCount = 16, kFirst = 17;
  if (of.code.vs1() == kCount) return count(state, of);
  if (of.code.vs1() == kFirst) return first(state, of);
  uint32_t element = 0;
  with_element(state, [&](auto t) {
    element = static_cast<uint32_t>(as_signed(*state.reg<decltype(t)>(of.code.vs2())));
  });
  return element;
}

}  // namespace

void run_mask(State& state, const Operands& of, VectorUnit::Core& core) {
  constexpr unsigned kViota = 16;
  if (of.shape == Shape::kMaskLogic) return run_logic(state, of);
  if (of.shape == Shape::kToScalar) {
    const uint32_t value = to_scalar(state, of);
    if (of.code.vd() != 0) core.set(of.code.vd(), value);
    return;
  }
  if (of.code.vs1() < kViota) return run_first(state, of);
  with_element(state, [&](auto t) { run_index<decltype(t)>(state, of); });
}

}  // namespace tinytune::rvv
