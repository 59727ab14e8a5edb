#include "codegen/networks/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "base/rng.h"
#include "models/tflite/tflite.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::GraphBuilder;
namespace fs = std::filesystem;

const fs::path kShared = fs::path(TINYTUNE_SOURCE_DIR) / ".." / "shared";

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

std::vector<IntegerOp> forms_of(const Graph& graph) {
  std::vector<IntegerOp> forms;
  for (const Operator& op : graph.operators) {
    auto form = prepare(graph, op);
    EXPECT_TRUE(form) << form.error().message();
    forms.push_back(std::move(form).value());
  }
  return forms;
}

int convolution(GraphBuilder& b, int input, int channels, int zero_point) {
  std::vector<uint8_t> data;
  for (int i = 0; i < channels * channels; ++i) data.push_back(static_cast<uint8_t>(i % 13 - 6));
  const int weights = b.constant({channels, 1, 1, channels}, 0.02F, 0, data);
  return b.op(OperatorKind::kConv2d, {input, weights, -1}, ConvAttributes{}, {1, 5, 4, channels},
              0.1F, zero_point);
}

// Two parallel convolutions, added: input → a → c, input → b → c.
Graph diamond() {
  GraphBuilder b;
  const int input = b.input({1, 5, 4, 8}, 0.1F, -128);
  const int left = convolution(b, input, 8, 3), right = convolution(b, input, 8, 4);
  const int sum =
      b.op(OperatorKind::kAdd, {left, right}, ActivationAttributes{}, {1, 5, 4, 8}, 0.1F, -128);
  return b.finish({convolution(b, sum, 8, 5)});
}

// NHWC and NCHW cycles of a kernel by its output's zero point, which tells test layers apart.
using Table = std::map<int, std::pair<uint64_t, uint64_t>>;
LayoutCosts costs_of(const Table& table, uint64_t transform) {
  return {[table](const Workload& w) -> std::optional<uint64_t> {
            const auto at = table.find(w.output_zero_point);
            if (at == table.end()) return std::nullopt;
            return w.layout == Layout::kNhwc ? at->second.first : at->second.second;
          },
          [transform](const ImageShape&, Layout) { return transform; }};
}

constexpr Layout kNhwc = Layout::kNhwc, kNchw = Layout::kNchw;

TEST(ChooseLayouts, FasterKernel_IsTakenWhereItPaysForItsTransforms) {
  GraphBuilder b;
  const int input = b.input({1, 5, 4, 8}, 0.1F, -128);
  const Graph graph = b.finish({convolution(b, input, 8, 1)});
  const auto forms = forms_of(graph);
  const Table table = {{1, {1000, 800}}};
  EXPECT_EQ(choose_layouts(graph, forms, costs_of(table, 99)).layouts, std::vector{kNchw});
  EXPECT_EQ(choose_layouts(graph, forms, costs_of(table, 99)).transform_cycles, 198U);
  EXPECT_EQ(choose_layouts(graph, forms, costs_of(table, 101)).layouts, std::vector{kNhwc});
}

TEST(ChooseLayouts, SlowerKernelBetweenFasterOnes_SavesTransforms) {
  const Graph graph = diamond();
  const auto forms = forms_of(graph);
  // The right branch alone is better off in NHWC, but not by two transforms.
  const Table table = {{3, {900, 100}}, {4, {300, 350}}, {5, {900, 100}}};
  EXPECT_EQ(choose_layouts(graph, forms, costs_of(table, 60)).layouts,
            (std::vector{kNchw, kNchw, kNchw, kNchw}));
  // One more transform (of its result) is worth it here; the input exists in both layouts anyway.
  EXPECT_EQ(choose_layouts(graph, forms, costs_of(table, 40)).layouts,
            (std::vector{kNchw, kNhwc, kNchw, kNchw}));
}

TEST(ChooseLayouts, IsAsCheapAsTheBestOfAllChoices) {
  const Graph graph = diamond();
  const auto forms = forms_of(graph);
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    Table table;
    for (int zero_point : {3, 4, 5}) table[zero_point] = {rng.below(500), rng.below(500)};
    const uint64_t transform = rng.below(150);
    const LayoutCosts costs = costs_of(table, transform);
    // Computes the cost of a choice from the resulting graph, not from the chooser's own sums.
    const auto cost_of = [&](const std::vector<Layout>& layouts) {
      const LaidOutGraph laid_out = lay_out(graph, forms, layouts);
      uint64_t cycles = 0;
      for (size_t i = 0; i < laid_out.ops.size(); ++i) {
        if (laid_out.graph.operators[i].index == kTransformIndex) cycles += transform;
        if (const auto* kernel = std::get_if<KernelOp>(&laid_out.ops[i]))
          cycles += *costs.kernel(kernel->workload);
      }
      return cycles;
    };
    uint64_t best = ~uint64_t{0};
    for (int choice = 0; choice < 16; ++choice) {
      std::vector<Layout> layouts;
      for (int i = 0; i < 4; ++i) layouts.push_back((choice >> i & 1) != 0 ? kNchw : kNhwc);
      best = std::min(best, cost_of(layouts));
    }
    EXPECT_EQ(cost_of(choose_layouts(graph, forms, costs).layouts), best) << "round " << round;
  }
}

TEST(ChooseLayouts, LayerMeasuredInNeitherLayout_StaysNhwc) {
  const Graph graph = diamond();
  EXPECT_EQ(choose_layouts(graph, forms_of(graph), costs_of({}, 10)).layouts,
            (std::vector{kNhwc, kNhwc, kNhwc, kNhwc}));
}

TEST(ChooseLayouts, ReaderOfState_StaysNhwc) {
  GraphBuilder b;
  const int state = b.variable({1, 5, 4, 8}, 0.1F, 3);
  const int next = convolution(b, b.input({1, 5, 4, 8}, 0.1F, -128), 8, 1);
  const int kept = convolution(b, state, 8, 2);
  const int sum =
      b.op(OperatorKind::kAdd, {next, kept}, ActivationAttributes{}, {1, 5, 4, 8}, 0.1F, -128);
  const Graph graph = b.finish({sum});
  EXPECT_EQ(choose_layouts(graph, forms_of(graph), all_nchw_costs()).layouts,
            (std::vector{kNchw, kNhwc, kNhwc}));
}

TEST(LayOut, TensorUsedInBothLayouts_IsTransformedOnce) {
  const Graph graph = diamond();
  const LaidOutGraph laid_out =
      lay_out(graph, forms_of(graph), std::vector{kNchw, kNchw, kNchw, kNhwc});
  int transforms = 0;
  for (const Operator& op : laid_out.graph.operators) transforms += op.index == kTransformIndex;
  EXPECT_EQ(transforms, 2);  // the input, once for both branches; the sum
}

// Compares every tensor with the reference, in whatever layout the arena holds it.
// Returns the first output.
Bytes expect_exact(const Graph& graph, const Device& device, const LayoutSource& layouts,
                   const Bytes& input, std::optional<bool> some_nchw) {
  NetworkOptions options;
  options.name = "net";
  options.layouts = layouts;
  const auto network = generate_network(executed(graph), device, {}, options);
  if (!network) {
    ADD_FAILURE() << network.error().message();
    return {};
  }
  EXPECT_TRUE(network->warnings.empty());
  const auto run = test::run_network(*network, graph, device, {input});
  const auto reference = run_reference(graph, std::vector<Bytes>{input});
  if (!reference) {
    ADD_FAILURE() << reference.error().message();
    return {};
  }
  int nchw = 0;
  for (const PlacedTensor& placed : network->tensors) {
    Bytes bytes = run.tensors.at(placed.tensor);
    if (placed.layout == kNchw) {
      bytes = transposed(bytes, *image_of(graph.tensor(placed.tensor)), kNchw);
      ++nchw;
    }
    EXPECT_TRUE(bytes == (*reference)[static_cast<size_t>(placed.tensor)])
        << "tensor " << placed.tensor << " differs from the reference";
  }
  EXPECT_EQ(nchw > 0, some_nchw.value_or(nchw > 0));
  for (size_t i = 0; i < run.outputs.size(); ++i)
    EXPECT_TRUE(run.outputs[i] == (*reference)[static_cast<size_t>(graph.outputs[i])])
        << "output " << i << " differs from the reference";
  return run.outputs.empty() ? Bytes() : run.outputs[0];
}

LayoutSource chosen_by(LayoutCosts costs) {
  return [costs = std::move(costs)](const Graph& graph, std::span<const IntegerOp> ops) {
    return choose_layouts(graph, ops, costs).layouts;
  };
}

TEST(LayOut, OutputThatAnotherLayerReads_IsExactInEveryMixture) {
  GraphBuilder b;
  const int input = b.input({1, 5, 4, 8}, 0.1F, -128);
  const int first = convolution(b, input, 8, 1);
  const Graph graph = b.finish({first, convolution(b, first, 8, 2)});
  const Device device = *load_device("rv32imc");
  for (int choice = 1; choice < 4; ++choice)
    expect_exact(
        graph, device,
        [&](const Graph&, std::span<const IntegerOp>) {
          return std::vector{(choice & 1) != 0 ? kNchw : kNhwc, (choice & 2) != 0 ? kNchw : kNhwc};
        },
        test::seeded_inputs(graph, 3)[0], false);
}

// Two images through all kinds of operators that layouts distinguish: convolutions, pointwise ones,
// others (pooling, a constant per channel) and a reshape, with outputs from the middle.
Graph opinions() {
  GraphBuilder b;
  const std::vector<int> shape = {2, 5, 3, 6};
  std::vector<uint8_t> data;
  for (int i = 0; i < 54; ++i) data.push_back(static_cast<uint8_t>(i % 11 - 5));
  const auto convolved = [&](OperatorKind kind, int x, int zero_point) {
    const bool depthwise = kind == OperatorKind::kDepthwiseConv2d;
    const std::vector<uint8_t> taps(data.begin(), data.begin() + (depthwise ? 54 : 36));
    const int weights = depthwise ? b.constant({1, 3, 3, 6}, 0.02F, 0, taps)
                                  : b.constant({6, 1, 1, 6}, 0.02F, 0, taps);
    return b.op(kind, {x, weights, -1}, ConvAttributes{}, shape, 0.1F, zero_point);
  };
  const int input = b.input(shape, 0.1F, -128);
  const int a = convolved(OperatorKind::kConv2d, input, 1);
  const int gate = b.op(OperatorKind::kLogistic, {a}, {}, shape, 1.0F / 256, -128);
  const int d = convolved(OperatorKind::kDepthwiseConv2d, a, 2);
  const int gated = b.op(OperatorKind::kMul, {d, gate}, ActivationAttributes{}, shape, 0.1F, 3);
  const int per_channel = b.constant({6}, 0.1F, 0, {1, 2, 3, 250, 5, 6});
  const int shifted =
      b.op(OperatorKind::kAdd, {gated, per_channel}, ActivationAttributes{}, shape, 0.1F, 4);
  const int c = convolved(OperatorKind::kConv2d, shifted, 5);
  PoolAttributes pool;
  pool.filter_h = pool.filter_w = pool.stride_h = pool.stride_w = 2;
  const int pooled = b.op(OperatorKind::kMaxPool2d, {c}, pool, {2, 2, 1, 6}, 0.1F, 5);
  const int flat = b.op(OperatorKind::kReshape, {c}, {}, {2, 90}, 0.1F, 5);
  return b.finish({pooled, flat, gated, gate});
}

TEST(LayOut, OperatorsOfEveryOpinion_AreExactInSeededMixtures) {
  const Graph graph = opinions();
  const Device device = *load_device("rv32imc");
  const Bytes input = test::seeded_inputs(graph, 4)[0];
  const auto forms = forms_of(graph);
  std::set<std::vector<Layout>> seen;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    LayoutCosts costs;
    costs.kernel = [seed](const Workload& w) {
      return std::optional<uint64_t>(Rng(seed).fork(to_text(w)).below(1000));
    };
    costs.transform = [seed](const ImageShape&, Layout) { return 20 * seed; };
    const std::vector<Layout> layouts = choose_layouts(graph, forms, costs).layouts;
    if (!seen.insert(layouts).second) continue;
    const bool some = std::count(layouts.begin(), layouts.end(), kNchw) > 0;
    SCOPED_TRACE("seed " + std::to_string(seed));
    // A lone NCHW layer may write only what is transformed at once: do not count NCHW tensors.
    expect_exact(
        graph, device, [&](const Graph&, std::span<const IntegerOp>) { return layouts; }, input,
        some ? std::optional<bool>() : false);
  }
  EXPECT_GE(seen.size(), 3U);
}

class RealLayouts : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    const fs::path path = kShared / "models" / (std::string(std::get<0>(GetParam())) + ".tflite");
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not here";
    auto graph = import_tflite(path.string());
    ASSERT_TRUE(graph) << graph.error().message();
    graph_ = std::move(graph).value();
    const fs::path golden = kShared / "golden" / std::get<0>(GetParam());
    if (!fs::exists(golden)) GTEST_SKIP() << golden << " is not here";
    input_ = read_file(golden / "101.in.bin");
    output_ = read_file(golden / "101.out.bin");
    device_ = *load_device(std::get<1>(GetParam()));
    spatial_ = std::string_view(std::get<0>(GetParam())) != "ad01_int8";
  }
  Graph graph_;
  Bytes input_, output_;
  Device device_;
  bool spatial_ = true;
};

TEST_P(RealLayouts, AllThatCanBeNchw_EqualsGoldenVectorsAndEveryTensor) {
  EXPECT_EQ(expect_exact(graph_, device_, chosen_by(all_nchw_costs()), input_, spatial_), output_);
}

TEST_P(RealLayouts, MixtureOfLayouts_EqualsGoldenVectorsAndEveryTensor) {
  // Unrealistic costs, so that neighbours differ and every kind of transform occurs.
  LayoutCosts costs;
  costs.kernel = [](const Workload& w) {
    return std::optional<uint64_t>(Rng(5).fork(to_text(w)).below(100'000));
  };
  costs.transform = [](const ImageShape&, Layout) { return uint64_t{10'000}; };
  EXPECT_EQ(expect_exact(graph_, device_, chosen_by(costs), input_, spatial_), output_);
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, RealLayouts,
                         testing::Combine(testing::Values("kws_ref_model", "ad01_int8",
                                                          "pretrainedResnet_quant", "vww_96_int8"),
                                          testing::Values("rv32imc", "cortex-m4")),
                         [](const auto& info) {
                           std::string name =
                               std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tinytune
