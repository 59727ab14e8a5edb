// Reads the options of reductions from TensorFlow Lite files.
#include "models/operators/reduce/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_reducer(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ReducerOptions();
  return Attributes(ReducerAttributes{o != nullptr && o->keep_dims()});
}

}  // namespace tinytune::tflite
