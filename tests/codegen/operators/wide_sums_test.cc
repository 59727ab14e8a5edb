// Requantisation where a scaled sum comes within a zero point of the ends of int32, and sums that
// wrap: tests state the oracle's bytes, and generated code must compute them without overflow.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/subprocess.h"
#include "codegen/packages/package.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;
namespace fs = std::filesystem;

// Their product is 1 - 2^-30 exactly; an output scale of 1/64 makes multipliers of 64 times that.
constexpr float kBelowOne = 1 - 0x1p-15f, kAboveOne = 1 + 0x1p-15f;

Bytes narrowed(const std::vector<int>& values) { return {values.begin(), values.end()}; }

void expect_output(const Graph& graph, const std::vector<Bytes>& inputs,
                   const std::vector<int>& expected) {
  const auto oracle = run_reference(graph, inputs);
  ASSERT_TRUE(oracle.has_value()) << oracle.error().message();
  EXPECT_EQ((*oracle)[static_cast<size_t>(graph.outputs[0])], narrowed(expected));
  expect_exact(graph, *load_device("rv32imc"), inputs);
}

const std::vector<int32_t> kBiases = {33'554'431, -33'554'431, 33'554'432, 0};

TEST(WideSums, Convolution_AddsItsZeroPointWithoutWrapping) {
  for (const int zero : {127, -128}) {
    SCOPED_TRACE(zero);
    GraphBuilder b;
    const int x = b.input({1, 1, 1, 2}, kBelowOne, 5);
    const int weights = b.constant({4, 1, 1, 2}, kAboveOne, 0, Bytes(8, 1));
    const int bias = b.bias(kBiases, 1);
    const int y = b.op(OperatorKind::kConv2d, {x, weights, bias}, ConvAttributes{}, {1, 1, 1, 4},
                       1.0f / 64, zero);
    expect_output(b.finish({y}), {{5, 5}}, {127, -128, -128, zero});
  }
}

// Bias INT32_MAX and one product more: the sum wraps, as it does in the reference on every target.
// Some phases are incomplete, so that generated loops compute it.
Graph transposed_convolution(int zero) {
  GraphBuilder b;
  const int x = b.input({1, 1, 1, 1}, kBelowOne, 0);
  const int weights = b.constant({5, 1, 1, 1}, kAboveOne, 0, Bytes{0, 0, 0, 0, 1});
  std::vector<int32_t> biases = kBiases;
  biases.push_back(INT32_MAX);
  const int bias = b.bias(biases, 1);
  const int shape = b.integers({1, 1, 1, 5});
  const int y = b.op(OperatorKind::kTransposeConv, {shape, weights, x, bias},
                     TransposeConvAttributes{Padding::kSame, 2, 2}, {1, 1, 1, 5}, 1.0f / 64, zero);
  return b.finish({y});
}

TEST(WideSums, TransposeConv_AddsItsZeroPointWithoutWrapping) {
  for (const int zero : {127, -128}) {
    SCOPED_TRACE(zero);
    // 2^31 * 64 is 0 modulo 2^32.
    expect_output(transposed_convolution(zero), {{1}}, {127, -128, -128, zero, zero});
  }
}

Graph product(int zero) {
  GraphBuilder b;
  const int x = b.input({2}, kBelowOne, 0), y = b.input({2}, kAboveOne, 0);
  return b.finish({b.op(OperatorKind::kMul, {x, y}, ActivationAttributes{}, {2}, 0x1p-24f, zero)});
}

TEST(WideSums, Mul_AddsItsZeroPointWithoutWrapping) {
  expect_output(product(-128), {narrowed({-128, 127}), {1, 1}}, {-128, 127});
}

// Runs the printed C on this machine, where the compiler can stop at the first overflow.
void expect_no_overflow(const Graph& graph, const std::vector<Bytes>& inputs) {
  const std::string compiler = "gcc";
  if (!run_process({compiler, "--version"}, std::chrono::seconds(10)))
    GTEST_SKIP() << compiler << " is not installed";
  const auto oracle = run_reference(graph, inputs);
  ASSERT_TRUE(oracle.has_value()) << oracle.error().message();
  const NetworkOptions options{.name = "net"};
  const SmokeTest smoke{inputs, {(*oracle)[static_cast<size_t>(graph.outputs[0])]}};
  const Device device = *load_device("rv32imc");
  const auto network = generate_network(test::executed(graph), device, {}, options);
  ASSERT_TRUE(network.has_value()) << network.error().message();
  const fs::path directory =
      fs::temp_directory_path() / ("tinytune-overflow-" + std::to_string(getpid()));
  const std::string program = (directory / "program").string();
  std::vector<std::string> words = {compiler,
                                    "-std=c11",
                                    "-g",
                                    "-o",
                                    program,
                                    "-fsanitize=undefined",
                                    "-fno-sanitize-recover=all",
                                    "-I" + directory.string()};
  for (const GeneratedFile& file :
       package_files(*network, device, PackageFormat::kCmake, {smoke})) {
    const fs::path path = directory / file.name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << file.contents;
    if (file.name.ends_with(".c")) words.push_back(path.string());
  }
  const auto compiled = run_process(words, std::chrono::minutes(1));
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message();
  ASSERT_EQ(compiled->exit_code, 0) << compiled->err;
  const auto ran = run_process({program}, std::chrono::seconds(10));
  ASSERT_TRUE(ran.has_value()) << ran.error().message();
  EXPECT_EQ(ran->exit_code, 0) << ran->err;
  fs::remove_all(directory);
}

TEST(WideSums, PrintedC_HasNoSignedOverflow) {
  for (const int zero : {127, -128}) {
    expect_no_overflow(transposed_convolution(zero), {{1}});
    expect_no_overflow(product(zero), {narrowed({-128, 127}), {1, 1}});
  }
}

}  // namespace
}  // namespace tinytune
