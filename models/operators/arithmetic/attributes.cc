// Reads the options of DIV and CUMSUM from TensorFlow Lite files.
#include "models/operators/arithmetic/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_div(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_DivOptions());
}

Result<Attributes> read_cumsum(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_CumsumOptions();
  if (o == nullptr) return Attributes(CumsumAttributes{});
  return Attributes(CumsumAttributes{o->exclusive(), o->reverse()});
}

}  // namespace tinytune::tflite
