// Layers whose weights arrive: the same bytes whether the unit or the core copies, a missing wait
// that is caught, and a library that says what it needs.
#include "codegen/networks/arriving_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::executed;
using test::run_network;
using test::seeded_inputs;
using testing::HasSubstr;

Device flash_rp2040() { return *load_device("rp2040"); }

// Dense layers of 64, 32, 32 and 8 channels.
Graph dense_chain() {
  Rng rng(7);
  test::GraphBuilder builder;
  int at = builder.input({1, 64}, 0.05F, -3);
  for (const auto& [inputs, outputs] : {std::pair{64, 32}, {32, 32}, {32, 8}}) {
    std::vector<uint8_t> bytes(static_cast<size_t>(inputs * outputs));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.next());
    const int weights = builder.constant({outputs, inputs}, 0.01F, 0, bytes);
    const int bias =
        builder.bias(std::vector<int32_t>(static_cast<size_t>(outputs), 77), 0.05F * 0.01F);
    at = builder.op(OperatorKind::kFullyConnected, {at, weights, bias}, ActivationAttributes{},
                    {1, outputs}, 0.05F, -3);
  }
  return builder.finish({at});
}

NetworkOptions arriving(std::vector<ArrivingLayer> layers, const std::string& on = "rp2040") {
  NetworkOptions options{.name = "net"};
  options.arrivals = Arrivals{load_arrival_ways(on)->front(), std::move(layers)};
  return options;
}

const std::vector<ArrivingLayer> kAllLayers = {{0, 4, 0}, {1, 8, 0}, {2, 1, 1}};

TEST(ArrivingLayers, BlocksOfChannels_AreExact) {
  const Graph graph = dense_chain();
  const auto run =
      test::expect_exact(graph, flash_rp2040(), seeded_inputs(graph, 3), arriving(kAllLayers));
  EXPECT_GT(run.instructions, 0u);
}

TEST(ArrivingLayers, SetOutInAnEarlierLayer_OfAnyKind) {
  const Graph graph = test::residual_block(2);
  test::expect_exact(graph, flash_rp2040(), seeded_inputs(graph, 5),
                     arriving({{1, 1, 0}, {2, 1, 1}}));
}

TEST(ArrivingLayers, OnEveryDeviceWithAWay_AreExact) {
  const Graph dense = dense_chain(), image = test::mobile_chain(3);
  for (const char* name : {"rp2350", "esp32c3"}) {
    SCOPED_TRACE(name);
    test::expect_exact(dense, *load_device(name), seeded_inputs(dense, 3),
                       arriving({{0, 1, 0}, {1, 1, 0}, {2, 1, 1}}, name));
    test::expect_exact(image, *load_device(name), seeded_inputs(image, 3),
                       arriving({{2, 1, 1}, {4, 1, 3}}, name));
  }
}

// A convolution whose weights exceed what a preload takes at once.
Graph large_convolution() {
  Rng rng(17);
  test::GraphBuilder builder;
  const int input = builder.input({1, 6, 6, 32}, 0.05F, -3);
  std::vector<uint8_t> bytes(static_cast<size_t>(64 * 3 * 3 * 32));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.next());
  const int first =
      builder.constant({32, 1, 1, 32}, 0.01F, 0, {bytes.begin(), bytes.begin() + 1024});
  const int at =
      builder.op(OperatorKind::kConv2d, {input, first}, ConvAttributes{}, {1, 6, 6, 32}, 0.05F, -3);
  const int weights = builder.constant({64, 3, 3, 32}, 0.01F, 0, bytes);
  return builder.finish({builder.op(OperatorKind::kConv2d, {at, weights}, ConvAttributes{},
                                    {1, 6, 6, 64}, 0.05F, -3)});
}

std::string source_of(const GeneratedNetwork& network) {
  for (const GeneratedFile& file : network.files)
    if (file.name == "net.c") return file.contents;
  return "";
}

TEST(ArrivingLayers, BlocksThatAPreloadDoesNotTakeAtOnce_AreCopiedInPieces) {
  const Graph graph = large_convolution();
  const Device device = *load_device("esp32c3");
  const NetworkOptions options = arriving({{1, 1, 0}}, "esp32c3");
  GeneratedNetwork network = *generate_network(executed(graph), device, {}, options);
  EXPECT_THAT(source_of(network), HasSubstr("  net_copy_all(arena, "));
  const auto inputs = seeded_inputs(graph, 5);
  test::expect_exact(graph, device, inputs, options);
  network.files.push_back({"application.c",
                           "#include \"net.h\"\nint net_claim_channel(void) { return -1; }\n",
                           FileRole::kSource, true});
  const auto refused = run_network(network, graph, device, inputs);
  const auto fetched =
      run_network(*generate_network(executed(graph), device, {}, options), graph, device, inputs);
  EXPECT_EQ(refused.outputs, fetched.outputs);
}

TEST(ArrivingLayers, BlocksThatAPreloadTakesAtOnce_AreCopiedWhileTheNextComes) {
  const GeneratedNetwork network =
      *generate_network(executed(test::mobile_chain(3)), *load_device("esp32c3"), {},
                        arriving({{2, 1, 1}}, "esp32c3"));
  EXPECT_THAT(source_of(network), HasSubstr("  net_copy(arena"));
  EXPECT_THAT(source_of(network), testing::Not(HasSubstr("  net_copy_all(arena, ")));
}

GeneratedNetwork generated(const Graph& graph) {
  return *generate_network(executed(graph), flash_rp2040(), {}, arriving(kAllLayers));
}

void replace(GeneratedNetwork& network, const std::string& text, const std::string& by) {
  for (GeneratedFile& file : network.files) {
    if (file.name != "net.c") continue;
    const size_t at = file.contents.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    file.contents.replace(at, text.size(), by);
  }
}

Result<CallReport> invoke(const GeneratedNetwork& network) {
  TT_TRY_ASSIGN(const BuiltNetwork built, build_network(network, flash_rp2040()));
  TT_TRY_ASSIGN(Simulator simulator, Simulator::create(flash_rp2040()));
  TT_TRY_ASSIGN(const ElfInfo image, simulator.load(built.elf));
  CallOptions options;
  options.arrival = network.arrivals->way;
  const uint32_t arena = image.symbols.at(network.arena_symbol).address;
  return simulator.call(image.symbols.at(network.invoke_symbol).address, {&arena, 1}, options);
}

TEST(ArrivingLayers, MissingWait_IsCaught) {
  const Graph graph = dense_chain();
  GeneratedNetwork network =
      *generate_network(executed(graph), flash_rp2040(), {}, arriving({{1, 1, 0}}));
  EXPECT_EQ(invoke(network)->end, CallEnd::kReturned);
  replace(network, "while (net_is_busy(state->channel & 0xffu))", "while (0 && net_is_busy(0))");
  const auto report = invoke(network);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_EQ(report->end, CallEnd::kFault);
  EXPECT_THAT(report->detail, HasSubstr("weights are still arriving"));
}

NetworkOptions shared(const Graph& graph, std::vector<ArrivingLayer> layers,
                      const std::string& on = "rp2040") {
  NetworkOptions options = arriving(std::move(layers), on);
  options.cores = 2;
  options.splits = even_splits(laid_out(executed(graph), options), {});
  return options;
}

// Halves split by channels have their own constants; halves split by rows share them.
TEST(ArrivingLayers, LayersThatCoresShare_TakeOneBlockForBothHalves) {
  const Graph dense = dense_chain(), image = test::residual_block(2);
  for (const char* name : {"rp2040", "rp2350", "rp2350-riscv"}) {
    SCOPED_TRACE(name);
    const Device device = *load_device(name);
    const auto channels = shared(dense, {{0, 1, 0}, {1, 1, 0}, {2, 1, 1}}, name);
    EXPECT_EQ(channels.splits.size(), 3u);
    test::expect_exact(dense, device, seeded_inputs(dense, 3), channels);
    test::expect_exact(image, device, seeded_inputs(image, 5),
                       shared(image, {{1, 1, 0}, {2, 1, 1}}, name));
  }
  const auto all_bytes = [&](const NetworkOptions& options) {
    return generate_network(executed(image), flash_rp2040(), {}, options)->constant_bytes;
  };
  EXPECT_EQ(all_bytes(shared(image, {{1, 1, 0}, {2, 1, 1}})), all_bytes({.name = "net"}));
}

TEST(ArrivingLayers, LayersThatCoresShare_StartTransfersBeforeEitherHalf) {
  const Graph graph = dense_chain();
  const NetworkOptions options = shared(graph, {{2, 1, 1}});
  const std::string source =
      source_of(*generate_network(executed(graph), flash_rp2040(), {}, options));
  EXPECT_THAT(source, HasSubstr("  net_weights_1(base);\n  net_fork(base, "));
  EXPECT_THAT(source, HasSubstr("  net_weights_2(base);\n  net_fork(base, "));
  EXPECT_THAT(source, testing::Not(HasSubstr("net_weights_0")));
  test::expect_exact(graph, flash_rp2040(), seeded_inputs(graph, 7), options);
}

TEST(ArrivingLayers, LayersThatCoresShare_TakeNoBlocksOfChannels) {
  const Graph graph = dense_chain();
  const auto network =
      generate_network(executed(graph), flash_rp2040(), {}, shared(graph, {{0, 4, 0}}));
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("arrive in one block"));
}

TEST(ArrivingLayers, ApplicationThatKeepsItsChannels_CopiesForBothHalves) {
  const Graph graph = dense_chain();
  const NetworkOptions options = shared(graph, {{0, 1, 0}, {1, 1, 0}, {2, 1, 1}});
  GeneratedNetwork network = *generate_network(executed(graph), flash_rp2040(), {}, options);
  const auto inputs = seeded_inputs(graph, 9);
  const auto fetched = run_network(network, graph, flash_rp2040(), inputs);
  network.files.push_back({"application.c",
                           "#include \"net.h\"\nint net_claim_channel(void) { return -1; }\n",
                           FileRole::kSource, true});
  EXPECT_EQ(run_network(network, graph, flash_rp2040(), inputs).outputs, fetched.outputs);
}

TEST(ArrivingLayers, ApplicationThatKeepsItsChannels_GetsTheSameBytes) {
  const Graph graph = dense_chain();
  GeneratedNetwork network = generated(graph);
  network.files.push_back({"application.c",
                           "#include \"net.h\"\nint net_claim_channel(void) { return -1; }\n",
                           FileRole::kSource, true});
  const auto inputs = seeded_inputs(graph, 9);
  const auto refused = run_network(network, graph, flash_rp2040(), inputs);
  EXPECT_EQ(refused.outputs, run_network(generated(graph), graph, flash_rp2040(), inputs).outputs);
  EXPECT_GT(refused.instructions, 0u);
}

TEST(ArrivingLayers, BlocksThatCannotBe_AreRefused) {
  const Graph graph = dense_chain();
  const auto network = generate_network(executed(graph), flash_rp2040(), {}, arriving({{0, 5, 0}}));
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("cannot arrive in 5 blocks"));
}

TEST(ArrivingLayers, TilesTakeNoMoreThanTwoBlocksOfALayer) {
  const Graph graph = dense_chain();
  const auto whole = generate_network(executed(graph), flash_rp2040(), {}, {.name = "net"});
  const uint32_t widened_weights = 2 * 64 * 32;  // of the first layer, in four blocks
  EXPECT_LT(generated(graph).arena_bytes, whole->arena_bytes + widened_weights);
}

}  // namespace
}  // namespace tinytune
