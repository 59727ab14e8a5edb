#include "models/onnx/onnx_operators.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/onnx/onnx.h"
#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

using Numbers = std::span<const float>;

float argument(Numbers x, size_t i) { return i < x.size() ? x[i] : std::nanf(""); }
float clipped(float x, float low, float high) { return std::min(std::max(x, low), high); }
float sigmoid(float x) { return static_cast<float>(1 / (1 + std::exp(-double{x}))); }
float hard_sigmoid(float x, float alpha, float beta) { return clipped(alpha * x + beta, 0, 1); }
double softplus(double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); }
float erf(float x) { return static_cast<float>(std::erf(double{x})); }

constexpr std::string_view kAtRunTime =
    "its scales are computed as it runs; quantise the network statically, with calibration data";
constexpr std::string_view kSums =
    "a result of int32 sums, which nothing scales before it runs; quantise the network statically, "
    "with calibration data";
constexpr std::string_view kFused =
    "onnxruntime's own; save the network before onnxruntime optimises it for one processor";
constexpr std::string_view kToReals =
    "bytes to float32, with float32 steps between; quantise its parts between QuantizeLinear and "
    "DequantizeLinear";
constexpr std::string_view kBetween =
    "float32 scales for each channel; fold it into the convolution before quantising, as "
    "`python3 -m onnxruntime.quantization.preprocess` does";
constexpr std::string_view kStatistics =
    "float32 statistics of its input, for which there are no integers with onnxruntime's result";
constexpr std::string_view kOfData =
    "what it computes or how much depends on the data; end the network before it "
    "(onnx.utils.extract_model)";
constexpr std::string_view kWeightsOnly =
    "quantised weights with float32 activations; quantise activations too, with calibration data";
constexpr std::string_view kOnGpus =
    "a layout of onnxruntime's CUDA kernels; export for onnxruntime's CPU kernels";

const OnnxOperator kOperators[] = {
    {.name = "Conv", .real = import_conv, .fuses = true, .integers = import_integer_conv},
    {.name = "ConvTranspose", .real = import_conv_transpose, .fuses = true},
    {.name = "Gemm",
     .real = import_product,
     .fuses = true,
     .sums = import_product_sums,
     .integers = import_integer_gemm},
    {.name = "MatMul",
     .real = import_product,
     .fuses = true,
     .sums = import_product_sums,
     .integers = import_integer_product},
    {.name = "QLinearConv", .bytes = import_qlinear_conv},
    {.name = "QLinearMatMul", .bytes = import_qlinear_matmul},
    {.name = "QGemm", .bytes = import_qgemm},
    {.name = "MatMulInteger", .bytes = import_matmul_integer},
    {.name = "ConvInteger", .bytes = import_conv_integer},

    {.name = "Add",
     .real = import_add,
     .fuses = true,
     .function = [](const OnnxNode&, Numbers x) { return x[0] + argument(x, 1); },
     .integers = import_integer_pair},
    {.name = "Sub",
     .real = import_sub,
     .fuses = true,
     .function = [](const OnnxNode&, Numbers x) { return x[0] - argument(x, 1); },
     .integers = import_integer_pair},
    {.name = "Mul",
     .real = import_mul,
     .fuses = true,
     .function = [](const OnnxNode&, Numbers x) { return x[0] * argument(x, 1); },
     .has_kernel = true,
     .integers = import_integer_pair},
    {.name = "Sum",
     .real = import_add_all,
     .fuses = true,
     .function = [](const OnnxNode&,
                    Numbers x) { return std::accumulate(x.begin(), x.end(), 0.0F); }},
    {.name = "QLinearAdd", .bytes = import_qlinear_add},
    {.name = "QLinearMul", .bytes = import_qlinear_mul},

    {.name = "MaxPool", .move = import_max_pool, .integers = import_integer_max_pool},
    {.name = "GlobalMaxPool", .move = import_max_pool},
    {.name = "ReduceMax", .move = import_extremum, .integers = import_integer_reduction},
    {.name = "ReduceMin", .move = import_extremum, .integers = import_integer_reduction},
    {.name = "AveragePool", .real = import_average_pool},
    {.name = "GlobalAveragePool", .real = import_mean},
    {.name = "ReduceMean", .real = import_mean, .integers = import_integer_reduction},
    {.name = "ReduceSum", .real = import_sum, .integers = import_integer_reduction},
    {.name = "QLinearAveragePool", .bytes = import_qlinear_average_pool},
    {.name = "QLinearGlobalAveragePool", .bytes = import_qlinear_mean},
    {.name = "QLinearReduceMean", .bytes = import_qlinear_mean},
    {.name = "ArgMax", .bytes = import_arg_extremum},
    {.name = "ArgMin", .bytes = import_arg_extremum},
    {.name = "Where", .real = import_where, .takes_condition = true},
    {.name = "QLinearWhere", .bytes = import_qlinear_where, .takes_condition = true},
    {.name = "Softmax", .real = import_softmax},
    {.name = "QLinearSoftmax", .bytes = import_qlinear_softmax},

    {.name = "Identity", .move = import_same, .whole = import_whole_reshape},
    {.name = "Dropout", .move = import_same},
    {.name = "Cast", .move = import_cast, .whole = import_whole_cast},
    {.name = "Reshape", .move = import_reshape, .whole = import_whole_reshape},
    {.name = "Flatten", .move = import_reshape, .whole = import_whole_reshape},
    {.name = "Squeeze", .move = import_reshape, .whole = import_whole_reshape},
    {.name = "Unsqueeze", .move = import_reshape, .whole = import_whole_reshape},
    {.name = "Transpose", .move = import_transpose},
    {.name = "Concat", .move = import_concat, .integers = import_integer_concat},
    {.name = "QLinearConcat", .bytes = import_qlinear_concat},
    {.name = "Slice", .move = import_slice},
    {.name = "Split", .move = import_split},
    {.name = "Gather", .move = import_gather, .integers = import_integer_gather},
    {.name = "Pad", .move = import_pad},
    {.name = "Expand", .move = import_expand},
    {.name = "DepthToSpace", .move = import_depth_to_space},
    {.name = "SpaceToDepth", .move = import_space_to_depth},
    {.name = "Resize", .move = import_resize},
    {.name = "Upsample", .move = import_resize},

    // Relu, Relu6 and Clip of a result are limits (clamp_of()); these functions serve in others.
    {.name = "Relu",
     .byte_move = import_clipped_bytes,
     .function = [](const OnnxNode&, Numbers x) { return std::max(x[0], 0.0F); },
     .integers = import_integer_relu,
     .of_integer = integer_relu},
    {.name = "Relu6", .function = [](const OnnxNode&, Numbers x) { return clipped(x[0], 0, 6); }},
    {.name = "Clip",
     .byte_move = import_clipped_bytes,
     .function =
         [](const OnnxNode& node, Numbers x) {
           const float low = std::isnan(argument(x, 1)) ? node.get_float("min", -INFINITY) : x[1];
           const float high = std::isnan(argument(x, 2)) ? node.get_float("max", INFINITY) : x[2];
           return clipped(x[0], low, high);
         }},
    {.name = "LeakyRelu",
     .function =
         [](const OnnxNode& node, Numbers x) {
           return x[0] >= 0 ? x[0] : node.get_float("alpha", 0.01F) * x[0];
         }},
    {.name = "PRelu",
     .function = [](const OnnxNode&,
                    Numbers x) { return x[0] < 0 ? argument(x, 1) * x[0] : x[0]; }},
    {.name = "Sigmoid", .function = [](const OnnxNode&, Numbers x) { return sigmoid(x[0]); }},
    {.name = "Tanh",
     .function = [](const OnnxNode&,
                    Numbers x) { return static_cast<float>(std::tanh(double{x[0]})); }},
    {.name = "HardSigmoid",
     .function =
         [](const OnnxNode& node, Numbers x) {
           return hard_sigmoid(x[0], node.get_float("alpha", 0.2F), node.get_float("beta", 0.5F));
         }},
    {.name = "HardSwish",
     .function = [](const OnnxNode&,
                    Numbers x) { return x[0] * hard_sigmoid(x[0], 1.0F / 6, 0.5F); }},
    {.name = "Elu",
     .function =
         [](const OnnxNode& node, Numbers x) {
           return x[0] > 0 ? x[0]
                           : node.get_float("alpha", 1) * static_cast<float>(std::expm1(x[0]));
         }},
    {.name = "Gelu",
     .function =
         [](const OnnxNode&, Numbers x) {
           return 0.5F * x[0] * (1 + erf(x[0] * static_cast<float>(M_SQRT1_2)));
         }},
    {.name = "FastGelu",
     .function =
         [](const OnnxNode&, Numbers x) {
           const float bias = argument(x, 1), v = std::isnan(bias) ? x[0] : x[0] + bias;
           return 0.5F * v *
                  (1 + std::tanh(v * (0.035677408136300125F * v * v + 0.7978845608028654F)));
         }},
    {.name = "QuickGelu",
     .function = [](const OnnxNode& node,
                    Numbers x) { return x[0] * sigmoid(node.get_float("alpha", 1.702F) * x[0]); }},
    {.name = "Mish",
     .function =
         [](const OnnxNode&, Numbers x) {
           return x[0] * static_cast<float>(std::tanh(softplus(double{x[0]})));
         }},
    {.name = "Selu",
     .function =
         [](const OnnxNode& node, Numbers x) {
           const float alpha = node.get_float("alpha", 1.67326319217681884765625F);
           const float gamma = node.get_float("gamma", 1.05070102214813232421875F);
           return gamma * (x[0] > 0 ? x[0] : alpha * static_cast<float>(std::expm1(x[0])));
         }},
    {.name = "Celu",
     .function =
         [](const OnnxNode& node, Numbers x) {
           const float alpha = node.get_float("alpha", 1);
           return std::max(x[0], 0.0F) +
                  std::min(0.0F, alpha * static_cast<float>(std::expm1(x[0] / alpha)));
         }},
    {.name = "ThresholdedRelu",
     .function = [](const OnnxNode& node,
                    Numbers x) { return x[0] > node.get_float("alpha", 1) ? x[0] : 0; }},
    {.name = "Shrink",
     .function =
         [](const OnnxNode& node, Numbers x) {
           const float limit = node.get_float("lambd", 0.5F), bias = node.get_float("bias", 0);
           return x[0] < -limit ? x[0] + bias : x[0] > limit ? x[0] - bias : 0;
         }},
    {.name = "Sign",
     .function = [](const OnnxNode&,
                    Numbers x) { return static_cast<float>((x[0] > 0) - (x[0] < 0)); }},
    {.name = "Floor", .function = [](const OnnxNode&, Numbers x) { return std::floor(x[0]); }},
    {.name = "Ceil", .function = [](const OnnxNode&, Numbers x) { return std::ceil(x[0]); }},
    {.name = "Round", .function = [](const OnnxNode&, Numbers x) { return std::nearbyint(x[0]); }},
    {.name = "Sin", .function = [](const OnnxNode&, Numbers x) { return std::sin(x[0]); }},
    {.name = "Cos", .function = [](const OnnxNode&, Numbers x) { return std::cos(x[0]); }},
    {.name = "Erf", .function = [](const OnnxNode&, Numbers x) { return erf(x[0]); }},
    {.name = "Exp", .function = [](const OnnxNode&, Numbers x) { return std::exp(x[0]); }},
    {.name = "Log", .function = [](const OnnxNode&, Numbers x) { return std::log(x[0]); }},
    {.name = "Sqrt", .function = [](const OnnxNode&, Numbers x) { return std::sqrt(x[0]); }},
    {.name = "Reciprocal", .function = [](const OnnxNode&, Numbers x) { return 1 / x[0]; }},
    {.name = "Neg", .function = [](const OnnxNode&, Numbers x) { return -x[0]; }},
    {.name = "Abs", .function = [](const OnnxNode&, Numbers x) { return std::abs(x[0]); }},
    {.name = "Softplus",
     .function = [](const OnnxNode&,
                    Numbers x) { return static_cast<float>(softplus(double{x[0]})); }},
    {.name = "Softsign",
     .function = [](const OnnxNode&, Numbers x) { return x[0] / (1 + std::abs(x[0])); }},
    {.name = "Div", .function = [](const OnnxNode&, Numbers x) { return x[0] / argument(x, 1); }},
    {.name = "Pow",
     .function = [](const OnnxNode&, Numbers x) { return std::pow(x[0], argument(x, 1)); }},
    {.name = "Max",
     .function = [](const OnnxNode&, Numbers x) { return *std::max_element(x.begin(), x.end()); }},
    {.name = "Min",
     .function = [](const OnnxNode&, Numbers x) { return *std::min_element(x.begin(), x.end()); }},
    {.name = "QLinearLeakyRelu",
     .function = [](const OnnxNode& node,
                    Numbers x) { return x[0] >= 0 ? x[0] : node.get_float("alpha", 0.01F) * x[0]; },
     .bytes = import_qlinear_function},
    {.name = "QLinearSigmoid",
     .function = [](const OnnxNode&, Numbers x) { return sigmoid(x[0]); },
     .bytes = import_qlinear_function},

    // Deeploy's and QuantLib's operators, on plain integers only.
    {.name = "RequantShift", .integers = import_requant_shift},
    {.name = "iSoftmax", .integers = import_integer_softmax, .gives = ElementType::kUint8},
    {.name = "ITAMax",
     .integers = import_integer_softmax,
     .takes = ElementType::kInt8,
     .gives = ElementType::kUint8},
    {.name = "iRMSNorm",
     .integers = import_integer_norm,
     .takes = ElementType::kInt8,
     .gives = ElementType::kInt8},
    {.name = "iLayerNorm",
     .integers = import_integer_norm,
     .takes = ElementType::kInt8,
     .gives = ElementType::kInt8},
    {.name = "iGELU",
     .of_integer = integer_gelu,
     .takes = ElementType::kInt8,
     .gives = ElementType::kInt32},
    {.name = "iHardswish",
     .of_integer = integer_hardswish,
     .takes = ElementType::kInt8,
     .gives = ElementType::kInt32},
    {.name = "TrueIntegerDiv", .integers = import_integer_division, .gives = ElementType::kInt32},
    {.name = "IntegerDiv", .integers = import_integer_division, .gives = ElementType::kInt32},
    {.name = "IntegerMean", .integers = import_integer_reduction},

    {.name = "DynamicQuantizeLinear", .refused = kAtRunTime},
    {.name = "DynamicQuantizeMatMul", .refused = kAtRunTime},
    {.name = "DynamicQuantizeLSTM", .refused = kAtRunTime},
    {.name = "MatMulIntegerToFloat", .refused = kAtRunTime},
    {.name = "MatMulInteger16", .refused = kSums},
    {.name = "MulInteger", .refused = kSums},
    {.name = "ReduceSumInteger", .refused = kSums},
    {.name = "QAttention", .refused = kToReals},
    {.name = "QEmbedLayerNormalization", .refused = kToReals},
    {.name = "MatMulNBits", .refused = kWeightsOnly},
    {.name = "MatMulBnb4", .refused = kWeightsOnly},
    {.name = "MatMulFpQ4", .refused = kWeightsOnly},
    {.name = "GatherBlockQuantized", .refused = kWeightsOnly},
    {.name = "QMoE", .refused = kWeightsOnly},
    {.name = "QOrderedMatMul", .refused = kOnGpus},
    {.name = "QOrderedAttention", .refused = kOnGpus},
    {.name = "QOrderedLongformerAttention", .refused = kOnGpus},
    {.name = "QOrderedLayerNormalization", .refused = kOnGpus},
    {.name = "QOrderedGelu", .refused = kOnGpus},
    {.name = "QuantizeWithOrder", .refused = kOnGpus},
    {.name = "DequantizeWithOrder", .refused = kOnGpus},
    {.name = "QuantizeBFP", .refused = "block floating point; quantise to int8 or uint8"},
    {.name = "DequantizeBFP", .refused = "block floating point; quantise to int8 or uint8"},
    {.name = "BatchNormalization", .refused = kBetween},
    {.name = "LayerNormalization", .refused = kStatistics},
    {.name = "InstanceNormalization", .refused = kStatistics},
    {.name = "LpNormalization", .refused = kStatistics},
    {.name = "LRN", .refused = kStatistics},
    {.name = "NonMaxSuppression", .refused = kOfData},
    {.name = "NonZero", .refused = kOfData},
    {.name = "TopK", .refused = kOfData},
    {.name = "Loop", .refused = kOfData},
    {.name = "Scan", .refused = kOfData},
    {.name = "If", .refused = kOfData},
    {.name = "NhwcMaxPool", .refused = kFused},
    {.name = "NhwcConv", .refused = kFused},
    {.name = "NhwcFusedConv", .refused = kFused},
    {.name = "FusedConv", .refused = kFused},
    {.name = "FusedGemm", .refused = kFused},
    {.name = "FusedMatMul", .refused = kFused},
    {.name = "TransposeMatMul", .refused = kFused},
};

// The row of all operators in onnxruntime's domains for other image layouts; none is standard.
constexpr OnnxOperator kOfOtherLayouts{.name = "", .refused = kFused};

}  // namespace

const OnnxOperator* find_onnx_operator(const OnnxNode& node) {
  if (node.domain == "com.microsoft.nchwc" || node.domain.starts_with("com.ms.internal"))
    return &kOfOtherLayouts;
  const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const OnnxOperator& op) { return op.name == node.type; });
  if (found == std::end(kOperators)) return nullptr;
  // Exporters of the dialect put its operators in any domain.
  const bool is_known = node.domain.empty() || node.domain == "com.microsoft";
  return is_known || found->is_of_dialect() ? found : nullptr;
}

std::vector<std::string_view> onnx_operators() {
  std::vector<std::string_view> names = {"QuantizeLinear", "DequantizeLinear", "Constant"};
  for (const OnnxOperator& op : kOperators)
    if (op.refused.empty() && !op.is_of_dialect()) names.push_back(op.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string_view> onnx_integer_operators() {
  std::vector<std::string_view> names = {"Constant"};
  for (const OnnxOperator& op : kOperators)
    if (op.integers != nullptr || op.of_integer != nullptr || op.move != nullptr)
      names.push_back(op.name);
  std::sort(names.begin(), names.end());
  return names;
}

size_t data_inputs(const OnnxNode& node) {
  return node.type == "Concat" ? node.inputs.size() : size_t{1};
}

}  // namespace tinytune
