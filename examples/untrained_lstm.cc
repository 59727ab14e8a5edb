// LSTM layers with made-up weights, quantised to int8 as TFLite's converter does: one scale per
// matrix, a hidden state in [-1, 1), an int16 cell state up to 16.
#include <algorithm>
#include <cmath>
#include <utility>

#include "examples/untrained_network.h"
#include "models/operator_kind.h"

namespace tinytune {
namespace {

constexpr float kHiddenScale = 1.0F / 128, kCellScale = 1.0F / 2048;
enum GateAt : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate, kGates };
// Indices of the operator's inputs in TFLite.
constexpr size_t kInputWeights = 1, kRecurrentWeights = 5, kBiases = 12, kHidden = 18, kCell = 19,
                 kInputs = 24;

// (1 + x / 2^20)^(2^20) instead of libm's exp(), whose last bit may differ between machines.
double exponential(double x) {
  double power = 1 + std::clamp(x, -30.0, 30.0) / (1 << 20);
  for (int i = 0; i < 20; ++i) power *= power;
  return power;
}

double sigmoid(double x) { return 1 / (1 + exponential(-x)); }
double tangent(double x) { return 2 * sigmoid(2 * x) - 1; }

}  // namespace

/// Ids of a gate's constants, and their values as real numbers.
struct UntrainedNetwork::Gate {
  int input_weights = 0, recurrent_weights = 0, bias = 0;
  Reals of_input, of_hidden, added;

  double operator()(size_t unit, const Reals& input, const Reals& hidden) const {
    double sum = added[unit];
    for (size_t i = 0; i < input.size(); ++i) sum += of_input[unit * input.size() + i] * input[i];
    for (size_t i = 0; i < hidden.size(); ++i)
      sum += of_hidden[unit * hidden.size() + i] * hidden[i];
    return sum;
  }
};

int UntrainedNetwork::draw_matrix(const std::string& name, int rows, int columns, double spread,
                                  Reals& real) {
  real.assign(static_cast<size_t>(rows) * static_cast<size_t>(columns), 0);
  double largest = 0;
  for (double& w : real) largest = std::max(largest, std::abs(w = spread * bell()));
  const auto scale = static_cast<float>(largest / 127);
  Tensor tensor{.name = name, .shape = {rows, columns}, .is_constant = true};
  for (double& w : real) {
    const double q = std::clamp(std::round(w / double{scale}), -127.0, 127.0);
    tensor.data.push_back(static_cast<uint8_t>(static_cast<int8_t>(q)));
    w = q * double{scale};
  }
  return add(std::move(tensor), scale, 0);
}

// Scales weights for sums of about 1.5, so that gates are neither all open nor all shut.
UntrainedNetwork::Gate UntrainedNetwork::draw_gate(const std::string& name, int units,
                                                   double middle) {
  const int features = tensor().shape[2];
  double squares = 0;
  for (const Reals& sample : samples_)
    for (const double x : sample) squares += x * x / static_cast<double>(samples_.size());
  Gate gate;
  gate.input_weights =
      draw_matrix(name + "/input", units, features, 1.5 / std::sqrt(squares), gate.of_input);
  gate.recurrent_weights =
      draw_matrix(name + "/recurrent", units, units, 2 / std::sqrt(units), gate.of_hidden);
  const float unit = static_cast<float>(current_scale()) *
                     graph_.tensor(gate.input_weights).quantization.scales[0];
  std::vector<int32_t> values;
  for (int u = 0; u < units; ++u) {
    values.push_back(static_cast<int32_t>(std::round((middle + 0.2 * bell()) / double{unit})));
    gate.added.push_back(values.back() * double{unit});
  }
  gate.bias = add({.name = name + "/bias",
                   .type = ElementType::kInt32,
                   .shape = {units},
                   .is_constant = true,
                   .data = bytes_of(values)},
                  unit, 0);
  return gate;
}

void UntrainedNetwork::lstm(int units) {
  const std::string name = "lstm_" + std::to_string(graph_.operators.size());
  std::vector<int> inputs(kInputs, -1);
  inputs[0] = current_;
  std::vector<Gate> gates;
  for (size_t at = 0; at < kGates; ++at) {
    // The bias makes cells forget slowly, as trained ones do.
    gates.push_back(
        draw_gate(name + "/gate_" + std::to_string(at), units, at == kForgetGate ? 1 : 0));
    inputs[kInputWeights + at] = gates[at].input_weights;
    inputs[kRecurrentWeights + at] = gates[at].recurrent_weights;
    inputs[kBiases + at] = gates[at].bias;
  }
  inputs[kHidden] =
      add({.name = name + "/hidden", .shape = {1, units}, .is_variable = true}, kHiddenScale, 0);
  inputs[kCell] = add({.name = name + "/cell",
                       .type = ElementType::kInt16,
                       .shape = {1, units},
                       .is_variable = true},
                      kCellScale, 0);
  Reals hidden(static_cast<size_t>(units), 0), cell = hidden;
  for (Reals& sample : samples_) {
    Reals next;
    for (size_t u = 0; u < cell.size(); ++u) {
      const auto gate = [&](GateAt at) { return gates[at](u, sample, hidden); };
      cell[u] = sigmoid(gate(kForgetGate)) * cell[u] +
                sigmoid(gate(kInputGate)) * tangent(gate(kCellGate));
      next.push_back(sigmoid(gate(kOutputGate)) * tangent(cell[u]));
    }
    sample = hidden = std::move(next);
  }
  current_ = add({.name = name, .shape = {1, 1, units}}, kHiddenScale, 0);
  append(OperatorKind::kUnidirectionalSequenceLstm, std::move(inputs), LstmAttributes{});
}

void UntrainedNetwork::logistic() {
  const int input = current_;
  for (Reals& sample : samples_)
    for (double& x : sample) x = sigmoid(x);
  current_ = add({.name = "probabilities", .shape = tensor().shape}, 1.0F / 256, -128);
  append(OperatorKind::kLogistic, {input}, {});
}

}  // namespace tinytune
