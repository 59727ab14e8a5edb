// UNIDIRECTIONAL_SEQUENCE_LSTM, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "models/reference/fixed_point.h"
#include "models/reference/gate_functions.h"
#include "schedules/requantise.h"

namespace tinytune::reference {
namespace {

template <typename T>
T saturated(int64_t value) {
  return static_cast<T>(
      std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

int32_t scaled(int32_t value, const LstmOp::Scaling& by) {
  return multiply_by_quantized_multiplier(value, by.multiplier, by.shift);
}

// Computes one row of a dense layer whose sum wraps at 32 bits.
int16_t dense(const int8_t* x, const int8_t* weights, int count, int32_t offset, int64_t bias,
              const LstmOp::Scaling& by) {
  auto sum = static_cast<uint32_t>(bias);
  for (int i = 0; i < count; ++i) sum += static_cast<uint32_t>(weights[i] * (x[i] + offset));
  return saturated<int16_t>(scaled(static_cast<int32_t>(sum), by));
}

// The same with a sum of 64 bits.
int16_t dense(const int16_t* x, const int8_t* weights, int count, int32_t offset, int64_t bias,
              const LstmOp::Scaling& by) {
  int64_t sum = bias;
  for (int i = 0; i < count; ++i) sum += weights[i] * (x[i] + offset);
  return saturated<int16_t>(fixed_point::scale_long(sum, by.multiplier, by.shift));
}

/// Computes a gate of one unit before its function.
template <typename T>
int16_t gate_sum(const LstmOp& op, const LstmOp::Gate& gate, int unit, const T* x,
                 const T* hidden) {
  const auto u = static_cast<size_t>(unit);
  const int16_t of_input = dense(x, &gate.input_weights[u * static_cast<size_t>(op.inputs)],
                                 op.inputs, op.input_offset, gate.bias[u], gate.input);
  const int16_t of_hidden =
      dense(hidden, &gate.recurrent_weights[u * static_cast<size_t>(op.units)], op.units,
            -op.hidden_zero_point, 0, gate.recurrent);
  return saturated<int16_t>(of_input + of_hidden);
}

// Computes one step. Reads all of `hidden` before it changes any of it.
template <typename T>
void step(const LstmOp& op, const T* x, T* hidden, int16_t* cell, T* output) {
  using Limits = std::numeric_limits<T>;
  const TableStep gate_step = table_step(-12), cell_step = table_step(op.cell_power);
  for (int u = 0; u < op.units; ++u) {
    const int16_t forget = logistic_16(gate_sum(op, op.forget, u, x, hidden));
    const int16_t input = logistic_16(gate_sum(op, op.input, u, x, hidden));
    const int16_t candidate = tanh_16(gate_sum(op, op.cell, u, x, hidden), gate_step);
    const auto kept = saturated<int16_t>(scaled(forget * cell[u], op.forget_cell));
    const auto added = saturated<int16_t>(scaled(input * candidate, op.input_cell));
    cell[u] = saturated<int16_t>(kept + added);
    if (op.cell_clip > 0)
      cell[u] = static_cast<int16_t>(std::clamp<int32_t>(cell[u], -op.cell_clip, op.cell_clip));
    const int16_t shown = logistic_16(gate_sum(op, op.output, u, x, hidden));
    const int32_t product = scaled(tanh_16(cell[u], cell_step) * shown, op.output_hidden);
    output[u] = static_cast<T>(
        std::clamp<int64_t>(int64_t{product} + op.hidden_zero_point, Limits::min(), Limits::max()));
  }
  std::copy(output, output + op.units, hidden);
}

// A copy of state in memory aligned for its elements, written back at the end of the inference.
template <typename T>
class State {
 public:
  State(uint8_t* bytes, int elements) : bytes_(bytes), values_(static_cast<size_t>(elements)) {
    std::memcpy(values_.data(), bytes_, values_.size() * sizeof(T));
  }
  ~State() { std::memcpy(bytes_, values_.data(), values_.size() * sizeof(T)); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  T* at(int64_t element) { return values_.data() + element; }

 private:
  uint8_t* bytes_;
  std::vector<T> values_;
};

template <typename T>
void run(const LstmOp& op, const Buffers& buffers, const T* input, T* output) {
  State<T> hidden(buffers.state(1), op.batch * op.units);
  State<int16_t> cell(buffers.state(2), op.batch * op.units);
  for (int b = 0; b < op.batch; ++b)
    for (int t = 0; t < op.steps; ++t) {
      const int64_t at = op.time_major ? int64_t{t} * op.batch + b : int64_t{b} * op.steps + t;
      const int64_t unit = int64_t{b} * op.units;
      step(op, input + at * op.inputs, hidden.at(unit), cell.at(unit), output + at * op.units);
    }
}

}  // namespace

void run(const LstmOp& op, const Buffers& buffers) {
  if (op.wide)
    run(op, buffers, buffers.wide_input(), buffers.wide_output());
  else
    run(op, buffers, buffers.input(), buffers.output());
}

}  // namespace tinytune::reference
