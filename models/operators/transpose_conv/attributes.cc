// Reads the options of TRANSPOSE_CONV from TensorFlow Lite files.
#include "models/operators/transpose_conv/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

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

}  // namespace tinytune::tflite
