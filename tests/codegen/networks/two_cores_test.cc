// Layers that two cores share: the same bytes, halves that do not access each other's data, and a
// library that may run on one core or on two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/rng.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "codegen/networks/executed_graph.h"
#include "codegen/networks/split_layers.h"
#include "schedules/weight_facts.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::executed;
using test::ImageChain;
using test::seeded_inputs;
using testing::HasSubstr;

NetworkOptions on_two_cores(const Graph& graph) {
  NetworkOptions options{.name = "net", .cores = 2};
  options.splits = even_splits(laid_out(executed(graph), options), {});
  return options;
}

Graph every_kind() {
  ImageChain chain(15, 8, 4, 4);
  const int trunk = chain.conv(8, {.kernel = 3});
  chain.depthwise({.kernel = 3});
  chain.pool({.kernel = 3}, /*average=*/true);
  chain.relu6();
  chain.add(trunk);
  chain.pool({.kernel = 2, .stride = 2, .padding = Padding::kValid}, /*average=*/false);
  return chain.finish();
}

TEST(TwoCores, LayersInHalves_AreExactAndDoNotRace) {
  for (const Graph& graph : {every_kind(), test::downsampling_block(1)}) {
    const NetworkOptions options = on_two_cores(graph);
    EXPECT_GE(options.splits.size(), graph.operators.size() - 1);
    test::expect_exact(graph, *load_device("rp2040"), seeded_inputs(graph, 3), options);
  }
}

TEST(TwoCores, AnyShare_IsExact) {
  const Graph graph = test::mobile_chain(2);
  test::expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 5),
                     {.name = "net", .cores = 2, .splits = {{0, 1}, {1, 12}, {2, 4}, {4, 6}}});
}

// One row of 28 and 10 channels: the first core computes 12 and 4 of them, with smaller weights.
Graph dense_rows() {
  Rng rng(7);
  test::GraphBuilder builder;
  int at = builder.input({1, 36}, 0.05F, -3);
  for (const auto& [inputs, outputs] : {std::pair{36, 28}, {28, 10}}) {
    std::vector<uint8_t> bytes(static_cast<size_t>(inputs * outputs));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(i < bytes.size() / 2 ? rng.below(3) : rng.next());
    std::vector<int32_t> biases;
    for (int c = 0; c < outputs; ++c) biases.push_back(100 * c - 700);
    const int weights = builder.constant({outputs, inputs}, 0.01F, 0, bytes);
    at = builder.op(OperatorKind::kFullyConnected,
                    {at, weights, builder.bias(biases, 0.05F * 0.01F)}, ActivationAttributes{},
                    {1, outputs}, 0.05F, -3);
  }
  return builder.finish({at});
}

TEST(TwoCores, ChannelsOfADenseLayer_AreComputedApart) {
  const Graph graph = dense_rows();
  const NetworkOptions options = on_two_cores(graph);
  EXPECT_EQ(options.splits, (std::vector<CoreSplit>{{0, 12}, {1, 4}}));
  for (const char* device : {"rp2040", "rp2350", "rp2350-riscv"})
    test::expect_exact(graph, *load_device(device), seeded_inputs(graph, 3), options);
}

TEST(TwoCores, WhatDoesNotHoldOfAHalf_IsProvedAnew) {
  IntegerNetwork network = executed(dense_rows());
  const Operator& op = network.graph.operators[0];
  auto& whole = std::get<KernelOp>(network.ops[0]).workload;
  const auto facts_of_halves = [&] {
    std::vector<WeightFacts> facts;
    const auto split = split_layer(network.graph, op, network.ops[0], 12);
    for (const HalfLayer& half : *split) {
      const auto& kernel = std::get<KernelOp>(half.form);
      EXPECT_TRUE(facts_hold(kernel.workload, kernel.data));
      facts.push_back(kernel.workload.facts);
    }
    return facts;
  };
  EXPECT_THAT(facts_of_halves(), testing::Each(whole.facts));
  const WeightFacts proved = whole.facts;
  whole.facts.lane_group = 64;  // the first half's weights are small
  EXPECT_THAT(facts_of_halves(), testing::ElementsAre(whole.facts, proved));
}

TEST(TwoCores, ChannelsOfAConvolutionWithOnePixel_AreComputedApart) {
  ImageChain chain(3, 3, 8, 5);
  chain.conv(24, {.kernel = 3, .padding = Padding::kValid});
  chain.conv(16, {.kernel = 1});
  const Graph graph = chain.finish();
  const NetworkOptions options = on_two_cores(graph);
  EXPECT_EQ(options.splits, (std::vector<CoreSplit>{{0, 12}, {1, 8}}));
  for (const char* device : {"rp2040", "rp2350"})
    test::expect_exact(graph, *load_device(device), seeded_inputs(graph, 3), options);
}

TEST(TwoCores, MatricesOfAProduct_AreComputedApart) {
  for (const std::vector<int>& left : {std::vector<int>{5, 4, 8}, {1, 4, 8}}) {
    test::GraphBuilder builder;
    const int x = builder.input(left, 0.1F, 3), y = builder.input({5, 8, 3}, 0.1F, -7);
    const int product =
        builder.op(OperatorKind::kBatchMatMul, {x, y}, BatchMatMulAttributes{}, {5, 4, 3}, 1.0F, 0);
    const Graph graph = builder.finish({product});
    const NetworkOptions options = on_two_cores(graph);
    EXPECT_EQ(options.splits, (std::vector<CoreSplit>{{0, 2}}));
    test::expect_exact(graph, *load_device("rp2040"), seeded_inputs(graph, 3), options);
  }
}

// The operands after the factors are a multiplier, an addend, and a shift with limits.
TEST(TwoCores, MatricesWhoseSumsBecomeBytes_AreComputedApart) {
  test::GraphBuilder builder;
  const int x = builder.input({4, 2, 8}, 1, 0), y = builder.input({4, 8, 12}, 1, 0);
  const int product = builder.op(
      OperatorKind::kIntegerMatMul,
      {x, y, builder.integers({773}), builder.integers({3}), builder.integers({16, -128, 127})},
      BatchMatMulAttributes{}, {4, 2, 12}, 1, 0);
  const Graph graph = builder.finish({product});
  const NetworkOptions options = on_two_cores(graph);
  EXPECT_EQ(options.splits, (std::vector<CoreSplit>{{0, 2}}));
  test::expect_exact(graph, *load_device("rp2040"), seeded_inputs(graph, 3), options);
}

// 1 of 3 matrices has 15 bytes.
TEST(TwoCores, PartsThatAreNoWords_StayTogether) {
  test::GraphBuilder builder;
  const int x = builder.input({3, 3, 8}, 0.1F, 3), y = builder.input({3, 8, 5}, 0.1F, -7);
  const int product =
      builder.op(OperatorKind::kBatchMatMul, {x, y}, BatchMatMulAttributes{}, {3, 3, 5}, 1.0F, 0);
  EXPECT_TRUE(on_two_cores(builder.finish({product})).splits.empty());
}

TEST(TwoCores, SplitThatCannotBe_IsRefused) {
  const auto network = generate_network(executed(test::mobile_chain(1)), *load_device("rp2040"), {},
                                        {.name = "net", .cores = 2, .splits = {{0, 13}}});
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("operator 0 cannot be split behind row 13"));
}

/// Returns the race that the simulator reports between the halves of the first layer, if the second
/// writes `rows` rows too early.
std::string race_of_halves(int rows) {
  const Device device = *load_device("rp2040");
  const Graph graph = test::mobile_chain(1);
  constexpr int kRowsOfFirst = 4;
  GeneratedNetwork network = *generate_network(
      executed(graph), device, {}, {.name = "net", .cores = 2, .splits = {{0, kRowsOfFirst}}});
  const GeneratedLayer& layer = network.layers[0];
  const int output = graph.operators[0].outputs[0];
  const auto& placed = *std::find_if(network.tensors.begin(), network.tensors.end(),
                                     [&](const PlacedTensor& t) { return t.tensor == output; });
  const uint32_t row_bytes = placed.bytes / static_cast<uint32_t>(graph.tensor(output).shape[1]);
  const uint32_t begin = placed.offset + kRowsOfFirst * row_bytes;
  for (GeneratedFile& file : network.files) {
    if (file.name != "net.c") continue;
    const std::string pointer = "arena + " + std::to_string(begin) + ")";
    const size_t function = file.contents.find("void " + layer.other_symbol + "(");
    const size_t at = file.contents.find(pointer, function);
    EXPECT_LT(at, file.contents.find("\n}", function)) << pointer;
    file.contents.replace(at, pointer.size(),
                          "arena + " + std::to_string(begin - rows * row_bytes) + ")");
  }
  const auto built = build_network(network, device);
  EXPECT_TRUE(built) << built.error().message();
  auto simulator = Simulator::create(device);
  const auto image = simulator->load(built->elf);
  CallOptions options;
  options.sections = {image->symbols.at(layer.symbol).address,
                      image->symbols.at(layer.other_symbol).address};
  options.pairs = {{0, 1}};
  const uint32_t arena = image->symbols.at(network.arena_symbol).address;
  const auto report =
      simulator->call(image->symbols.at(network.invoke_symbol).address, {&arena, 1}, options);
  EXPECT_EQ(report->joined.size(), 1u);
  return report->race;
}

TEST(TwoCores, HalvesThatOverlapByOneRow_AreCaught) {
  EXPECT_EQ(race_of_halves(0), "");
  EXPECT_THAT(race_of_halves(1), HasSubstr("write at 0x"));
  EXPECT_THAT(race_of_halves(1), HasSubstr("which the other core writes"));
}

TEST(TwoCores, LibraryOfOneCore_KnowsNothingOfAnother) {
  const Graph graph = test::mobile_chain(1);
  const auto network =
      generate_network(executed(graph), *load_device("rp2040"), {}, {.name = "net"});
  ASSERT_TRUE(network.has_value());
  for (const GeneratedFile& file : network->files)
    EXPECT_EQ(file.contents.find("net_attach"), std::string::npos) << file.name;
}

std::string array_of(const std::string& name, const test::Bytes& bytes) {
  std::string text = "static const unsigned char " + name + "[] = {";
  for (const uint8_t byte : bytes) text += std::to_string(byte) + ",";
  return text + "};\n";
}

// Calls alone, with a thread, and with a thread that is refused; twice each.
constexpr const char* kMain = R"(
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "net.h"
NET_STATIC_ARENA(arena);
static pthread_t thread;
static int started;
struct start { void (*task)(void *); void *argument; };
static struct start begin;
static void *run(void *start) {
  const struct start *s = start;
  s->task(s->argument);
  return NULL;
}
static int launch(void (*task)(void *), void *argument, void *context) {
  if (context == NULL) return 0;
  begin.task = task;
  begin.argument = argument;
  started = pthread_create(&thread, NULL, run, &begin) == 0;
  return started;
}
static int differs(void) {
  for (int i = 0; i < 2; ++i) {
    memset(arena, 0xa5, sizeof arena);
    memcpy(net_input_0(arena), input, sizeof input);
    started = 0;
    if (net_invoke(arena) != NET_OK) return 1;
    if (started) pthread_join(thread, NULL);
    if (memcmp(net_output_0(arena), expected, sizeof expected) != 0) return 1;
  }
  return 0;
}
int main(void) {
  int wrong = differs();
  net_attach(launch, arena);
  wrong += differs() << 1;
  if (!started) wrong += 8;
  net_attach(launch, NULL);
  wrong += differs() << 2;
  return wrong;
}
)";

// Runs on this machine, with threads for cores and a sanitizer that sees every race.
TEST(TwoCores, ThreadThatHelps_RacesWithNobodyAndGivesTheSameBytes) {
  const Graph graph = every_kind();
  const auto inputs = seeded_inputs(graph, 3);
  const auto network = generate_network(
      executed(graph), with_portable_kernels(*load_device("rp2040")), {}, on_two_cores(graph));
  ASSERT_TRUE(network) << network.error().message();
  const auto reference = run_reference(graph, inputs);
  ASSERT_TRUE(reference);
  const auto directory = TemporaryDirectory::create("cores");
  ASSERT_TRUE(directory);
  const std::string program = directory->file("program"), main_file = directory->file("main.c");
  ASSERT_TRUE(write_file(
      main_file, array_of("input", inputs[0]) +
                     array_of("expected", (*reference)[static_cast<size_t>(graph.outputs[0])]) +
                     kMain));
  std::vector<std::string> words = {"cc",       "-std=gnu11",
                                    "-O1",      "-g",
                                    "-Wall",    "-Wextra",
                                    "-Werror",  "-fsanitize=thread",
                                    "-pthread", "-I" + directory->path(),
                                    main_file,  "-o",
                                    program};
  for (const GeneratedFile& file : network->files) {
    ASSERT_TRUE(write_file(directory->file(file.name), file.contents));
    if (file.role == FileRole::kSource) words.push_back(directory->file(file.name));
  }
  const auto built = run_process(words, std::chrono::minutes(2));
  ASSERT_TRUE(built) << built.error().message();
  ASSERT_EQ(built->exit_code, 0) << built->err;
  const auto ran = run_process({program}, std::chrono::minutes(1));
  ASSERT_TRUE(ran) << ran.error().message();
  EXPECT_EQ(ran->exit_code, 0) << ran->out << ran->err;
}

}  // namespace
}  // namespace tinytune
