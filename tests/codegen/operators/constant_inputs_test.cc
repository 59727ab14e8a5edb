// Every operator on constants alone: import, the oracle and generated code agree with the same
// operator on inputs that hold those bytes.
#include <gtest/gtest.h>

#include "examples/tflite_writer.h"
#include "models/tflite/tflite.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/operators/one_operator.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;
using test::OneOperator;
using test::some_bytes;

constexpr float kConstantScale = OneOperator::kScale;
constexpr int kZero = OneOperator::kZero;

constexpr OperatorKind kKinds[] = {
#define OPERATOR(kind, ...) OperatorKind::k##kind,
#include "models/operators.inc"
#undef OPERATOR
};

std::vector<OperatorKind> kinds_on_data() {
  std::vector<OperatorKind> kinds(std::begin(kKinds), std::end(kKinds));
  std::erase(kinds, OperatorKind::kBroadcastArgs);  // its operands are always constants
  std::erase(kinds, OperatorKind::kDecode);
  std::erase(kinds, OperatorKind::kSvdf);
  std::erase(kinds, OperatorKind::kUnidirectionalSequenceLstm);
  std::erase_if(kinds, [](OperatorKind kind) {  // resource variables and control flow
    return kind >= OperatorKind::kVarHandle && kind <= OperatorKind::kWhile;
  });
  return kinds;
}

Graph imported(const Graph& graph) {
  auto read = import_tflite(write_tflite(graph), "net");
  EXPECT_TRUE(read.has_value()) << read.error().message();
  return read ? *read : Graph();
}

// Returns what the operator computes from inputs with the same bytes.
std::vector<Bytes> expected(OperatorKind kind) {
  OneOperator varying(kind, false);
  const Graph graph = imported(varying.builder().finish(varying.outputs()));
  const auto values = run_reference(graph, varying.inputs());
  EXPECT_TRUE(values.has_value()) << values.error().message();
  std::vector<Bytes> outputs;
  for (const int id : varying.outputs()) outputs.push_back((*values)[static_cast<size_t>(id)]);
  return outputs;
}

class ConstantInputs : public testing::TestWithParam<OperatorKind> {};

TEST_P(ConstantInputs, OutputOfTheNetwork_IsWhatTheOperatorComputes) {
  OneOperator op(GetParam(), true);
  op.builder().input({1, 4}, kConstantScale, kZero);  // nothing reads it
  const Graph graph = imported(op.builder().finish(op.outputs()));
  const auto run = expect_exact(graph, *load_device("rv32imc"), {some_bytes(4)});
  EXPECT_EQ(run.outputs, expected(GetParam()));
}

TEST_P(ConstantInputs, OperandOfOthers_BecomesAConstant) {
  OneOperator op(GetParam(), true);
  GraphBuilder& b = op.builder();
  const Graph before = b.finish({});
  std::vector<int> results;
  std::vector<Bytes> inputs;
  for (const int id : op.outputs()) {
    const Tensor& t = before.tensor(id);
    if (t.type != ElementType::kInt8) GTEST_SKIP() << "int8 is what is compared";
    const Quantization& q = t.quantization;
    const int x = b.input(t.shape, q.scales[0], q.zero_points[0]);
    results.push_back(
        b.op(OperatorKind::kMaximum, {x, id}, {}, t.shape, q.scales[0], q.zero_points[0]));
    inputs.emplace_back(static_cast<size_t>(t.bytes()), uint8_t{0x80});  // the least value
  }
  const Graph graph = imported(b.finish(results));
  for (const int id : op.outputs()) EXPECT_TRUE(graph.tensor(id).is_constant);
  const auto run = expect_exact(graph, *load_device("rv32imc"), inputs);
  EXPECT_EQ(run.outputs, expected(GetParam()));
  EXPECT_EQ(test::executed(graph).ops.size(), results.size());
}

INSTANTIATE_TEST_SUITE_P(Operators, ConstantInputs, testing::ValuesIn(kinds_on_data()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(ConstantInputs, Chain_IsComputedOnceAndServesAsWeights) {
  GraphBuilder b;
  const int x = b.input({1, 6}, kConstantScale, kZero);
  // Float weights that are quantised and transposed at inference, as some converters leave them.
  const int real =
      b.retype(b.constant({6, 2}, 1, 0, test::bytes_of({1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6})),
               ElementType::kFloat32);
  const int whole = b.op(OperatorKind::kQuantize, {real}, {}, {6, 2}, 0.05f, 0);
  const int turned =
      b.op(OperatorKind::kTranspose, {whole, b.integers({1, 0})}, {}, {2, 6}, 0.05f, 0);
  const int y =
      b.op(OperatorKind::kFullyConnected, {x, turned}, ActivationAttributes{}, {1, 2}, 0.5f, 0);
  const Graph graph = imported(b.finish({y}));
  const IntegerNetwork network = test::executed(graph);
  EXPECT_EQ(network.ops.size(), 1u);
  EXPECT_EQ(network.absorbed.size(), 2u);
  expect_exact(graph, *load_device("rv32imc"), {some_bytes(6)});
}

TEST(ConstantInputs, ConstantThatIsAnOutputToo_IsReadByOthersWhereItStands) {
  GraphBuilder b;
  const int x = b.input({8}, kConstantScale, kZero);
  const int c = b.constant({8}, kConstantScale, kZero, some_bytes(8));
  const int y = b.op(OperatorKind::kRelu, {c}, {}, {8}, kConstantScale, kZero);
  const int z = b.op(OperatorKind::kTanh, {y}, {}, {8}, 1.0f / 128, 0);
  const int sum = b.op(OperatorKind::kAdd, {x, y}, ActivationAttributes{}, {8}, 0.2f, 0);
  const Graph graph = imported(b.finish({y, z, sum}));
  expect_exact(graph, *load_device("rv32imc"), {some_bytes(8)});
}

TEST(ConstantInputs, NetworkThatReturnsItsInput_StillRuns) {
  GraphBuilder b;
  const int x = b.input({8}, kConstantScale, kZero);
  const int c = b.constant({8}, kConstantScale, kZero, some_bytes(8));
  b.op(OperatorKind::kRelu, {c}, {}, {8}, kConstantScale, kZero);
  const Graph graph = imported(b.finish({x}));
  const auto run = expect_exact(graph, *load_device("rv32imc"), {some_bytes(8)});
  EXPECT_EQ(run.outputs, std::vector<Bytes>{some_bytes(8)});
}

}  // namespace
}  // namespace tinytune
