// IF and WHILE through files: subgraphs there, operators between markers in a graph.
#include "models/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tflite_writer.h"
#include "models/integer_network.h"
#include "models/tflite/tflite.h"
#include "tests/models/operator_run.h"

namespace tinytune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using K = OperatorKind;

// Uses scale 0.5 throughout, so that sums are exact.
class Builder : public GraphBuilder {
 public:
  int whole(int elements) { return activation({elements}, 0.5F, 0); }
  int given(int elements) { return input({elements}, 0.5F, 0); }
  int number(int value) { return int8_constant({1}, {static_cast<int8_t>(value)}, 0.5F, 0); }
  int flag(bool is_input) {
    const int id = is_input ? given(1) : whole(1);
    Tensor& t = graph.tensors[static_cast<size_t>(id)];
    t.type = ElementType::kBool;
    t.quantization = {};
    return id;
  }
  int sum(int a, int b, int elements = 1) {
    const int y = whole(elements);
    op(K::kAdd, {a, b}, {y}, ActivationAttributes{});
    return y;
  }
  void copy(int from, int to) { op(K::kCopy, {from}, {to}); }
};

Result<std::vector<std::vector<int>>> results(const Graph& graph,
                                              const std::vector<Bytes>& inputs) {
  TT_TRY_ASSIGN(const Graph read, import_tflite(write_tflite(graph), "m"));
  TT_TRY_ASSIGN(const auto values, run_reference(read, inputs));
  std::vector<std::vector<int>> all;
  for (const int id : read.outputs) all.push_back(values_of(values[static_cast<size_t>(id)]));
  return all;
}

// If the flag is set, negative values become zero.
Graph rectified_if(bool is_constant) {
  Builder b;
  int condition = b.flag(!is_constant);
  const int x = b.given(2);
  if (is_constant) {
    Tensor& t = b.graph.tensors[static_cast<size_t>(condition)];
    t.is_constant = true;
    t.data = {1};
  }
  const int rectified = b.whole(2), y = b.whole(2);
  b.op(K::kIf, {condition}, {});
  b.op(K::kRelu, {x}, {rectified});
  b.copy(rectified, y);
  b.op(K::kElse, {}, {});
  b.copy(x, y);
  b.op(K::kEndIf, {}, {});
  b.graph.outputs = {y};
  return b.graph;
}

TEST(ControlFlow, If_RunsTheSideOfItsCondition) {
  const Graph graph = rectified_if(false);
  const auto yes = results(graph, {{1}, bytes_of({-5, 7})});
  const auto no = results(graph, {{0}, bytes_of({-5, 7})});
  ASSERT_TRUE(yes && no) << yes.error().message();
  EXPECT_THAT(*yes, ElementsAre(ElementsAre(0, 7)));
  EXPECT_THAT(*no, ElementsAre(ElementsAre(-5, 7)));
}

TEST(ControlFlow, ConditionKnownAtImport_LeavesOneSide) {
  const auto read = import_tflite(write_tflite(rectified_if(true)), "m");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_FALSE(has_control_flow(*read));
  const auto y = results(rectified_if(true), {bytes_of({-5, 7})});
  ASSERT_TRUE(y);
  EXPECT_THAT(*y, ElementsAre(ElementsAre(0, 7)));
}

// Counts n up to the limit and adds every n to x. `crossed`: the body swaps n and x instead.
Graph counting_loop(int limit, bool crossed = false) {
  Builder b;
  const int first = b.given(1), second = b.given(1);
  const int n = b.whole(1), x = b.whole(1), condition = b.flag(false);
  b.copy(first, n);
  b.copy(second, x);
  b.op(K::kWhile, {}, {});
  b.op(K::kLess, {n, b.number(limit)}, {condition});
  b.op(K::kDo, {condition}, {});
  if (crossed) {  // the body's outputs are its inputs, the other way round
    b.copy(x, n);
    b.copy(n, x);
  } else {
    const int next = b.sum(n, b.number(1)), total = b.sum(x, n);
    b.copy(next, n);
    b.copy(total, x);
  }
  b.op(K::kEndWhile, {n, x}, {});
  b.graph.outputs = {n, x};
  return b.graph;
}

TEST(ControlFlow, While_CarriesValuesFromRoundToRound) {
  const auto y = results(counting_loop(5), {bytes_of({2}), bytes_of({10})});
  ASSERT_TRUE(y) << y.error().message();
  EXPECT_THAT(*y, ElementsAre(ElementsAre(5), ElementsAre(10 + 2 + 3 + 4)));
}

// As converters write loops: the counter is an int32.
TEST(ControlFlow, WhileThatCountsInInt32_CarriesValuesFromRoundToRound) {
  Builder b;
  const auto whole = [&](int id) {
    Tensor& t = b.graph.tensors[static_cast<size_t>(id)];
    t.type = ElementType::kInt32;
    t.quantization = {};
    return id;
  };
  const int first = b.given(1), n = whole(b.whole(1)), next = whole(b.whole(1));
  const int x = b.whole(1), condition = b.flag(false);
  b.copy(b.int32_constant({1}, {-2}), n);
  b.copy(first, x);
  b.op(K::kWhile, {}, {});
  b.op(K::kLess, {n, b.int32_constant({1}, {3})}, {condition});
  b.op(K::kDo, {condition}, {});
  b.op(K::kAdd, {n, b.int32_constant({1}, {1})}, {next}, ActivationAttributes{});
  const int doubled = b.sum(x, x);
  b.copy(next, n);
  b.copy(doubled, x);
  b.op(K::kEndWhile, {n, x}, {});
  b.graph.outputs = {x};
  const auto y = results(b.graph, {bytes_of({3})});
  ASSERT_TRUE(y) << y.error().message();
  EXPECT_THAT(*y, ElementsAre(ElementsAre(3 << 5)));
}

TEST(ControlFlow, WhileThatNeverBegins_GivesItsInputs) {
  const auto y = results(counting_loop(5), {bytes_of({7}), bytes_of({10})});
  ASSERT_TRUE(y);
  EXPECT_THAT(*y, ElementsAre(ElementsAre(7), ElementsAre(10)));
}

TEST(ControlFlow, ValuesThatChangePlaces_AreBothOfTheRoundBefore) {
  const auto y = results(counting_loop(5, true), {bytes_of({2}), bytes_of({10})});
  ASSERT_TRUE(y) << y.error().message();
  EXPECT_THAT(*y, ElementsAre(ElementsAre(10), ElementsAre(2)));
}

TEST(ControlFlow, LoopThatDoesNotEnd_IsAnError) {
  const auto y = results(counting_loop(5, true), {bytes_of({2}), bytes_of({3})});
  ASSERT_FALSE(y);
  EXPECT_THAT(y.error().message(), HasSubstr("more than 100000 rounds"));
}

// Counts from n to 6; every second round adds 10 to x, the others 1.
TEST(ControlFlow, IfInAWhile_DecidesEachRound) {
  Builder b;
  const int first = b.given(1), n = b.whole(1), x = b.whole(1), toggle = b.whole(1);
  const int condition = b.flag(false), odd = b.flag(false), added = b.whole(1);
  b.copy(first, n);
  b.copy(b.number(0), x);
  b.copy(b.number(0), toggle);
  b.op(K::kWhile, {}, {});
  b.op(K::kLess, {n, b.number(6)}, {condition});
  b.op(K::kDo, {condition}, {});
  b.op(K::kGreater, {toggle, b.number(0)}, {odd});
  b.op(K::kIf, {odd}, {});
  const int tens = b.sum(x, b.number(10));
  b.copy(tens, added);
  b.op(K::kElse, {}, {});
  const int ones = b.sum(x, b.number(1));
  b.copy(ones, added);
  b.op(K::kEndIf, {}, {});
  const int flipped = b.whole(1);
  b.op(K::kSub, {b.number(1), toggle}, {flipped}, ActivationAttributes{});
  const int next = b.sum(n, b.number(1));
  b.copy(next, n);
  b.copy(added, x);
  b.copy(flipped, toggle);
  b.op(K::kEndWhile, {n, x, toggle}, {});
  b.graph.outputs = {x};
  const auto y = results(b.graph, {bytes_of({1})});
  ASSERT_TRUE(y) << y.error().message();
  EXPECT_THAT(*y, ElementsAre(ElementsAre(1 + 10 + 1 + 10 + 1)));
}

TEST(ControlFlow, ConditionThatIsNoBool_IsRefused) {
  Graph graph = rectified_if(false);
  graph.tensors[static_cast<size_t>(graph.inputs[0])].type = ElementType::kUint8;
  EXPECT_THAT(refusal_of(graph), testing::HasSubstr("is not one bool"));
}

TEST(ControlFlow, SidesOfOtherSizes_AreRefused) {
  Graph graph = rectified_if(false);
  graph.tensors[static_cast<size_t>(graph.outputs[0])].shape = {3};
  EXPECT_THAT(refusal_of(graph), testing::HasSubstr("differ in size"));
}

}  // namespace
}  // namespace tinytune
