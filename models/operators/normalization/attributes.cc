// Reads the options of L2_NORMALIZATION from TensorFlow Lite files.

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_l2_normalization(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_L2NormOptions();
  if (o != nullptr && o->activation() != schema::ActivationFunction::NONE)
    return Error(ErrorCode::kUnsupported, "its fused activation, which TFLite refuses");
  return Attributes();
}

}  // namespace tinytune::tflite
