// UNIDIRECTIONAL_SEQUENCE_LSTM beside the recurrence in real numbers that it quantises.
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
constexpr float kInputScale = 0.02F, kHiddenScale = 1.0F / 128, kWeightScale = 0.01F;
constexpr int kInputZero = 3, kHiddenZero = -7;

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
  int steps = 4;
  LstmAttributes attributes;
  float cell_scale = 1.0F / 2048;
  int extra_input = -1;  ///< an input that no kernel takes, given all the same
};

Lstm lstm_network(const LstmSetup& setup) {
  GraphBuilder b;
  std::vector<int> shape = {1, setup.steps, kInputs};
  if (setup.attributes.time_major) std::swap(shape[0], shape[1]);
  const int x = b.input(shape, kInputScale, kInputZero);
  std::vector<int> inputs(24, -1);
  inputs[0] = x;
  for (int gate = 0; gate < 4; ++gate) {
    const auto at = static_cast<size_t>(gate);
    inputs[1 + at] =
        b.int8_constant({kUnits, kInputs}, weights_of(gate, kUnits * kInputs), kWeightScale, 0);
    inputs[5 + at] =
        b.int8_constant({kUnits, kUnits}, weights_of(gate + 4, kUnits * kUnits), kWeightScale, 0);
    inputs[12 + at] = b.int32_constant({kUnits}, {1000 * gate, -2000});
  }
  if (setup.extra_input >= 0) inputs[static_cast<size_t>(setup.extra_input)] = inputs[1];
  inputs[18] = b.activation({1, kUnits}, kHiddenScale, kHiddenZero);
  inputs[19] = b.activation({1, kUnits}, setup.cell_scale, 0);
  b.graph.tensors[static_cast<size_t>(inputs[19])].type = ElementType::kInt16;
  for (const size_t state : {18u, 19u})
    b.graph.tensors[static_cast<size_t>(inputs[state])].is_variable = true;
  shape[2] = kUnits;
  const int y = b.activation(shape, kHiddenScale, kHiddenZero);
  b.op(OperatorKind::kUnidirectionalSequenceLstm, inputs, {y}, setup.attributes);
  b.graph.outputs = {y};
  return {b.graph, y};
}

/// The recurrence in real numbers.
class RealLstm {
 public:
  explicit RealLstm(double clip) : clip_(clip) {}

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
    double sum = (unit == 0 ? 1000 * gate : -2000) * double{kWeightScale} * double{kInputScale};
    for (int i = 0; i < kInputs; ++i)
      sum += double{kWeightScale} * of_input[static_cast<size_t>(unit * kInputs + i)] *
             double{kInputScale} * (x[i] - kInputZero);
    for (int i = 0; i < kUnits; ++i)
      sum += double{kWeightScale} * of_hidden[static_cast<size_t>(unit * kUnits + i)] *
             hidden_[static_cast<size_t>(i)];
    return sum;
  }

  double clip_;
  std::array<double, kUnits> hidden_{}, cell_{};
};

void expect_near_real(const LstmSetup& setup) {
  const Lstm lstm = lstm_network(setup);
  const auto network = integer_network(imported(lstm.graph));
  ASSERT_TRUE(network) << network.error().message();
  NetworkState state = initial_state(network->graph);
  RealLstm real(setup.attributes.cell_clip);
  for (int call = 0; call < 3; ++call) {
    std::vector<int> input;
    for (int i = 0; i < setup.steps * kInputs; ++i)
      input.push_back((41 * call + 67 * i) % 250 - 125);
    const auto values = run_reference(*network, std::vector<Bytes>{bytes_of(input)}, state);
    ASSERT_TRUE(values);
    const auto got = values_of((*values)[static_cast<size_t>(lstm.output)]);
    for (int t = 0; t < setup.steps; ++t) {
      const auto want = real.step(input.data() + t * kInputs);
      for (int u = 0; u < kUnits; ++u)
        EXPECT_NEAR(got[static_cast<size_t>(t * kUnits + u)],
                    want[static_cast<size_t>(u)] / double{kHiddenScale} + kHiddenZero, 1.5)
            << "call " << call << " step " << t;
    }
  }
}

TEST(Lstm, OverSeveralInferences_FollowsTheRealRecurrence) {
  for (const float cell_scale : {1.0F / 2048, 1.0F / 4096, 1.0F / 32768})
    expect_near_real({.cell_scale = cell_scale});
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
