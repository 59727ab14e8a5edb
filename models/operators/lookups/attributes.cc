// Reads the options of functions of one value from TensorFlow Lite files.
#include "models/operators/lookups/attributes.h"

#include <cmath>

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

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

}  // namespace tinytune::tflite
