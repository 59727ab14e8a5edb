// Layer functions declare as used exactly what their text has.
#include "codegen/networks/layer_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/networks/network.h"
#include "examples/ds_cnn.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(FunctionBody, SeveralKernelsInALoop_AreAllRecorded) {
  FunctionBody body;
  const std::string in = body.read_from({0, 64}, "int8_t"), strip = body.scratch({64, 32});
  body.writer().loop("row", 4);
  body.call_kernel("net_kernel_0", {in, body.constant("net_layer_0_weights"), strip});
  body.call_kernel("net_kernel_1", {strip, body.written_to({96, 16}, "int8_t")});
  body.call_kernel("net_kernel_0", {in, body.constant("net_layer_0_weights"), strip});
  body.writer().close();
  const LayerFunction f = std::move(body).finish("net_group_0", "two layers in strips");
  EXPECT_THAT(f.uses.kernels, ElementsAre("net_kernel_0", "net_kernel_1"));
  EXPECT_THAT(f.uses.constants, ElementsAre("net_layer_0_weights"));
  ASSERT_EQ(f.uses.buffers.size(), 3U);
  EXPECT_EQ(f.uses.buffers[1].access, BufferAccess::kReadWrite);
  EXPECT_EQ(f.uses.buffers[2].offset, 96U);
  EXPECT_EQ(f.uses.buffers[2].access, BufferAccess::kWrite);
  EXPECT_EQ(f.body,
            "  for (int32_t row = 0; row < 4; ++row) {\n"
            "    net_kernel_0((const int8_t *)arena, net_layer_0_weights, (void *)(arena + 64));\n"
            "    net_kernel_1((void *)(arena + 64), (int8_t *)(arena + 96));\n"
            "    net_kernel_0((const int8_t *)arena, net_layer_0_weights, (void *)(arena + 64));\n"
            "  }\n");
}

TEST(FunctionBody, WhatOthersPrinted_BringsItsUsesAlong) {
  FunctionBody body;
  body.append("  net_softmax(input0, output);\n", {{}, {"net_layer_1_exp"}, {"net_softmax"}, {}});
  body.append("  net_softmax(input0, output);\n", {{}, {"net_layer_1_exp"}, {"net_softmax"}, {}});
  const LayerFunction f = std::move(body).finish("f", "");
  EXPECT_THAT(f.uses.constants, ElementsAre("net_layer_1_exp"));
  EXPECT_THAT(f.uses.helpers, ElementsAre("net_softmax"));
}

TEST(GeneratedFunctions, Uses_AreWhatTheTextHas) {
  const auto network =
      generate_network(executed(make_ds_cnn(1)), *load_device("rp2040"), {}, {"net"});
  ASSERT_TRUE(network) << network.error().message();
  for (const LayerFunction& f : network->functions) {
    SCOPED_TRACE(f.symbol);
    for (const auto* list : {&f.uses.kernels, &f.uses.constants, &f.uses.helpers})
      for (const std::string& symbol : *list) EXPECT_THAT(f.body, HasSubstr(symbol));
    ASSERT_THAT(f.uses.buffers, testing::Not(IsEmpty()));
    for (const BufferUse& use : f.uses.buffers) {
      EXPECT_GT(use.bytes, 0U);
      EXPECT_LE(use.offset + use.bytes, network->arena_bytes);
    }
  }
  const LayerFunction& last = network->functions.back();
  EXPECT_THAT(last.comment, HasSubstr("SOFTMAX"));
  EXPECT_THAT(last.uses.helpers, ElementsAre("net_softmax"));
  EXPECT_THAT(last.uses.kernels, IsEmpty());
  for (const PlaceablePart& part : network->placeable)
    EXPECT_TRUE(part.symbol.empty() || !part.layers.empty()) << part.symbol;
}

TEST(GeneratedFunctions, SymbolThatBeginsLikeAnother_IsNotTakenForIt) {
  // Layer 1 and layer 10 have constants whose names begin alike.
  GraphBuilder b;
  int x = b.input({1, 8}, 0.1F, 0);
  for (int layer = 0; layer <= 10; ++layer)
    x = b.op(OperatorKind::kSoftmax, {x}, SoftmaxAttributes{1.0F + static_cast<float>(layer)},
             {1, 8}, 1.0F / 256, -128);
  const auto network =
      generate_network(executed(b.finish({x})), *load_device("rp2040"), {}, {"net"});
  ASSERT_TRUE(network) << network.error().message();
  for (const PlaceablePart& part : network->placeable)
    EXPECT_TRUE(part.code || part.layers.size() == 1U) << part.symbol;
}

}  // namespace
}  // namespace tinytune::test
