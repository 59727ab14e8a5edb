// The reference operators: one overload per integer form, plain loops, no cleverness.
//
// They are the oracle for every kernel, so they follow TFLite Micro's reference kernels step by
// step. Sizes were checked by the caller (run_reference).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "models/integer_op.h"

namespace tinytune::reference {

/// The non-constant inputs and the outputs of one operator, in its order.
struct Buffers {
  std::span<const std::span<const uint8_t>> inputs;
  std::span<const std::span<uint8_t>> outputs;

  const int8_t* input(size_t i = 0) const {
    return reinterpret_cast<const int8_t*>(inputs[i].data());
  }
  const int16_t* wide_input(size_t i = 0) const {
    return reinterpret_cast<const int16_t*>(inputs[i].data());
  }
  int16_t* wide_output() const { return reinterpret_cast<int16_t*>(outputs[0].data()); }
  /// An input that is state: its owner keeps it in memory that may be written.
  uint8_t* state(size_t i) const { return const_cast<uint8_t*>(inputs[i].data()); }
  int8_t* output(size_t i = 0) const { return reinterpret_cast<int8_t*>(outputs[i].data()); }
};

inline int16_t clamped_16(int32_t value, int low, int high) {
  return static_cast<int16_t>(std::clamp(value, low, high));
}

void run(const KernelOp& op, const Buffers& buffers);
#define INTEGER_FORM(type) void run(const type& op, const Buffers& buffers);
#include "models/integer_forms.inc"
#undef INTEGER_FORM

}  // namespace tinytune::reference
