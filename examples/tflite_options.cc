#include "examples/tflite_options.h"

#include "models/operator_kind.h"

namespace tinytune {
namespace {

using flatbuffers::FlatBufferBuilder;

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

// The file format uses FLOAT32 for an unspecified type.
schema::TensorType bias_type(bool int32_sums) {
  return int32_sums ? schema::TensorType::INT32 : schema::TensorType::FLOAT32;
}

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
                                        activation_of(a.activation), a.dilation_w, a.dilation_h,
                                        bias_type(a.int32_sums))
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
              schema::CreateFullyConnectedOptions(builder, activation, 0, false,
                                                  bias_type(a.int32_sums))
                  .Union()};
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
  Options operator()(const GeluAttributes& a) const {
    return {schema::BuiltinOptions::GeluOptions,
            schema::CreateGeluOptions(builder, a.approximate).Union()};
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
  // Kinds from ONNX only: TFLite has no such operators, so none is written.
  Options operator()(const TableAttributes&) const { return {}; }
  Options operator()(const QLinearAttributes&) const { return {}; }
  Options operator()(const WindowMeanAttributes&) const { return {}; }
  Options operator()(const TransposeConvAttributes& a) const {
    return {schema::BuiltinOptions::TransposeConvOptions,
            schema::CreateTransposeConvOptions(builder, padding_of(a.padding), a.stride_w,
                                               a.stride_h, activation_of(a.activation))
                .Union()};
  }
};

}  // namespace

Options write_options(FlatBufferBuilder& builder, OperatorKind kind, const Attributes& attributes) {
  return std::visit(OptionsWriter{builder, kind}, attributes);
}

}  // namespace tinytune
