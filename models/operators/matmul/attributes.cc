// Reads the options of BATCH_MATMUL from TensorFlow Lite files.
#include "models/operators/matmul/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_batch_matmul(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_BatchMatMulOptions();
  if (o == nullptr) return Attributes(BatchMatMulAttributes{});
  return Attributes(BatchMatMulAttributes{o->adj_x(), o->adj_y()});
}

}  // namespace tinytune::tflite
