// Error messages for networks of a kind that does not run here: one line that fits a terminal,
// whatever the size of the network, with advice.
#include "models/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tflite_writer.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/tflite.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr size_t kLongest = 320;  // four lines of a terminal

std::string refusal(const std::vector<uint8_t>& file) {
  const auto result = import_tflite(file, "net");
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().code(), ErrorCode::kUnsupported);
  EXPECT_LE(result.error().message().size(), kLongest) << result.error().message();
  EXPECT_EQ(result.error().message().find('\n'), std::string::npos);
  return result.error().message();
}

std::string refusal(const Graph& graph) { return refusal(write_tflite(graph)); }

void make_float(Graph& graph, bool weights_too) {
  for (Tensor& tensor : graph.tensors) {
    if (tensor.is_constant && !weights_too) continue;
    const auto elements = static_cast<size_t>(tensor.elements());
    tensor.type = ElementType::kFloat32;
    tensor.quantization = {};
    if (tensor.is_constant) tensor.data.assign(elements * sizeof(float), 0);
  }
}

/// Returns the file with its int16 tensors retyped as float16, a type that graphs do not have.
std::vector<uint8_t> with_halves(const Graph& graph) {
  std::vector<uint8_t> file = write_tflite(graph);
  auto* model = flatbuffers::GetMutableRoot<schema::Model>(file.data());
  for (const schema::Tensor* tensor : *model->subgraphs()->Get(0)->tensors()) {
    if (tensor->type() != schema::TensorType::INT16) continue;
    auto* table = reinterpret_cast<flatbuffers::Table*>(const_cast<schema::Tensor*>(tensor));
    EXPECT_TRUE(table->SetField<int8_t>(schema::Tensor::VT_TYPE,
                                        static_cast<int8_t>(schema::TensorType::FLOAT16), 0));
  }
  return file;
}

/// Returns a chain of `count` custom operators.
Graph chain_of_customs(const std::string& name, int count) {
  GraphBuilder b;
  int x = b.input({1, 8});
  for (int i = 0; i < count; ++i) {
    const int y = b.activation({1, 8});
    b.op(OperatorKind::kExternal, {x}, {y}, ExternalAttributes{"CUSTOM " + name, "", {}});
    x = y;
  }
  b.graph.outputs = {x};
  return b.graph;
}

TEST(Refusal, FloatNetwork_IsCalledSoWithWhatToDo) {
  Graph graph = tiny_network();
  make_float(graph, /*weights_too=*/true);
  EXPECT_THAT(
      refusal(graph),
      AllOf(HasSubstr("net: a float32 network: operator 0 CONV_2D (t0 [1,5,4,2] is float32"),
            HasSubstr("full-integer int8 quantisation"), HasSubstr("representative_dataset"),
            Not(HasSubstr("not supported"))));
}

TEST(Refusal, HybridNetwork_IsToldFromAFloatOne) {
  Graph graph = tiny_network();
  make_float(graph, /*weights_too=*/false);
  EXPECT_THAT(refusal(graph),
              AllOf(HasSubstr("float32 activations with int8 weights"),
                    HasSubstr("dynamic range quantisation"), HasSubstr("representative_dataset")));
}

// Converters make each operator read its weights through a DEQUANTIZE.
TEST(Refusal, Float16Weights_AreToldFromFloat32) {
  GraphBuilder b;
  const int x = b.input({1, 4}), weights = b.activation({2, 4}), y = b.activation({1, 2});
  const int halves = b.int8_constant({2, 4}, std::vector<int8_t>(8), 1, 0);
  b.op(OperatorKind::kDequantize, {halves}, {weights});
  b.op(OperatorKind::kFullyConnected, {x, weights}, {y}, ActivationAttributes{});
  b.graph.outputs = {y};
  for (Tensor& tensor : b.graph.tensors) {
    tensor.type = tensor.id == halves ? ElementType::kInt16 : ElementType::kFloat32;
    tensor.quantization = {};
    if (tensor.is_constant) tensor.data.resize(16);
  }
  EXPECT_THAT(refusal(with_halves(b.graph)),
              AllOf(HasSubstr("net: float16 weights: operator 0 DEQUANTIZE (t"),
                    HasSubstr("full-integer int8 quantisation"),
                    HasSubstr("representative_dataset"), Not(HasSubstr("a float32 network"))));
}

TEST(Refusal, Uint8Network_IsToldToConvertAgain) {
  Graph graph = tiny_network();
  for (Tensor& tensor : graph.tensors)
    if (tensor.type == ElementType::kInt8) {
      tensor.type = ElementType::kUint8;
      tensor.quantization = {{0.5F}, {128}, 0};
    }
  EXPECT_THAT(refusal(graph), AllOf(HasSubstr("net: quantised to uint8: operator 0 CONV_2D"),
                                    HasSubstr("TensorFlow 2's TFLiteConverter")));
}

TEST(Refusal, VelasOutput_IsRecognised) {
  EXPECT_THAT(
      refusal(chain_of_customs("ethos-u", 1)),
      AllOf(HasSubstr("compiled by Vela for an Ethos-U: operator 0 CUSTOM ethos-u"),
            HasSubstr("give the network as it was before Vela"), Not(HasSubstr("--external"))));
}

TEST(Refusal, UnknownOperator_MayBeLeftToAFunction) {
  EXPECT_THAT(refusal(chain_of_customs("Fft", 2)),
              AllOf(HasSubstr("operator 0 CUSTOM Fft (not supported); operator 1 CUSTOM Fft"),
                    HasSubstr("--external CUSTOM:Fft=FUNCTION.h"), Not(HasSubstr("more"))));
}

TEST(Refusal, ThreeHundredUnknownOperators_StayOneShortLine) {
  EXPECT_THAT(refusal(chain_of_customs("Fft", 300)),
              AllOf(HasSubstr("operator 0 CUSTOM Fft"), HasSubstr(" and 298 more; --external")));
  EXPECT_LE(refusal(chain_of_customs(std::string(5000, 'x'), 300)).size(), kLongest);
}

TEST(Refusal, ThreeHundredFloatOperators_StayOneShortLine) {
  GraphBuilder b;
  int x = b.input({1, 8});
  for (int i = 0; i < 300; ++i) {
    const int y = b.activation({1, 8});
    b.op(OperatorKind::kSoftmax, {x}, {y}, SoftmaxAttributes{});
    x = y;
  }
  b.graph.outputs = {x};
  make_float(b.graph, true);
  EXPECT_THAT(refusal(b.graph), AllOf(HasSubstr("a float32 network"), HasSubstr("more; convert")));
}

TEST(Refusal, FloatNetworkWithAnOperatorThatIsLacking_SaysThatTypesAreNotAll) {
  Graph graph = chain_of_customs("Fft", 1);
  const int y = static_cast<int>(graph.tensors.size());
  graph.tensors.push_back(graph.tensors[0]);
  graph.tensors.back().id = y;
  graph.operators.push_back({1, OperatorKind::kSoftmax, {1}, {y}, SoftmaxAttributes{}});
  graph.outputs = {y};
  make_float(graph, true);
  EXPECT_THAT(refusal(graph), AllOf(HasSubstr("a float32 network"),
                                    HasSubstr("; in any type CUSTOM Fft is not supported")));
}

TEST(Refusal, SupportedNetwork_HasNone) { EXPECT_EQ(refusal_of(ModelSummary{}), ""); }

}  // namespace
}  // namespace tinytune
