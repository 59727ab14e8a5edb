// Reads the options of SVDF from TensorFlow Lite files.
#include "models/operators/svdf/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

// The integer kernel applies no activation function, whatever the options say.
Result<Attributes> read_svdf(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_SVDFOptions();
  if (o == nullptr) return missing();
  return Attributes(SvdfAttributes{o->rank()});
}

}  // namespace tinytune::tflite
