// Reads the options of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED from TensorFlow Lite files.
#include "models/operators/kernels/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {
namespace {

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

}  // namespace

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

}  // namespace tinytune::tflite
