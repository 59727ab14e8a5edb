#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "models/reference/gate_functions.h"
#include "models/reference/reference.h"
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

// One row of a dense layer whose sum wraps.
int16_t dense(const int8_t* x, const int8_t* weights, int count, int32_t offset, int32_t bias,
              const LstmOp::Scaling& by) {
  auto sum = static_cast<uint32_t>(bias);
  for (int i = 0; i < count; ++i) sum += static_cast<uint32_t>(weights[i] * (x[i] + offset));
  return saturated<int16_t>(scaled(static_cast<int32_t>(sum), by));
}

/// A gate of one unit before its function.
int16_t gate_sum(const LstmOp& op, const LstmOp::Gate& gate, int unit, const int8_t* x,
                 const int8_t* hidden) {
  const auto u = static_cast<size_t>(unit);
  const int16_t of_input = dense(x, &gate.input_weights[u * static_cast<size_t>(op.inputs)],
                                 op.inputs, op.input_offset, gate.bias[u], gate.input);
  const int16_t of_hidden =
      dense(hidden, &gate.recurrent_weights[u * static_cast<size_t>(op.units)], op.units,
            -op.hidden_zero_point, 0, gate.recurrent);
  return saturated<int16_t>(of_input + of_hidden);
}

// `hidden` is read whole before any of it changes.
void step(const LstmOp& op, const int8_t* x, int8_t* hidden, int16_t* cell, int8_t* output) {
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
    output[u] = add_zero_point(scaled(tanh_16(cell[u], cell_step) * shown, op.output_hidden),
                               op.hidden_zero_point, -128, 127);
  }
  std::copy(output, output + op.units, hidden);
}

}  // namespace

void run(const LstmOp& op, const Buffers& buffers) {
  auto* hidden = reinterpret_cast<int8_t*>(buffers.state(1));
  std::vector<int16_t> cell(static_cast<size_t>(op.batch * op.units));
  std::memcpy(cell.data(), buffers.state(2), cell.size() * sizeof(int16_t));
  for (int b = 0; b < op.batch; ++b)
    for (int t = 0; t < op.steps; ++t) {
      const int64_t at = op.time_major ? int64_t{t} * op.batch + b : int64_t{b} * op.steps + t;
      step(op, buffers.input() + at * op.inputs, hidden + int64_t{b} * op.units,
           cell.data() + int64_t{b} * op.units, buffers.output() + at * op.units);
    }
  std::memcpy(buffers.state(2), cell.data(), cell.size() * sizeof(int16_t));
}

}  // namespace tinytune::reference
