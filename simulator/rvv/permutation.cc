// Moves of elements: slides, gathers, compression, whole registers.
#include <cstring>

#include "simulator/rvv/operations.h"

namespace tinytune::rvv {
namespace {

template <typename T>
void slide_up(State& state, const Operands& of) {
  T* const d = state.reg<T>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  const uint32_t offset = of.multiplies ? 1 : of.scalar;
  for_each_element(state, of, [&](uint32_t i) {
    if (i >= offset) {
      d[i] = a[i - offset];
    } else if (of.multiplies) {  // vslide1up; else they stay
      d[i] = static_cast<T>(of.scalar);
    }
  });
}

// Goes upwards, so that each element is read before it is overwritten if vd is vs2.
template <typename T>
void slide_down(State& state, const Operands& of) {
  T* const d = state.reg<T>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  const uint64_t offset = of.multiplies ? 1 : of.scalar;
  const uint32_t most = state.vlmax();
  for_each_element(state, of, [&](uint32_t i) {
    if (of.multiplies && i + 1 == state.vl) {
      d[i] = static_cast<T>(of.scalar);
    } else {
      d[i] = i + offset < most ? a[i + offset] : T{0};
    }
  });
}

template <typename T>
void gather(State& state, const Operands& of) {
  T* const d = state.reg<T>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  const uint32_t most = state.vlmax();
  const auto take = [&](auto index_of) {
    for_each_element(state, of, [&](uint32_t i) {
      const uint32_t index = index_of(i);
      d[i] = index < most ? a[index] : T{0};
    });
  };
  if (of.shape == Shape::kGather16) {
    const uint16_t* const indices = state.reg<uint16_t>(of.code.vs1());
    take([&](uint32_t i) { return uint32_t{indices[i]}; });
  } else if (of.vector) {
    const T* const indices = state.reg<T>(of.code.vs1());
    take([&](uint32_t i) { return uint32_t{indices[i]}; });
  } else {
    take([&](uint32_t) { return of.scalar; });
  }
}

template <typename T>
void compress(State& state, const Operands& of) {
  T* const d = state.reg<T>(of.code.vd());
  const T* const a = state.reg<T>(of.code.vs2());
  uint32_t count = 0;
  for (uint32_t i = 0; i < state.vl; ++i)
    if (state.bit(of.code.vs1(), i)) d[count++] = a[i];
}

void move_registers(State& state, const Operands& of) {
  const size_t bytes = size_t{of.code.vs1() + 1} * state.vlenb;
  const size_t done = std::min<size_t>(bytes, size_t{state.vstart} << state.sew_log());
  std::memmove(state.reg<uint8_t>(of.code.vd()) + done, state.reg<uint8_t>(of.code.vs2()) + done,
               bytes - done);
}

}  // namespace

void run_permutation(State& state, const Operands& of) {
  if (of.shape == Shape::kWholeRegisters) return move_registers(state, of);
  with_element(state, [&](auto t) {
    using T = decltype(t);
    switch (of.shape) {
      case Shape::kSlideUp:
        return slide_up<T>(state, of);
      case Shape::kSlideDown:
        return slide_down<T>(state, of);
      case Shape::kCompress:
        return compress<T>(state, of);
      case Shape::kFromScalar:
        if (state.vstart < state.vl) *state.reg<T>(of.code.vd()) = static_cast<T>(of.scalar);
        return;
      default:
        return gather<T>(state, of);
    }
  });
}

}  // namespace tinytune::rvv
