#include "models/tflite_attributes.h"

#include <cmath>

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
  return convolution(op.builtin_options_as_Conv2DOptions(), 0);
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

}  // namespace

Result<Attributes> read_attributes(OperatorKind kind, const schema::Operator& op) {
  switch (kind) {
#define OPERATOR(kind, name, code, attributes, ...) \
  case OperatorKind::k##kind:                       \
    return read_##attributes(op);
#include "models/operators.inc"
#undef OPERATOR
  }
  return Error(ErrorCode::kUnsupported, "no such operator");
}

}  // namespace tinytune
