#include "examples/tflite_writer.h"

#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"

namespace tinytune {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

schema::TensorType type_of(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return schema::TensorType::INT8;
    case ElementType::kUint8:
      return schema::TensorType::UINT8;
    case ElementType::kInt32:
      return schema::TensorType::INT32;
    case ElementType::kInt16:
      return schema::TensorType::INT16;
    case ElementType::kInt64:
      return schema::TensorType::INT64;
    case ElementType::kFloat32:
      return schema::TensorType::FLOAT32;
    case ElementType::kBool:
      return schema::TensorType::BOOL;
    case ElementType::kInt4:
      return schema::TensorType::INT4;
  }
  return schema::TensorType::STRING;
}

schema::Padding padding_of(Padding padding) {
  return padding == Padding::kSame ? schema::Padding::SAME : schema::Padding::VALID;
}

schema::ActivationFunction activation_of(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return schema::ActivationFunction::NONE;
    case Activation::kRelu:
      return schema::ActivationFunction::RELU;
    case Activation::kRelu6:
      return schema::ActivationFunction::RELU6;
    case Activation::kReluN1To1:
      return schema::ActivationFunction::RELU_N1_TO_1;
  }
  return schema::ActivationFunction::NONE;
}

constexpr int kCustom = 32;  // TFLite's code of operators that it does not know either

int code_of(OperatorKind kind) {
  switch (kind) {
#define OPERATOR(kind, name, code, ...) \
  case OperatorKind::k##kind:           \
    return code;
#include "models/operators.inc"
#undef OPERATOR
    case OperatorKind::kExternal:
      return kCustom;
  }
  return -1;
}

struct Options {
  schema::BuiltinOptions type = schema::BuiltinOptions::NONE;
  Offset<void> table;
};

// One overload per attributes struct; the operator's kind picks among tables of equal content.
struct OptionsWriter {
  FlatBufferBuilder& builder;
  OperatorKind kind;

  Options operator()(const std::monostate&) const { return {}; }
  Options operator()(const ConvAttributes& a) const {
    if (kind == OperatorKind::kDepthwiseConv2d)
      return {schema::BuiltinOptions::DepthwiseConv2DOptions,
              schema::CreateDepthwiseConv2DOptions(
                  builder, padding_of(a.padding), a.stride_w, a.stride_h, a.depth_multiplier,
                  activation_of(a.activation), a.dilation_w, a.dilation_h)
                  .Union()};
    return {schema::BuiltinOptions::Conv2DOptions,
            schema::CreateConv2DOptions(builder, padding_of(a.padding), a.stride_w, a.stride_h,
                                        activation_of(a.activation), a.dilation_w, a.dilation_h)
                .Union()};
  }
  Options operator()(const PoolAttributes& a) const {
    return {schema::BuiltinOptions::Pool2DOptions,
            schema::CreatePool2DOptions(builder, padding_of(a.padding), a.stride_w, a.stride_h,
                                        a.filter_w, a.filter_h, activation_of(a.activation))
                .Union()};
  }
  Options operator()(const ActivationAttributes& a) const {
    const auto activation = activation_of(a.activation);
    if (kind == OperatorKind::kFullyConnected)
      return {schema::BuiltinOptions::FullyConnectedOptions,
              schema::CreateFullyConnectedOptions(builder, activation).Union()};
    if (kind == OperatorKind::kSub)
      return {schema::BuiltinOptions::SubOptions,
              schema::CreateSubOptions(builder, activation).Union()};
    if (kind == OperatorKind::kDiv)
      return {schema::BuiltinOptions::DivOptions,
              schema::CreateDivOptions(builder, activation).Union()};
    if (kind == OperatorKind::kMul)
      return {schema::BuiltinOptions::MulOptions,
              schema::CreateMulOptions(builder, activation).Union()};
    return {schema::BuiltinOptions::AddOptions,
            schema::CreateAddOptions(builder, activation).Union()};
  }
  Options operator()(const SoftmaxAttributes& a) const {
    return {schema::BuiltinOptions::SoftmaxOptions,
            schema::CreateSoftmaxOptions(builder, a.beta).Union()};
  }
  Options operator()(const AxisAttributes& a) const {
    if (kind == OperatorKind::kPack)
      return {schema::BuiltinOptions::PackOptions,
              schema::CreatePackOptions(builder, 0, a.axis).Union()};
    if (kind == OperatorKind::kUnpack)
      return {schema::BuiltinOptions::UnpackOptions,
              schema::CreateUnpackOptions(builder, 0, a.axis).Union()};
    return {schema::BuiltinOptions::ConcatenationOptions,
            schema::CreateConcatenationOptions(builder, a.axis).Union()};
  }
  Options operator()(const ReducerAttributes& a) const {
    return {schema::BuiltinOptions::ReducerOptions,
            schema::CreateReducerOptions(builder, a.keep_dims).Union()};
  }
  Options operator()(const LeakyReluAttributes& a) const {
    return {schema::BuiltinOptions::LeakyReluOptions,
            schema::CreateLeakyReluOptions(builder, a.alpha).Union()};
  }
  Options operator()(const ResizeAttributes& a) const {
    if (kind == OperatorKind::kResizeBilinear)
      return {schema::BuiltinOptions::ResizeBilinearOptions,
              schema::CreateResizeBilinearOptions(builder, a.align_corners, a.half_pixel_centers)
                  .Union()};
    return {
        schema::BuiltinOptions::ResizeNearestNeighborOptions,
        schema::CreateResizeNearestNeighborOptions(builder, a.align_corners, a.half_pixel_centers)
            .Union()};
  }
  Options operator()(const StridedSliceAttributes& a) const {
    return {schema::BuiltinOptions::StridedSliceOptions,
            schema::CreateStridedSliceOptions(builder, a.begin_mask, a.end_mask, 0, 0,
                                              a.shrink_axis_mask)
                .Union()};
  }
  Options operator()(const BlockAttributes& a) const {
    if (kind == OperatorKind::kSpaceToDepth)
      return {schema::BuiltinOptions::SpaceToDepthOptions,
              schema::CreateSpaceToDepthOptions(builder, a.size).Union()};
    return {schema::BuiltinOptions::DepthToSpaceOptions,
            schema::CreateDepthToSpaceOptions(builder, a.size).Union()};
  }
  Options operator()(const MirrorPadAttributes& a) const {
    const auto mode = a.reflect ? schema::MirrorPadMode::REFLECT : schema::MirrorPadMode::SYMMETRIC;
    return {schema::BuiltinOptions::MirrorPadOptions,
            schema::CreateMirrorPadOptions(builder, mode).Union()};
  }
  Options operator()(const GatherAttributes& a) const {
    return {schema::BuiltinOptions::GatherOptions,
            schema::CreateGatherOptions(builder, a.axis, a.batch_dims).Union()};
  }
  Options operator()(const BatchMatMulAttributes& a) const {
    return {schema::BuiltinOptions::BatchMatMulOptions,
            schema::CreateBatchMatMulOptions(builder, a.adj_x, a.adj_y).Union()};
  }
  Options operator()(const CumsumAttributes& a) const {
    return {schema::BuiltinOptions::CumsumOptions,
            schema::CreateCumsumOptions(builder, a.exclusive, a.reverse).Union()};
  }
  Options operator()(const SvdfAttributes& a) const {
    return {schema::BuiltinOptions::SVDFOptions,
            schema::CreateSVDFOptions(builder, a.rank).Union()};
  }
  Options operator()(const LstmAttributes& a) const {
    return {schema::BuiltinOptions::UnidirectionalSequenceLSTMOptions,
            schema::CreateUnidirectionalSequenceLSTMOptions(
                builder, schema::ActivationFunction::TANH, a.cell_clip, 0, a.time_major)
                .Union()};
  }
  Options operator()(const ExternalAttributes&) const { return {}; }
  Options operator()(const TransposeConvAttributes& a) const {
    return {
        schema::BuiltinOptions::TransposeConvOptions,
        schema::CreateTransposeConvOptions(builder, padding_of(a.padding), a.stride_w, a.stride_h)
            .Union()};
  }
};

// As TFLite stores them: of int4, two to a byte, the low half first.
std::vector<uint8_t> stored(const Tensor& tensor) {
  if (tensor.type != ElementType::kInt4) return tensor.data;
  std::vector<uint8_t> packed((tensor.data.size() + 1) / 2);
  for (size_t i = 0; i < tensor.data.size(); ++i)
    packed[i / 2] |= static_cast<uint8_t>((tensor.data[i] & 15) << (i % 2 * 4));
  return packed;
}

Offset<schema::Tensor> write_tensor(FlatBufferBuilder& b, const Tensor& tensor, uint32_t buffer) {
  Offset<schema::Quantization> quantization;
  if (!tensor.quantization.scales.empty()) {
    const auto& q = tensor.quantization;
    const std::vector<int64_t> zero_points(q.zero_points.begin(), q.zero_points.end());
    const auto scales = b.CreateVector(q.scales);
    quantization = schema::CreateQuantization(b, scales, b.CreateVector(zero_points), 0, q.axis);
  }
  const auto name = b.CreateString(tensor.name);
  return schema::CreateTensor(b, b.CreateVector(tensor.shape), type_of(tensor.type), buffer, name,
                              quantization, tensor.is_variable);
}

}  // namespace

std::vector<uint8_t> write_tflite(const Graph& graph) {
  FlatBufferBuilder b;
  std::vector<Offset<schema::Buffer>> buffers = {schema::CreateBuffer(b)};
  std::vector<Offset<schema::Tensor>> tensors;
  for (const Tensor& tensor : graph.tensors) {
    uint32_t buffer = 0;
    if (tensor.is_constant) {
      buffer = static_cast<uint32_t>(buffers.size());
      const std::vector<uint8_t> data = stored(tensor);
      b.ForceVectorAlignment(data.size(), 1, 16);
      buffers.push_back(schema::CreateBuffer(b, b.CreateVector(data)));
    }
    tensors.push_back(write_tensor(b, tensor, buffer));
  }
  std::vector<Offset<schema::OperatorCode>> codes;
  std::vector<Offset<schema::Operator>> operators;
  for (const Operator& op : graph.operators) {
    const int code = code_of(op.kind);
    const auto* custom = std::get_if<ExternalAttributes>(&op.attributes);
    codes.push_back(schema::CreateOperatorCode(
        b, static_cast<int8_t>(code),
        custom == nullptr ? 0 : b.CreateString(custom->op.substr(custom->op.find(' ') + 1)), 1,
        code));
    const Options options = std::visit(OptionsWriter{b, op.kind}, op.attributes);
    const auto inputs = b.CreateVector(op.inputs), outputs = b.CreateVector(op.outputs);
    operators.push_back(schema::CreateOperator(
        b, static_cast<uint32_t>(codes.size() - 1), inputs, outputs, options.type, options.table,
        custom == nullptr ? 0 : b.CreateVector(custom->options)));
  }
  const auto inputs = b.CreateVector(graph.inputs), outputs = b.CreateVector(graph.outputs);
  const auto tensor_vector = b.CreateVector(tensors);
  const auto subgraph = schema::CreateSubGraph(b, tensor_vector, inputs, outputs,
                                               b.CreateVector(operators), b.CreateString("main"));
  const auto code_vector = b.CreateVector(codes);
  const auto subgraphs = b.CreateVector(&subgraph, 1);
  const auto description = b.CreateString("made by tinytune's examples");
  schema::FinishModelBuffer(
      b, schema::CreateModel(b, 3, code_vector, subgraphs, description, b.CreateVector(buffers)));
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

}  // namespace tinytune
