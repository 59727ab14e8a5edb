// Operators of two int8 values, on every pair of values; and a network that keeps state.
#include <gtest/gtest.h>

#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::expect_exact;
using test::GraphBuilder;

constexpr int kPairs = 65536;

void expect_every_pair_exact(OperatorKind kind, Attributes attributes, float scale1, float scale2,
                             float scale, ElementType result = ElementType::kInt8) {
  SCOPED_TRACE(std::string(name_of(kind)));
  std::vector<Bytes> inputs(2);
  for (int i = 0; i < kPairs; ++i) {
    inputs[0].push_back(static_cast<uint8_t>(i & 255));
    inputs[1].push_back(static_cast<uint8_t>(i >> 8));
  }
  GraphBuilder b;
  const int x = b.input({kPairs}, scale1, -100), y = b.input({kPairs}, scale2, 77);
  const int z = b.retype(b.op(kind, {x, y}, std::move(attributes), {kPairs}, scale, 5), result);
  expect_exact(b.finish({z}), *load_device("rv32imc"), inputs);
}

TEST(PairEmitters, EveryPairOfBytes_EqualsTheReference) {
  for (const float scale : {0.0005f, 0.03f, 2.0f}) {
    expect_every_pair_exact(OperatorKind::kSquaredDifference, {}, 0.1f, 0.2f, scale * 100);
    expect_every_pair_exact(OperatorKind::kPrelu, {}, 0.1f, 0.02f, scale);
    expect_every_pair_exact(OperatorKind::kDiv, ActivationAttributes{}, 0.1f, 0.2f, scale);
  }
  expect_every_pair_exact(OperatorKind::kLess, {}, 0.1f, 0.2f, 1, ElementType::kBool);
  expect_every_pair_exact(OperatorKind::kEqual, {}, 0.1f, 0.1f, 1, ElementType::kBool);
}

TEST(ResetFunction, OnlyNetworksWithState_HaveOne) {
  const auto generated = [](bool stateful) {
    GraphBuilder b;
    const int x = b.input({1, 4}, 0.1f, 3);
    int y = b.op(OperatorKind::kElu, {x}, {}, {1, 4}, 0.1f, 3);
    if (stateful) {
      const int feature = b.constant({2, 4}, 0.01f, 0, Bytes{10, 20, 30, 40, 200, 210, 220, 230});
      const int time = b.constant({2, 3}, 0.01f, 0, Bytes{100, 50, 25, 156, 206, 231});
      const int state = b.variable({1, 6}, 0.1f, -7);
      y = b.op(OperatorKind::kSvdf, {y, feature, time, b.bias({5, -5}, 0.001f), state},
               SvdfAttributes{1}, {1, 2}, 0.1f, 0);
    }
    const Graph graph = b.finish({y});
    expect_exact(graph, *load_device("rv32imc"), test::seeded_inputs(graph, 3));
    NetworkOptions options;
    options.name = "net";
    auto network = generate_network(test::executed(graph), *load_device("rv32imc"), {}, options);
    EXPECT_TRUE(network) << network.error().message();
    return network ? *network : GeneratedNetwork();
  };
  const GeneratedNetwork plain = generated(false), stateful = generated(true);
  EXPECT_EQ(plain.reset_symbol, "");
  EXPECT_EQ(plain.files[0].contents.find("reset"), std::string::npos);
  EXPECT_EQ(stateful.reset_symbol, "net_reset");
  EXPECT_NE(stateful.files[0].contents.find("net_status net_reset(void *arena);"),
            std::string::npos);
}

}  // namespace
}  // namespace tinytune
