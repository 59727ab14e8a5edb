#include "models/tflite_attributes.h"

#include <cmath>

#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"

namespace tinytune {
namespace {

Error missing() { return Error(ErrorCode::kInvalidInput, "its options are missing"); }

Result<Activation> read_activation(schema::ActivationFunction activation) {
  switch (activation) {
    case schema::ActivationFunction::NONE:
      return Activation::kNone;
    case schema::ActivationFunction::RELU:
      return Activation::kRelu;
    case schema::ActivationFunction::RELU6:
      return Activation::kRelu6;
    case schema::ActivationFunction::RELU_N1_TO_1:
      return Activation::kReluN1To1;
    default:
      return Error(ErrorCode::kUnsupported, "its fused activation is not a kind of RELU");
  }
}

Result<Padding> read_padding(schema::Padding padding) {
  if (padding == schema::Padding::SAME) return Padding::kSame;
  if (padding == schema::Padding::VALID) return Padding::kValid;
  return Error(ErrorCode::kInvalidInput, "its padding is neither SAME nor VALID");
}

Result<Attributes> read_nothing(const schema::Operator&) { return Attributes(); }

template <typename Options>
Result<Attributes> convolution(const Options* o, int depth_multiplier) {
  if (o == nullptr) return missing();
  ConvAttributes a;
  TT_TRY_ASSIGN(a.padding, read_padding(o->padding()));
  TT_TRY_ASSIGN(a.activation, read_activation(o->activation()));
  a.stride_h = o->stride_h();
  a.stride_w = o->stride_w();
  a.dilation_h = o->dilation_h();
  a.dilation_w = o->dilation_w();
  a.depth_multiplier = depth_multiplier;
  return Attributes(a);
}

Result<Attributes> read_conv(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_Conv2DOptions();
  TT_TRY_ASSIGN(Attributes read, convolution(o, 0));
  std::get<ConvAttributes>(read).int32_sums = o->quantized_bias_type() == schema::TensorType::INT32;
  return read;
}

Result<Attributes> read_depthwise(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_DepthwiseConv2DOptions();
  return convolution(o, o == nullptr ? 0 : o->depth_multiplier());
}

Result<Attributes> read_fully_connected(const schema::Operator& op) {
  ActivationAttributes a;
  if (const auto* o = op.builtin_options_as_FullyConnectedOptions()) {
    if (o->weights_format() != 0) return Error(ErrorCode::kUnsupported, "its weights are shuffled");
    TT_TRY_ASSIGN(a.activation, read_activation(o->activation()));
    a.int32_sums = o->quantized_bias_type() == schema::TensorType::INT32;
  }
  return Attributes(a);
}

Result<Attributes> read_pool(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_Pool2DOptions();
  if (o == nullptr) return missing();
  PoolAttributes a;
  TT_TRY_ASSIGN(a.padding, read_padding(o->padding()));
  TT_TRY_ASSIGN(a.activation, read_activation(o->activation()));
  a.stride_h = o->stride_h();
  a.stride_w = o->stride_w();
  a.filter_h = o->filter_h();
  a.filter_w = o->filter_w();
  return Attributes(a);
}

Result<Attributes> read_softmax(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_SoftmaxOptions();
  if (o == nullptr) return missing();
  if (!std::isfinite(o->beta())) return Error(ErrorCode::kInvalidInput, "its beta is not finite");
  return Attributes(SoftmaxAttributes{o->beta()});
}

template <typename Options>
Result<Attributes> activation_of(const Options* o) {
  ActivationAttributes a;
  if (o == nullptr) return Attributes(a);
  TT_TRY_ASSIGN(a.activation, read_activation(o->activation()));
  return Attributes(a);
}

Result<Attributes> read_add(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_AddOptions());
}

Result<Attributes> read_sub(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_SubOptions());
}

Result<Attributes> read_mul(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_MulOptions());
}

Result<Attributes> read_reducer(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ReducerOptions();
  return Attributes(ReducerAttributes{o != nullptr && o->keep_dims()});
}

Result<Attributes> read_div(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_DivOptions());
}

template <typename Options>
Result<Attributes> block_of(const Options* o) {
  if (o == nullptr) return missing();
  if (o->block_size() < 1) return Error(ErrorCode::kInvalidInput, "its block is not positive");
  return Attributes(BlockAttributes{o->block_size()});
}

Result<Attributes> read_space_to_depth(const schema::Operator& op) {
  return block_of(op.builtin_options_as_SpaceToDepthOptions());
}

Result<Attributes> read_depth_to_space(const schema::Operator& op) {
  return block_of(op.builtin_options_as_DepthToSpaceOptions());
}

Result<Attributes> read_mirror_pad(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_MirrorPadOptions();
  if (o == nullptr) return missing();
  return Attributes(MirrorPadAttributes{o->mode() == schema::MirrorPadMode::REFLECT});
}

Result<Attributes> read_gather(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_GatherOptions();
  if (o == nullptr) return Attributes(GatherAttributes{});
  return Attributes(GatherAttributes{o->axis(), o->batch_dims()});
}

Result<Attributes> read_resize_bilinear(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ResizeBilinearOptions();
  if (o == nullptr) return Attributes(ResizeAttributes{});
  return Attributes(ResizeAttributes{o->align_corners(), o->half_pixel_centers()});
}

Result<Attributes> read_batch_matmul(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_BatchMatMulOptions();
  if (o == nullptr) return Attributes(BatchMatMulAttributes{});
  return Attributes(BatchMatMulAttributes{o->adj_x(), o->adj_y()});
}

Result<Attributes> read_l2_normalization(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_L2NormOptions();
  if (o != nullptr && o->activation() != schema::ActivationFunction::NONE)
    return Error(ErrorCode::kUnsupported, "its fused activation, which TFLite refuses");
  return Attributes();
}

Result<Attributes> read_cumsum(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_CumsumOptions();
  if (o == nullptr) return Attributes(CumsumAttributes{});
  return Attributes(CumsumAttributes{o->exclusive(), o->reverse()});
}

// The integer kernel applies no activation function, whatever the options say.
Result<Attributes> read_svdf(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_SVDFOptions();
  if (o == nullptr) return missing();
  return Attributes(SvdfAttributes{o->rank()});
}

// Nothing that TFLite Micro takes has a projection: what would clip it is not looked at.
Result<Attributes> read_lstm(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_UnidirectionalSequenceLSTMOptions();
  if (o == nullptr) return missing();
  if (o->activation() != schema::ActivationFunction::TANH)
    return Error(ErrorCode::kUnsupported, "an activation of its cell gate other than TANH");
  if (!std::isfinite(o->cell_clip()) || o->cell_clip() < 0)
    return Error(ErrorCode::kInvalidInput, "its cell's clip is negative or not finite");
  return Attributes(LstmAttributes{o->cell_clip(), o->time_major()});
}

Result<Attributes> read_gelu(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_GeluOptions();
  return Attributes(GeluAttributes{o != nullptr && o->approximate()});
}

Result<Attributes> read_leaky_relu(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_LeakyReluOptions();
  if (o == nullptr) return missing();
  if (!std::isfinite(o->alpha())) return Error(ErrorCode::kInvalidInput, "its alpha is not finite");
  return Attributes(LeakyReluAttributes{o->alpha()});
}

Result<Attributes> read_concatenation(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ConcatenationOptions();
  if (o == nullptr) return missing();
  if (o->activation() != schema::ActivationFunction::NONE)
    return Error(ErrorCode::kUnsupported, "it has a fused activation, which TFLite refuses");
  return Attributes(AxisAttributes{o->axis()});
}

Result<Attributes> read_pack(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_PackOptions();
  if (o == nullptr) return missing();
  return Attributes(AxisAttributes{o->axis()});
}

Result<Attributes> read_unpack(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_UnpackOptions();
  if (o == nullptr) return missing();
  return Attributes(AxisAttributes{o->axis()});
}

Result<Attributes> read_resize(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ResizeNearestNeighborOptions();
  if (o == nullptr) return Attributes(ResizeAttributes{});
  return Attributes(ResizeAttributes{o->align_corners(), o->half_pixel_centers()});
}

Result<Attributes> read_strided_slice(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_StridedSliceOptions();
  if (o == nullptr) return missing();
  if (o->ellipsis_mask() != 0 || o->new_axis_mask() != 0 || o->offset())
    return Error(ErrorCode::kUnsupported, "its ellipsis, new axes or relative ends");
  return Attributes(StridedSliceAttributes{o->begin_mask(), o->end_mask(), o->shrink_axis_mask()});
}

Result<Attributes> read_transpose_conv(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_TransposeConvOptions();
  if (o == nullptr) return missing();
  TransposeConvAttributes a;
  TT_TRY_ASSIGN(a.activation, read_activation(o->activation()));
  TT_TRY_ASSIGN(a.padding, read_padding(o->padding()));
  a.stride_h = o->stride_h();
  a.stride_w = o->stride_w();
  return Attributes(a);
}

}  // namespace

Result<Attributes> read_attributes(OperatorKind kind, const schema::Operator& op) {
  switch (kind) {
#define OPERATOR(kind, name, code, attributes, ...) \
  case OperatorKind::k##kind:                       \
    return read_##attributes(op);
#include "models/operators.inc"
#undef OPERATOR
    default:
      break;
  }
  return Error(ErrorCode::kUnsupported, "no such operator");
}

Result<Attributes> external_attributes(const std::string& name, const ExternalFunction& function,
                                       const schema::Operator& op) {
  ExternalAttributes attributes{name, function.name, {}};
  if (const auto* options = op.custom_options())
    attributes.options.assign(options->begin(), options->end());
  return Attributes(std::move(attributes));
}

}  // namespace tinytune
