#include "models/operators/matmul/attributes.h"

#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/attribute_reading.h"
#include "models/tflite/attributes.h"

namespace tinytune::tflite {

Result<Attributes> read_batch_matmul(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_BatchMatMulOptions();
  if (o == nullptr) return Attributes(BatchMatMulAttributes{});
  return Attributes(BatchMatMulAttributes{o->adj_x(), o->adj_y()});
}

}  // namespace tinytune::tflite
