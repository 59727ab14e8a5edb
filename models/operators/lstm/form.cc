// UNIDIRECTIONAL_SEQUENCE_LSTM, int8 or int16 with an int16 cell: the form that TFLite Micro
// executes, without peepholes, projection or layer normalisation.
#include "models/operators/lstm/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/operators/long_sums.h"
#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

// The operator's inputs, in TFLite's order.
constexpr size_t kInput = 0, kInputWeights = 1, kRecurrentWeights = 5, kBiases = 12, kHidden = 18,
                 kCell = 19;
constexpr size_t kMustBeAbsent[] = {9, 10, 11, 16, 17, 20, 21, 22, 23};
enum GateAt : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate };

constexpr double kGateScale = 1.0 / 4096;       // before a gate's function
constexpr double kFunctionScale = 1.0 / 32768;  // after it

double scale_of(const Tensor& tensor) { return tensor.quantization.scales[0]; }

Status check_presence(const OperatorView& view) {
  for (const size_t i : kMustBeAbsent)
    if (view.has_input(i))
      return view.unsupported(
          fmt::format("input {}: peepholes, a projection or layer "
                      "normalisation",
                      i));
  for (size_t i = 0; i <= kCell; ++i)
    if (std::find(std::begin(kMustBeAbsent), std::end(kMustBeAbsent), i) ==
            std::end(kMustBeAbsent) &&
        !view.has_input(i))
      return view.unsupported(fmt::format("input {} is absent", i));
  return ok_status();
}

Status check_state(const OperatorView& view, const Tensor& state, ElementType type,
                   int64_t elements) {
  TT_TRY(view.require_quantised(state));
  if (!state.is_variable) return view.unsupported(describe(state) + " is not a variable");
  if (state.type != type)
    return view.unsupported(
        fmt::format("{} is {}, not {}", describe(state), name_of(state.type), name_of(type)));
  if (state.elements() != elements)
    return view.invalid(fmt::format("{} is no state of {} values", describe(state), elements));
  return ok_status();
}

Result<LstmOp::Scaling> scaling(const OperatorView& view, double real) {
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  return LstmOp::Scaling{m.multiplier, m.shift};
}

// Returns the scaling of a product of two 16-bit values, which leaves no bit for a left shift.
Result<LstmOp::Scaling> product_scaling(const OperatorView& view, double real) {
  TT_TRY_ASSIGN(const LstmOp::Scaling m, scaling(view, real));
  if (m.shift > 0) return view.unsupported("the ratio of its scales exceeds 1");
  return m;
}

Result<std::vector<int8_t>> weights_of(const OperatorView& view, const Tensor& weights, int rows,
                                       int columns) {
  TT_TRY(view.require_constant(weights));
  TT_TRY(view.require_int8(weights));
  TT_TRY(view.require_shape(weights, {rows, columns}));
  if (weights.quantization.zero_points[0] != 0)
    return view.unsupported(describe(weights) + " has a zero point");
  return std::vector<int8_t>(weights.data.begin(), weights.data.end());
}

Result<std::vector<int64_t>> bias_of(const OperatorView& view, const Tensor& bias, bool wide) {
  if (wide) return int64_constant(view, bias);
  TT_TRY_ASSIGN(const std::vector<int32_t> narrow, int32_constant(view, bias));
  return std::vector<int64_t>(narrow.begin(), narrow.end());
}

Result<LstmOp::Gate> gate_of(const OperatorView& view, size_t at, const LstmOp& op) {
  const Tensor &weights = view.input(kInputWeights + at),
               &recurrent = view.input(kRecurrentWeights + at), &bias = view.input(kBiases + at);
  LstmOp::Gate gate;
  TT_TRY_ASSIGN(gate.input_weights, weights_of(view, weights, op.units, op.inputs));
  TT_TRY_ASSIGN(gate.recurrent_weights, weights_of(view, recurrent, op.units, op.units));
  TT_TRY_ASSIGN(gate.bias, bias_of(view, bias, op.wide));
  if (static_cast<int>(gate.bias.size()) != op.units)
    return view.invalid(fmt::format("bias {} for {} units", describe(bias), op.units));
  // The products of scales are float32.
  const auto product = [](const Tensor& a, const Tensor& b) {
    return double{a.quantization.scales[0] * b.quantization.scales[0]};
  };
  TT_TRY_ASSIGN(gate.input, scaling(view, product(view.input(kInput), weights) / kGateScale));
  TT_TRY_ASSIGN(gate.recurrent,
                scaling(view, product(view.input(kHidden), recurrent) / kGateScale));
  if (op.wide)
    TT_TRY(check_long_sums(view, std::max(op.inputs, op.units), gate.bias,
                           std::array{gate.input.shift, gate.recurrent.shift}));
  return gate;
}

// Reads shapes and all that belongs to no gate.
Result<LstmOp> read_layout(const OperatorView& view) {
  const Tensor &input = view.input(kInput), &output = view.output(), &hidden = view.input(kHidden);
  const auto& attributes = std::get<LstmAttributes>(view.op().attributes);
  LstmOp op;
  op.wide = input.type == ElementType::kInt16;
  for (const Tensor* t : {&input, &output, &hidden})
    TT_TRY(op.wide ? view.require_int16(*t) : view.require_int8(*t));
  TT_TRY(view.require_computed(input));
  TT_TRY(view.require_rank(input, 3));
  TT_TRY(view.require_rank(hidden, 2));
  op.time_major = attributes.time_major;
  op.batch = input.shape[op.time_major ? 1 : 0];
  op.steps = input.shape[op.time_major ? 0 : 1];
  op.inputs = input.shape[2];
  op.units = hidden.shape[1];
  TT_TRY(view.require_shape(output, {input.shape[0], input.shape[1], op.units}));
  if (op.inputs > kMostSummed || op.units > kMostSummed) return view.unsupported(kTooManySummed);
  const int64_t values = int64_t{op.batch} * op.units;
  TT_TRY(check_state(view, hidden, input.type, values));
  TT_TRY(check_state(view, view.input(kCell), ElementType::kInt16, values));
  op.input_offset = -input.quantization.zero_points[0];
  op.hidden_zero_point = hidden.quantization.zero_points[0];
  return op;
}

Status read_cell(const OperatorView& view, LstmOp& op) {
  const Tensor& cell = view.input(kCell);
  int exponent = 0;
  if (std::frexp(cell.quantization.scales[0], &exponent) != 0.5F || exponent > 1 || exponent < -30)
    return view.unsupported(describe(cell) + " has a scale that is no power of 2");
  if (cell.quantization.zero_points[0] != 0)
    return view.unsupported(describe(cell) + " has a zero point");
  op.cell_power = exponent - 1;
  const double clip = std::get<LstmAttributes>(view.op().attributes).cell_clip / scale_of(cell);
  op.cell_clip = static_cast<int32_t>(std::min(clip, 32767.0));
  // A clip that rounds to 0 would clamp the cell to 0, which no network intends.
  if (clip > 0 && op.cell_clip == 0) return view.unsupported("a clip below the cell's scale");
  return ok_status();
}

}  // namespace

Result<IntegerOp> prepare_lstm(const OperatorView& view) {
  TT_TRY(check_presence(view));
  TT_TRY_ASSIGN(LstmOp op, read_layout(view));
  TT_TRY(read_cell(view, op));
  TT_TRY_ASSIGN(op.input, gate_of(view, kInputGate, op));
  TT_TRY_ASSIGN(op.forget, gate_of(view, kForgetGate, op));
  TT_TRY_ASSIGN(op.cell, gate_of(view, kCellGate, op));
  TT_TRY_ASSIGN(op.output, gate_of(view, kOutputGate, op));
  const double cell = scale_of(view.input(kCell)), hidden = scale_of(view.input(kHidden));
  TT_TRY_ASSIGN(op.forget_cell, product_scaling(view, kFunctionScale * cell / cell));
  TT_TRY_ASSIGN(op.input_cell, product_scaling(view, kFunctionScale * kFunctionScale / cell));
  TT_TRY_ASSIGN(op.output_hidden, product_scaling(view, kFunctionScale * kFunctionScale / hidden));
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
