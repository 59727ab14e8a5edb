// Reads the options of SOFTMAX from TensorFlow Lite files.
#include "models/operators/softmax/attributes.h"

#include <cmath>

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_softmax(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_SoftmaxOptions();
  if (o == nullptr) return missing();
  if (!std::isfinite(o->beta())) return Error(ErrorCode::kInvalidInput, "its beta is not finite");
  return Attributes(SoftmaxAttributes{o->beta()});
}

}  // namespace tinytune::tflite
