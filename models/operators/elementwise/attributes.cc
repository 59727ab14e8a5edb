// Reads the options of ADD, SUB and MUL from TensorFlow Lite files.
#include "models/operators/elementwise/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_add(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_AddOptions());
}

Result<Attributes> read_sub(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_SubOptions());
}

Result<Attributes> read_mul(const schema::Operator& op) {
  return activation_of(op.builtin_options_as_MulOptions());
}

}  // namespace tinytune::tflite
