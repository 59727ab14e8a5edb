// Reads the options of AVERAGE_POOL_2D and MAX_POOL_2D from TensorFlow Lite files.
#include "models/operators/pooling/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

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

}  // namespace tinytune::tflite
