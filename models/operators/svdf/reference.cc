// SVDF, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

// Shifts the state by one value and stores the newest feature of every filter behind the older
// ones. The state is one row of `memory` values after another, and shifts as a whole.
template <typename T>
void push_features(const SvdfOp& op, const int8_t* input, std::vector<T>& state) {
  std::copy(state.begin() + 1, state.end(), state.begin());
  for (int b = 0; b < op.batch; ++b)
    for (int f = 0; f < op.filters; ++f) {
      uint32_t sum = 0;
      for (int i = 0; i < op.inputs; ++i)
        sum += static_cast<uint32_t>(op.feature_weights[static_cast<size_t>(f * op.inputs + i)] *
                                     (input[b * op.inputs + i] + op.input_offset));
      const int32_t feature = multiply_by_quantized_multiplier(
          static_cast<int32_t>(sum), op.feature_multiplier, op.feature_shift);
      state[static_cast<size_t>((b * op.filters + f + 1) * op.memory - 1)] = static_cast<T>(
          op.state_zero_point + std::clamp<int32_t>(feature, std::numeric_limits<T>::min(),
                                                    std::numeric_limits<T>::max()));
    }
}

template <typename T>
void weigh_over_time(const SvdfOp& op, const std::vector<T>& state, int8_t* output) {
  for (int b = 0; b < op.batch; ++b)
    for (int unit = 0; unit < op.units(); ++unit) {
      auto sum = static_cast<uint32_t>(op.bias[static_cast<size_t>(unit)]);
      const int64_t first = int64_t{unit} * op.rank * op.memory;
      for (int64_t i = first; i < first + op.rank * op.memory; ++i)
        sum += static_cast<uint32_t>(
            op.time_weights[static_cast<size_t>(i)] *
            (state[static_cast<size_t>(int64_t{b} * op.filters * op.memory + i)] -
             op.state_zero_point));
      *output++ = add_zero_point(multiply_by_quantized_multiplier(
                                     static_cast<int32_t>(sum), op.time_multiplier, op.time_shift),
                                 op.output_offset, -128, 127);
    }
}

template <typename T>
void step(const SvdfOp& op, const Buffers& buffers) {
  std::vector<T> state(static_cast<size_t>(op.batch * op.filters * op.memory));
  std::memcpy(state.data(), buffers.state(1), state.size() * sizeof(T));
  push_features(op, buffers.input(), state);
  weigh_over_time(op, state, buffers.output());
  std::memcpy(buffers.state(1), state.data(), state.size() * sizeof(T));
}

}  // namespace

void run(const SvdfOp& op, const Buffers& buffers) {
  if (op.wide)
    step<int16_t>(op, buffers);
  else
    step<int8_t>(op, buffers);
}

}  // namespace tinytune::reference
