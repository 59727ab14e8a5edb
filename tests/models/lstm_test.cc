// UNIDIRECTIONAL_SEQUENCE_LSTM against the recurrence in real numbers that it quantises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/integer_network.h"
#include "models/reference/gate_functions.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

constexpr int kUnits = 2, kInputs = 3;
constexpr float kWeightScale = 0.01F;

/// Differences between activations of int8 and of int16.
struct Width {
  ElementType type = ElementType::kInt8;
  float input_scale = 0.02F, hidden_scale = 1.0F / 128;
  int input_zero = 3, hidden_zero = -7;
  int range = 1;  ///< of inputs and biases, as a multiple of int8's
  double tolerance = 1.5;
};
constexpr Width kNarrow;
constexpr Width kWide = {ElementType::kInt16, 0.02F / 256, 1.0F / 32768, 0, 0, 256, 60};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<int8_t> weights_of(int gate, int count) {
  std::vector<int8_t> weights;
  for (int i = 0; i < count; ++i)
    weights.push_back(static_cast<int8_t>((gate * 53 + i * 37) % 200 - 100));
  return weights;
}

struct Lstm {
  Graph graph;
  int output = 0;
};

struct LstmSetup {
  Width width = kNarrow;
  int steps = 4;
  LstmAttributes attributes;
  float cell_scale = 1.0F / 2048;
  int extra_input = -1;  ///< input to give although no kernel takes it; -1: none
  bool long_biases = width.type == ElementType::kInt16;
};

// Converts an int32 bias to int64.
void lengthen(Tensor& bias) {
  Bytes longer;
  for (size_t i = 0; i < bias.data.size(); i += sizeof(int32_t)) {
    longer.insert(longer.end(), &bias.data[i], &bias.data[i] + sizeof(int32_t));
    longer.insert(longer.end(), sizeof(int32_t), (bias.data[i + 3] & 0x80) != 0 ? 0xff : 0);
  }
  bias.type = ElementType::kInt64;
  bias.data = std::move(longer);
}

Lstm lstm_network(const LstmSetup& setup) {
  GraphBuilder b;
  const Width& width = setup.width;
  const auto retype = [&](int id, ElementType type) {
    b.graph.tensors[static_cast<size_t>(id)].type = type;
    return id;
  };
  std::vector<int> shape = {1, setup.steps, kInputs};
  if (setup.attributes.time_major) std::swap(shape[0], shape[1]);
  const int x = retype(b.input(shape, width.input_scale, width.input_zero), width.type);
  std::vector<int> inputs(24, -1);
  inputs[0] = x;
  for (int gate = 0; gate < 4; ++gate) {
    const auto at = static_cast<size_t>(gate);
    inputs[1 + at] =
        b.int8_constant({kUnits, kInputs}, weights_of(gate, kUnits * kInputs), kWeightScale, 0);
    inputs[5 + at] =
        b.int8_constant({kUnits, kUnits}, weights_of(gate + 4, kUnits * kUnits), kWeightScale, 0);
    inputs[12 + at] = b.int32_constant({kUnits}, {1000 * gate * width.range, -2000 * width.range});
    if (setup.long_biases) lengthen(b.graph.tensors[static_cast<size_t>(inputs[12 + at])]);
  }
  if (setup.extra_input >= 0) inputs[static_cast<size_t>(setup.extra_input)] = inputs[1];
  inputs[18] = retype(b.activation({1, kUnits}, width.hidden_scale, width.hidden_zero), width.type);
  inputs[19] = retype(b.activation({1, kUnits}, setup.cell_scale, 0), ElementType::kInt16);
  for (const size_t state : {18u, 19u})
    b.graph.tensors[static_cast<size_t>(inputs[state])].is_variable = true;
  shape[2] = kUnits;
  const int y = retype(b.activation(shape, width.hidden_scale, width.hidden_zero), width.type);
  b.op(OperatorKind::kUnidirectionalSequenceLstm, inputs, {y}, setup.attributes);
  b.graph.outputs = {y};
  return {b.graph, y};
}

/// The recurrence in real numbers.
class RealLstm {
 public:
  RealLstm(const Width& width, double clip) : width_(width), clip_(clip) {}

  std::array<double, kUnits> step(const int* x) {
    std::array<double, kUnits> next{};
    for (int u = 0; u < kUnits; ++u) {
      const auto at = static_cast<size_t>(u);
      cell_[at] =
          sigmoid(gate(1, u, x)) * cell_[at] + sigmoid(gate(0, u, x)) * std::tanh(gate(2, u, x));
      if (clip_ > 0) cell_[at] = std::clamp(cell_[at], -clip_, clip_);
      next[at] = sigmoid(gate(3, u, x)) * std::tanh(cell_[at]);
    }
    return hidden_ = next;
  }

 private:
  double gate(int gate, int unit, const int* x) const {
    const auto of_input = weights_of(gate, kUnits * kInputs),
               of_hidden = weights_of(gate + 4, kUnits * kUnits);
    double sum = (unit == 0 ? 1000 * gate : -2000) * width_.range * double{kWeightScale} *
                 double{width_.input_scale};
    for (int i = 0; i < kInputs; ++i)
      sum += double{kWeightScale} * of_input[static_cast<size_t>(unit * kInputs + i)] *
             double{width_.input_scale} * (x[i] - width_.input_zero);
    for (int i = 0; i < kUnits; ++i)
      sum += double{kWeightScale} * of_hidden[static_cast<size_t>(unit * kUnits + i)] *
             hidden_[static_cast<size_t>(i)];
    return sum;
  }

  Width width_;
  double clip_;
  std::array<double, kUnits> hidden_{}, cell_{};
};

Bytes bytes_of_type(ElementType type, const std::vector<int>& values) {
  if (type == ElementType::kInt8) return bytes_of(values);
  Bytes bytes;
  for (const int value : values)
    bytes.insert(bytes.end(), {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8)});
  return bytes;
}

std::vector<int> values_of_type(ElementType type, const Bytes& bytes) {
  if (type == ElementType::kInt8) return values_of(bytes);
  std::vector<int> values;
  for (size_t i = 0; i < bytes.size(); i += 2)
    values.push_back(static_cast<int16_t>(bytes[i] | bytes[i + 1] << 8));
  return values;
}

void expect_near_real(const LstmSetup& setup) {
  const Width& width = setup.width;
  const Lstm lstm = lstm_network(setup);
  const auto network = integer_network(imported(lstm.graph));
  ASSERT_TRUE(network) << network.error().message();
  NetworkState state = initial_state(network->graph);
  RealLstm real(width, setup.attributes.cell_clip);
  for (int call = 0; call < 3; ++call) {
    std::vector<int> input;
    for (int i = 0; i < setup.steps * kInputs; ++i)
      input.push_back(((41 * call + 67 * i) % 250 - 125) * width.range);
    const std::vector<Bytes> inputs = {bytes_of_type(width.type, input)};
    const auto values = run_reference(*network, inputs, state);
    ASSERT_TRUE(values);
    const auto got = values_of_type(width.type, (*values)[static_cast<size_t>(lstm.output)]);
    for (int t = 0; t < setup.steps; ++t) {
      const auto want = real.step(input.data() + t * kInputs);
      for (int u = 0; u < kUnits; ++u)
        EXPECT_NEAR(got[static_cast<size_t>(t * kUnits + u)],
                    want[static_cast<size_t>(u)] / double{width.hidden_scale} + width.hidden_zero,
                    width.tolerance)
            << "call " << call << " step " << t;
    }
  }
}

TEST(Lstm, OverSeveralInferences_FollowsTheRealRecurrence) {
  for (const float cell_scale : {1.0F / 2048, 1.0F / 4096, 1.0F / 32768})
    expect_near_real({.cell_scale = cell_scale});
}

TEST(Lstm, OfInt16_FollowsTheRealRecurrenceMoreClosely) {
  for (const float cell_scale : {1.0F / 2048, 1.0F / 32768})
    for (const bool time_major : {false, true})
      expect_near_real({.width = kWide, .attributes = {0, time_major}, .cell_scale = cell_scale});
  expect_near_real({.width = kWide, .attributes = {0.4F, false}});
}

TEST(Lstm, WithAClip_KeepsTheCellInside) { expect_near_real({.attributes = {0.4F, false}}); }

TEST(Lstm, TimeMajor_ReadsStepsFirst) { expect_near_real({.attributes = {0, true}}); }

TEST(Lstm, WhatTfliteMicroDoesNotTake_IsRefused) {
  const auto refusal = [](const LstmSetup& setup) {
    const auto network = integer_network(lstm_network(setup).graph);
    EXPECT_FALSE(network);
    return network ? "" : network.error().message();
  };
  EXPECT_THAT(refusal({.extra_input = 9}), testing::HasSubstr("input 9: peepholes"));
  EXPECT_THAT(refusal({.extra_input = 16}), testing::HasSubstr("projection"));
  EXPECT_THAT(refusal({.cell_scale = 0.001F}), testing::HasSubstr("no power of 2"));
  EXPECT_THAT(refusal({.width = kWide, .long_biases = false}),
              testing::HasSubstr("is int32, not int64"));
  Width odd = kWide;
  odd.hidden_zero = 1;
  EXPECT_THAT(refusal({.width = odd}), testing::HasSubstr("is int16 with a zero point"));
  Graph constant = lstm_network({}).graph;
  Tensor& input = constant.tensors[static_cast<size_t>(constant.inputs.at(0))];
  input.is_constant = true;
  input.data.resize(static_cast<size_t>(input.bytes()));
  constant.inputs.clear();
  const auto network = integer_network(constant);
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().message(), testing::HasSubstr("is a constant"));
}

TEST(GateFunctions, EveryValue_IsNearTheRealFunction) {
  for (int x = -32768; x <= 32767; ++x) {
    const auto value = static_cast<int16_t>(x);
    ASSERT_NEAR(logistic_16(value), 32768 * sigmoid(x / 4096.0), 2.5) << x;
    ASSERT_NEAR(tanh_16(value, table_step(-12)), 32768 * std::tanh(x / 4096.0), 4) << x;
    ASSERT_NEAR(tanh_16(value, table_step(-15)), 32768 * std::tanh(x / 32768.0), 4) << x;
    ASSERT_NEAR(tanh_16(value, table_step(-9)), 32768 * std::tanh(x / 512.0), 4) << x;
  }
}

}  // namespace
}  // namespace tinytune
