// Files that import must refuse, each with one line; and a great many damaged at random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/rng.h"
#include "examples/tflite_writer.h"
#include "models/integer_op.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/summary.h"
#include "models/tflite/tflite.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<Graph> import_graph(const Graph& graph) {
  return import_tflite(write_tflite(graph), "tiny");
}

void expect_refused(const Result<Graph>& result, ErrorCode code, const std::string& part) {
  ASSERT_FALSE(result) << "accepted; expected '" << part << "'";
  EXPECT_EQ(result.error().code(), code) << result.error().message();
  EXPECT_THAT(result.error().message(), HasSubstr(part));
  EXPECT_THAT(result.error().message(), Not(HasSubstr("\n")));
}

// Checks that tiny_network with one change is refused.
template <typename Change>
void expect_refused_after(Change change, ErrorCode code, const std::string& part) {
  Graph graph = tiny_network();
  change(graph);
  expect_refused(import_graph(graph), code, part);
}

constexpr ErrorCode kInvalid = ErrorCode::kInvalidInput, kUnsupported = ErrorCode::kUnsupported;

TEST(TfliteImport, WhatWasWritten_IsReadBack) {
  const Graph written = tiny_network();
  const auto read = import_graph(written);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->tensors.size(), written.tensors.size());
  for (size_t i = 0; i < written.tensors.size(); ++i) {
    EXPECT_EQ(read->tensors[i].shape, written.tensors[i].shape);
    EXPECT_EQ(read->tensors[i].data, written.tensors[i].data);
    EXPECT_EQ(read->tensors[i].is_constant, written.tensors[i].is_constant);
    EXPECT_EQ(read->tensors[i].quantization.scales, written.tensors[i].quantization.scales);
  }
  ASSERT_EQ(read->operators.size(), 2U);
  EXPECT_EQ(std::get<ConvAttributes>(read->operators[0].attributes).activation, Activation::kRelu);
}

TEST(TfliteImport, NoSuchFile_IsNotFound) {
  expect_refused(import_tflite("/no/such/model.tflite"), ErrorCode::kNotFound, "no such file");
}

TEST(TfliteImport, Directory_IsRefused) {
  expect_refused(import_tflite(std::filesystem::temp_directory_path().string()), kInvalid,
                 "not a file");
}

TEST(TfliteImport, OtherFiles_AreRefused) {
  expect_refused(import_tflite(std::vector<uint8_t>{}, "m"), kInvalid,
                 "not a TensorFlow Lite file");
  expect_refused(import_tflite(std::vector<uint8_t>(1000, 0x7f), "m"), kInvalid,
                 "not a TensorFlow Lite file");
}

TEST(TfliteImport, TruncatedFile_IsRefusedWithOneLine) {
  const auto whole = write_tflite(tiny_network());
  for (size_t size = 8; size < whole.size(); size += 1)
    expect_refused(import_tflite(std::span(whole).first(size), "m"), kInvalid, "m: ");
}

TEST(TfliteImport, OtherSchemaVersion_IsRefused) {
  auto bytes = write_tflite(tiny_network());
  auto* model = flatbuffers::GetMutableRoot<flatbuffers::Table>(bytes.data());
  ASSERT_TRUE(model->SetField<uint32_t>(schema::Model::VT_VERSION, 4, 0));
  expect_refused(import_tflite(bytes, "m"), kInvalid, "schema version 4");
}

TEST(TfliteImport, ShapeThatOverflows_IsRefused) {
  expect_refused_after(
      [](Graph& g) {
        g.tensors[3].shape = {65536, 65536, 65536, 65536};
      },
      kInvalid, "too large");
  expect_refused_after(
      [](Graph& g) {
        g.tensors[3].shape = {1, 0, 4, 4};
      },
      kUnsupported, "has no elements");
  expect_refused_after(
      [](Graph& g) {
        g.tensors[3].shape = {1, -5, 4, 4};
      },
      kInvalid, "extent of -5");
}

TEST(TfliteImport, ManyAxes_AreRefused) {
  expect_refused_after([](Graph& g) { g.tensors[3].shape.assign(100'000, 1); }, kInvalid,
                       "rank of 100000");
}

TEST(TfliteImport, OneBufferNamedManyTimes_DoesNotFillMemory) {
  flatbuffers::FlatBufferBuilder b;
  const std::vector<uint8_t> megabyte(1 << 20);
  const std::vector<flatbuffers::Offset<schema::Buffer>> buffers = {
      schema::CreateBuffer(b), schema::CreateBuffer(b, b.CreateVector(megabyte))};
  std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
  for (int i = 0; i < 100'000; ++i)
    tensors.push_back(schema::CreateTensor(b, 0, schema::TensorType::INT8, 1));
  const auto vector = b.CreateVector(tensors);
  const auto subgraph = schema::CreateSubGraph(b, vector);
  const auto subgraphs = b.CreateVector(&subgraph, 1);
  schema::FinishModelBuffer(b, schema::CreateModel(b, 3, 0, subgraphs, 0, b.CreateVector(buffers)));
  expect_refused(import_tflite(std::span(b.GetBufferPointer(), b.GetSize()), "m"), kInvalid,
                 "bytes of constants");
}

TEST(TfliteImport, DynamicShape_IsUnsupported) {
  expect_refused_after([](Graph& g) { g.tensors[0].shape[0] = -1; }, kUnsupported, "dynamic");
}

TEST(TfliteImport, BadScales_AreRefused) {
  for (float scale : {0.0F, -1.0F, 1e-42F, std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::quiet_NaN()}) {
    expect_refused_after([&](Graph& g) { g.tensors[0].quantization.scales = {scale}; }, kInvalid,
                         "scale");
    expect_refused_after([&](Graph& g) { g.tensors[1].quantization.scales[2] = scale; }, kInvalid,
                         "scale");
  }
  expect_refused_after([](Graph& g) { g.tensors[0].quantization.zero_points = {128}; }, kInvalid,
                       "zero point of 128");
}

TEST(TfliteImport, MissingOrUnevenQuantisation_IsRefused) {
  expect_refused_after([](Graph& g) { g.tensors[0].quantization = {}; }, kInvalid,
                       "no quantisation");
  expect_refused_after([](Graph& g) { g.tensors[1].quantization = {}; }, kInvalid,
                       "no quantisation");
  expect_refused_after([](Graph& g) { g.tensors[1].quantization.axis = 4; }, kInvalid, "axis 4");
  expect_refused_after([](Graph& g) { g.tensors[1].quantization.axis = -1; }, kInvalid, "axis -1");
  expect_refused_after(
      [](Graph& g) {
        g.tensors[1].quantization.scales.pop_back();
        g.tensors[1].quantization.zero_points.pop_back();
      },
      kInvalid, "3 scales");
  expect_refused_after([](Graph& g) { g.tensors[1].quantization.zero_points[0] = 1; }, kUnsupported,
                       "zero point");
}

TEST(TfliteImport, BufferThatDoesNotFitItsShape_IsRefused) {
  expect_refused_after([](Graph& g) { g.tensors[1].data.pop_back(); }, kInvalid, "71 bytes");
  expect_refused_after([](Graph& g) { g.tensors[2].data.resize(20); }, kInvalid, "20 bytes");
}

TEST(TfliteImport, TensorIdsOutOfRange_AreRefused) {
  for (int id : {-2, 99, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    expect_refused_after([&](Graph& g) { g.operators[0].inputs[0] = id; }, kInvalid, "operator 0");
    expect_refused_after([&](Graph& g) { g.operators[1].outputs[0] = id; }, kInvalid, "operator 1");
    expect_refused_after([&](Graph& g) { g.inputs[0] = id; }, kInvalid, "model input");
    expect_refused_after([&](Graph& g) { g.outputs[0] = id; }, kInvalid, "model output");
  }
}

TEST(TfliteImport, OperatorsOutOfOrder_AreRefused) {
  expect_refused_after([](Graph& g) { std::swap(g.operators[0], g.operators[1]); }, kInvalid,
                       "read before it is computed");
  expect_refused_after([](Graph& g) { g.operators[1].inputs[0] = g.operators[1].outputs[0]; },
                       kInvalid, "read before it is computed");
  expect_refused_after([](Graph& g) { g.operators[1].outputs[0] = g.operators[0].outputs[0]; },
                       kInvalid, "computed twice");
  expect_refused_after([](Graph& g) { g.outputs[0] = 99; }, kInvalid, "does not exist");
  expect_refused_after([](Graph& g) { g.operators.clear(); }, kInvalid, "no operators");
  expect_refused_after([](Graph& g) { g.inputs.clear(); }, kInvalid, "no inputs");
}

TEST(TfliteImport, WrongNumberOfOperands_IsRefused) {
  expect_refused_after([](Graph& g) { g.operators[0].inputs.resize(1); }, kInvalid, "1 inputs");
  expect_refused_after([](Graph& g) { g.operators[0].inputs.assign(9, 0); }, kInvalid, "9 inputs");
  expect_refused_after([](Graph& g) { g.operators[0].inputs[1] = -1; }, kInvalid,
                       "input 1 is absent");
  expect_refused_after([](Graph& g) { g.operators[1].outputs.clear(); }, kInvalid, "no outputs");
}

TEST(TfliteImport, AbsentBias_IsZero) {
  Graph graph = tiny_network();
  graph.operators[0].inputs[2] = -1;
  EXPECT_TRUE(import_graph(graph));
  graph.operators[0].inputs.pop_back();
  EXPECT_TRUE(import_graph(graph));
}

TEST(TfliteImport, ShapesThatDoNotFit_AreRefused) {
  expect_refused_after([](Graph& g) { g.tensors[3].shape = {1, 5, 4, 3}; }, kInvalid, "should be");
  expect_refused_after([](Graph& g) { g.tensors[1].shape = {4, 6, 1, 3}; }, kInvalid, "operator 0");
  expect_refused_after(
      [](Graph& g) { std::get<ConvAttributes>(g.operators[0].attributes).stride_h = 0; }, kInvalid,
      "strides");
  expect_refused_after(
      [](Graph& g) { std::get<ConvAttributes>(g.operators[0].attributes).dilation_w = -3; },
      kInvalid, "dilations");
  expect_refused_after([](Graph& g) { g.operators[0].attributes = {}; }, kInvalid, "options");
}

TEST(TfliteImport, OperatorsWeLack_AreAllListed) {
  Graph graph = tiny_network();
  const auto make_foreign = [](std::vector<uint8_t> bytes) {
    auto* model = flatbuffers::GetMutableRoot<schema::Model>(bytes.data());
    for (flatbuffers::uoffset_t i = 0; i < model->operator_codes()->size(); ++i) {
      auto* code = const_cast<schema::OperatorCode*>(model->operator_codes()->Get(i));
      auto* table = reinterpret_cast<flatbuffers::Table*>(code);
      table->SetField<int8_t>(schema::OperatorCode::VT_DEPRECATED_BUILTIN_CODE, 48, 0);
      table->SetField<int32_t>(schema::OperatorCode::VT_BUILTIN_CODE, i == 0 ? 48 : 5000, 0);
    }
    return bytes;
  };
  const auto result = import_tflite(make_foreign(write_tflite(graph)), "m");
  expect_refused(result, kUnsupported, "operator 0 TOPK_V2");
  EXPECT_THAT(result.error().message(), HasSubstr("operator 1 operator code 5000"));
}

// Such operators keep their state in a tensor that no operator computes.
TEST(TfliteImport, OperatorWeLackThatReadsItsOwnState_IsSaidToBeLacking) {
  Graph graph = tiny_network();
  Tensor state = graph.tensors[3];
  state.id = static_cast<int>(graph.tensors.size());
  state.name = "state";
  graph.tensors.push_back(state);
  graph.operators[1].inputs.push_back(state.id);
  std::vector<uint8_t> bytes = write_tflite(graph);
  auto* model = flatbuffers::GetMutableRoot<schema::Model>(bytes.data());
  auto* code = const_cast<schema::OperatorCode*>(model->operator_codes()->Get(1));
  auto* table = reinterpret_cast<flatbuffers::Table*>(code);
  table->SetField<int8_t>(schema::OperatorCode::VT_DEPRECATED_BUILTIN_CODE, 52, 0);
  table->SetField<int32_t>(schema::OperatorCode::VT_BUILTIN_CODE, 52, 0);
  expect_refused(import_tflite(bytes, "m"), kUnsupported,
                 "operator 1 BIDIRECTIONAL_SEQUENCE_LSTM (not supported)");
}

TEST(TfliteImport, FloatNetwork_NamesTensorsAndSaysHowToConvert) {
  Graph graph = tiny_network();
  graph.tensors[0].type = ElementType::kFloat32;
  graph.tensors[3].type = ElementType::kFloat32;
  const auto result = import_graph(graph);
  expect_refused(result, kUnsupported, "t0 [1,5,4,2] is float32");
  EXPECT_THAT(result.error().message(), HasSubstr("full-integer"));
}

TEST(TfliteSummary, UnsupportedModel_IsStillDescribed) {
  Graph graph = tiny_network();
  graph.tensors[3].type = ElementType::kFloat32;
  const std::string path = testing::TempDir() + "/summary_test.tflite";
  const auto bytes = write_tflite(graph);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto summary = summarise_tflite(path);
  ASSERT_TRUE(summary) << summary.error().message();
  ASSERT_EQ(summary->operators.size(), 2U);
  EXPECT_EQ(summary->operators[0].name, "CONV_2D");
  EXPECT_EQ(summary->tensors[3].type, "float32");
  ASSERT_EQ(summary->unsupported.size(), 2U);
  EXPECT_EQ(summary->unsupported[0].index, 0);
  EXPECT_EQ(summary->unsupported[1].index, 1);
}

// Runs an accepted graph by the oracle, unless a mutation made it so large that it only takes time.
void run_if_small(const Graph& graph) {
  int64_t work = 0;
  for (const Tensor& tensor : graph.tensors) work += tensor.elements();
  for (const Operator& op : graph.operators) work += macs_of(*prepare(graph, op));
  if (work > 100'000) return;
  std::vector<std::vector<uint8_t>> inputs;
  for (int id : graph.inputs)
    inputs.emplace_back(static_cast<size_t>(graph.tensor(id).bytes()), uint8_t{0x91});
  ASSERT_TRUE(run_reference(graph, inputs));
}

// Checks that import turns any bytes into a graph that the oracle can run, or one line of error.
void fuzz(const std::vector<uint8_t>& original, int rounds, uint64_t seed) {
  Rng rng(seed);
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<uint8_t> bytes = original;
    // Half of the mutations are near the file's ends, where tables are; buffers are the bulk.
    for (uint64_t flips = 1 + rng.below(4); flips > 0; --flips) {
      const size_t reach = rng.below(2) == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 6000);
      const size_t at = rng.below(2) == 0 ? rng.below(reach) : bytes.size() - 1 - rng.below(reach);
      bytes[at] = rng.below(3) == 0 ? static_cast<uint8_t>(rng.next())
                                    : static_cast<uint8_t>(bytes[at] ^ (1U << rng.below(8)));
    }
    if (rng.below(8) == 0) bytes.resize(rng.below(bytes.size()));
    const auto result = import_tflite(bytes, "fuzzed");
    if (result) {
      ++accepted;
      run_if_small(*result);
    } else {
      ASSERT_FALSE(result.error().message().empty());
      ASSERT_EQ(result.error().message().find('\n'), std::string::npos) << "round " << round;
    }
  }
  EXPECT_GT(accepted, 0) << "the mutations never left a valid file";
  EXPECT_LT(accepted, rounds) << "no mutation was refused";
}

TEST(TfliteImport, MutatedTinyModel_NeverCrashes) { fuzz(write_tflite(tiny_network()), 20000, 11); }

// Chains operators that move or map bytes: their constants are parameters to mutate.
Graph mixed_network() {
  GraphBuilder b;
  b.graph.name = "mixed";
  const int in = b.input({1, 4, 4, 2}, 0.05F, 3);
  const int pads = b.int32_constant({4, 2}, {0, 0, 1, 1, 0, 2, 0, 0});
  const int padded = b.activation({1, 6, 6, 2}, 0.05F, 3);
  b.op(OperatorKind::kPad, {in, pads}, {padded});
  const int begin = b.int32_constant({4}, {0, 1, 0, 0}), end = b.int32_constant({4}, {1, 5, 6, 2});
  const int strides = b.int32_constant({4}, {1, 2, 3, 1});
  const int sliced = b.activation({1, 2, 2, 2}, 0.05F, 3);
  b.op(OperatorKind::kStridedSlice, {padded, begin, end, strides}, {sliced},
       StridedSliceAttributes{});
  const int order = b.int32_constant({4}, {0, 3, 1, 2});
  const int turned = b.activation({1, 2, 2, 2}, 0.05F, 3);
  b.op(OperatorKind::kTranspose, {sliced, order}, {turned});
  const int axis = b.int32_constant({1}, {1}), sizes = b.int32_constant({2}, {1, -1});
  const int left = b.activation({1, 1, 2, 2}, 0.05F, 3),
            right = b.activation({1, 1, 2, 2}, 0.05F, 3);
  b.op(OperatorKind::kSplitV, {turned, sizes, axis}, {left, right});
  const int joined = b.activation({1, 1, 2, 4}, 0.05F, 3);
  b.op(OperatorKind::kConcatenation, {left, right}, {joined}, AxisAttributes{3});
  const int size = b.int32_constant({2}, {3, 5});
  const int resized = b.activation({1, 3, 5, 4}, 0.05F, 3);
  b.op(OperatorKind::kResizeNearestNeighbor, {joined, size}, {resized}, ResizeAttributes{});
  const int swished = b.activation({1, 3, 5, 4}, 0.04F, 3);
  b.op(OperatorKind::kHardSwish, {resized}, {swished});
  const int axes = b.int32_constant({2}, {1, 2});
  const int mean = b.activation({1, 4}, 0.04F, 3);
  b.op(OperatorKind::kMean, {swished, axes}, {mean}, ReducerAttributes{});
  b.graph.outputs = {mean};
  return b.graph;
}

TEST(TfliteImport, MutatedMixedModel_NeverCrashes) {
  fuzz(write_tflite(mixed_network()), 20000, 14);
}

TEST(TfliteImport, MutatedExample_NeverCrashes) {
  fuzz(read_bytes(TINYTUNE_EXAMPLE_MODEL), 2000, 12);
}

TEST(TfliteImport, MutatedRealModels_NeverCrash) {
  const auto models = std::filesystem::path(TINYTUNE_SOURCE_DIR) / ".." / "shared" / "models";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no models at " << models;
  for (const auto& entry : std::filesystem::directory_iterator(models))
    if (entry.path().extension() == ".tflite") fuzz(read_bytes(entry.path().string()), 300, 13);
}

}  // namespace
}  // namespace tinytune
