#include "tests/models/operator_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "examples/tflite_writer.h"
#include "models/tflite/tflite.h"

namespace tinytune {

Bytes bytes_of(const std::vector<int>& values) { return {values.begin(), values.end()}; }

std::vector<int> values_of(const Bytes& bytes) {
  std::vector<int> values;
  for (uint8_t byte : bytes) values.push_back(static_cast<int8_t>(byte));
  return values;
}

std::vector<int> counting(int n) {
  std::vector<int> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

Graph imported(const Graph& graph) {
  auto result = import_tflite(write_tflite(graph), "m");
  EXPECT_TRUE(result) << result.error().message();
  return result ? *result : Graph();
}

std::string refusal_of(const Graph& graph) {
  const auto read = import_tflite(write_tflite(graph), "m");
  if (read) return "accepted";
  EXPECT_TRUE(read.error().code() == ErrorCode::kUnsupported ||
              read.error().code() == ErrorCode::kInvalidInput);
  EXPECT_THAT(read.error().message(), testing::Not(testing::HasSubstr("\n")));
  return read.error().message();
}

std::vector<Bytes> run_imported(const Graph& graph, const std::vector<Bytes>& inputs) {
  auto values = run_reference(imported(graph), inputs);
  EXPECT_TRUE(values) << values.error().message();
  if (!values || values->size() != graph.tensors.size())
    return std::vector<Bytes>(graph.tensors.size());
  return *values;
}

std::vector<int> map_all(OperatorKind kind, float in_scale, int in_zero, float out_scale,
                         int out_zero, Attributes attributes) {
  GraphBuilder b;
  const int in = b.input({256}, in_scale, in_zero);
  const int out = b.activation({256}, out_scale, out_zero);
  b.op(kind, {in}, {out}, std::move(attributes));
  b.graph.outputs = {out};
  std::vector<int> all;
  for (int x = -128; x < 128; ++x) all.push_back(x);
  return values_of(run_imported(b.graph, {bytes_of(all)})[static_cast<size_t>(out)]);
}

void expect_near_real(const std::vector<int>& got, float in_scale, int in_zero, float out_scale,
                      int out_zero, const std::function<double(double)>& f, double tolerance) {
  for (int x = -128; x < 128; ++x) {
    const double real = f(double{in_scale} * (x - in_zero)) / double{out_scale} + out_zero;
    ASSERT_NEAR(got[static_cast<size_t>(x + 128)], std::clamp(real, -128.0, 127.0), tolerance)
        << "x " << x << " scale " << in_scale;
  }
}

}  // namespace tinytune
