#include "codegen/networks/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "base/subprocess.h"
#include "codegen/networks/network_memory.h"
#include "examples/ds_cnn.h"
#include "models/integer_op.h"
#include "models/tflite/tflite.h"
#include "templates/kernel_template.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::expect_exact;
using test::GraphBuilder;
using test::NetworkRun;
using test::run_network;
using test::seeded_inputs;
using testing::HasSubstr;
namespace fs = std::filesystem;

// input → reshape → softmax → output, beside an ADD that reads the input too.
Graph branching_graph() {
  GraphBuilder b;
  const int x = b.input({1, 4, 6}, 0.1f, 5);
  const int flat = b.op(OperatorKind::kReshape, {x}, {}, {1, 24}, 0.1f, 5);
  const int soft =
      b.op(OperatorKind::kSoftmax, {flat}, SoftmaxAttributes{}, {1, 24}, 1.0f / 256, -128);
  const int twice = b.op(OperatorKind::kAdd, {x, x}, ActivationAttributes{}, {1, 4, 6}, 0.2f, 5);
  return b.finish({twice, soft});
}

TEST(GenerateNetwork, TensorStillNeeded_IsNotOverwritten) {
  const Graph graph = branching_graph();
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 2));
}

// Compilers could use the vectors and loops of some of these cores, which kernels must not.
TEST(GenerateNetwork, OnCoresWithVectorUnits_IsExact) {
  const Graph graph = make_ds_cnn(1);
  for (const char* device : {"cortex-m55", "cortex-m85", "rv32imc_zve32x"}) {
    SCOPED_TRACE(device);
    expect_exact(graph, *load_device(device), seeded_inputs(graph, 1));
  }
}

TEST(GenerateNetwork, Reshape_RunsNoCode) {
  auto network =
      generate_network(executed(branching_graph()), *load_device("rv32imc"), {}, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  EXPECT_EQ(network->layers[0].symbol, "");
  EXPECT_EQ(network->layers[0].fused_into, std::nullopt);
  EXPECT_EQ(network->layers[1].symbol, "net_layer_1");
}

// Maxima and minima with the input, all in place except the first and the last.
TEST(GenerateNetwork, LayersThatComeOutTheSame_AreOneFunction) {
  constexpr int kLayers = 9;
  GraphBuilder b;
  const std::vector<int> shape = {1, 160};
  const int x = b.input(shape, 0.1f, 5);
  int y = x;
  for (int i = 0; i < kLayers; ++i)
    y = b.op(i % 2 ? OperatorKind::kMinimum : OperatorKind::kMaximum, {y, x}, {}, shape, 0.1f, 5);
  const Graph graph = b.finish({y});
  const Device device = *load_device("rv32imc");
  auto network = generate_network(executed(graph), device, {}, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  EXPECT_LT(network->functions.size(), 5u);
  ASSERT_EQ(network->layers.size(), size_t{kLayers});
  EXPECT_EQ(network->layers[4].symbol, network->layers[2].symbol);
  EXPECT_NE(network->layers[4].symbol, network->layers[3].symbol);
  EXPECT_THAT(network->functions[1].comment, HasSubstr("more like it"));
  expect_exact(graph, device, seeded_inputs(graph, 2));
  const NetworkRun run = run_network(*network, graph, device, seeded_inputs(graph, 2));
  for (int i = 0; i < kLayers; ++i) EXPECT_GT(run.layer_instructions.at(i), 160u) << i;
}

TEST(GenerateNetwork, ElementwiseAfterLastUse_WorksInPlace) {
  GraphBuilder b;
  const int x = b.input({1, 160}, 0.1f, 5);
  const int twice = b.op(OperatorKind::kAdd, {x, x}, ActivationAttributes{}, {1, 160}, 0.2f, 5);
  const int soft =
      b.op(OperatorKind::kSoftmax, {twice}, SoftmaxAttributes{}, {1, 160}, 1.0f / 256, -128);
  const Graph graph = b.finish({soft});
  auto network = generate_network(executed(graph), *load_device("rv32imc"), {}, {"net"});
  ASSERT_TRUE(network.has_value());
  EXPECT_EQ(network->arena_bytes, 160u);
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 2));
}

// Two equal 1x1 convolutions of [1, 5, 4, 8] in a row, with different weights.
Graph twin_convolutions() {
  GraphBuilder b;
  std::vector<uint8_t> first, second;
  for (int i = 0; i < 64; ++i) {
    first.push_back(static_cast<uint8_t>(i % 13 - 6));
    second.push_back(static_cast<uint8_t>(i % 11 - 5));
  }
  int x = b.input({1, 5, 4, 8}, 0.1f, -128);
  for (const auto& weights : {first, second}) {
    const int w = b.constant({8, 1, 1, 8}, 0.02f, 0, weights);
    ConvAttributes a;
    a.activation = Activation::kRelu;
    x = b.op(OperatorKind::kConv2d, {x, w, -1}, a, {1, 5, 4, 8}, 0.1f, -128);
  }
  return b.finish({x});
}

std::string file_of(const GeneratedNetwork& network, const std::string& name) {
  for (const GeneratedFile& file : network.files)
    if (file.name == name) return file.contents;
  ADD_FAILURE() << "no file " << name;
  return "";
}

TEST(GenerateNetwork, EqualLayers_ShareOneKernel) {
  const Graph graph = twin_convolutions();
  auto network = generate_network(executed(graph), *load_device("rv32imc"), {}, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  const std::string kernels = file_of(*network, "net_kernels.S");
  EXPECT_THAT(kernels, HasSubstr("net_kernel_0:"));
  EXPECT_THAT(kernels, testing::Not(HasSubstr("net_kernel_1:")));
  expect_exact(graph, *load_device("rv32imc"), seeded_inputs(graph, 9));
}

TEST(GenerateNetwork, ScheduleOutsideTheSpace_GivesWayToTheDefaultWithAWarning) {
  const Graph graph = twin_convolutions();
  const Schedule unknown("no_such_template", 1, {{"oc", "4"}});
  auto network = generate_network(executed(graph), *load_device("rv32imc"),
                                  [&](const Workload&) { return GivenSchedule{unknown}; }, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  ASSERT_EQ(network->warnings.size(), 2u);
  EXPECT_THAT(network->warnings[0], HasSubstr("layer 0: schedule no_such_template/1 oc=4"));
  EXPECT_FALSE(network->layers[0].tuned);
}

TEST(GenerateNetwork, RandomPointsOfTheSpace_AreExact) {
  const Graph graph = twin_convolutions();
  const Device device = *load_device("rv32imc");
  Rng rng(3);
  for (int i = 0; i < 5; ++i) {
    auto network = generate_network(executed(graph), device,
                                    [&](const Workload& w) {
                                      const ConfigSpace space = space_of(w, device);
                                      return GivenSchedule{space.schedule(rng.below(space.size()))};
                                    },
                                    {"net"});
    ASSERT_TRUE(network.has_value()) << network.error().message();
    ASSERT_TRUE(network->layers[0].schedule.has_value());
    SCOPED_TRACE(to_text(*network->layers[0].schedule));
    const auto inputs = seeded_inputs(graph, 9);
    const NetworkRun run = run_network(*network, graph, device, inputs);
    ASSERT_EQ(run.outputs.size(), 1u);
    EXPECT_TRUE(run.outputs[0] ==
                (*run_reference(graph, inputs))[static_cast<size_t>(graph.outputs[0])]);
  }
}

TEST(GenerateNetwork, ConstantOutput_IsRefused) {
  GraphBuilder b;
  const int x = b.input({4}, 0.1f, 5), k = b.constant({4}, 0.1f, 5, {1, 2, 3, 4});
  const int y = b.op(OperatorKind::kAdd, {x, k}, ActivationAttributes{}, {4}, 0.2f, 5);
  auto network = generate_network(executed(b.finish({y, k})), *load_device("rv32imc"), {}, {"net"});
  ASSERT_FALSE(network.has_value());
  EXPECT_EQ(network.error().code(), ErrorCode::kUnsupported);
}

TEST(GenerateNetwork, NameIsNoIdentifier_IsRefused) {
  auto network =
      generate_network(executed(branching_graph()), *load_device("rv32imc"), {}, {"a-b"});
  ASSERT_FALSE(network.has_value());
  EXPECT_EQ(network.error().code(), ErrorCode::kInvalidInput);
}

TEST(GenerateNetwork, BadArena_IsRefusedByStatus) {
  const Device device = *load_device("rv32imc");
  auto network = generate_network(executed(branching_graph()), device, {}, {"net"});
  ASSERT_TRUE(network.has_value());
  auto elf = build_network(*network, device);
  ASSERT_TRUE(elf.has_value()) << elf.error().message();
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator.has_value());
  auto image = simulator->load(elf->elf);
  ASSERT_TRUE(image.has_value());
  const uint32_t invoke = image->symbols.at("net_invoke").address;
  const uint32_t arena = image->symbols.at("net_arena").address;
  for (const auto& [argument, status] : std::map<uint32_t, uint32_t>{{0, 1}, {arena + 4, 2}}) {
    auto report = simulator->call(invoke, {&argument, 1});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->end, CallEnd::kReturned) << report->detail;
    EXPECT_EQ(report->return_value, status);
  }
}

}  // namespace
}  // namespace tinytune
