// Reads the options of GATHER, GATHER_ND and EMBEDDING_LOOKUP from TensorFlow Lite files.
#include "models/operators/gather/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_gather(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_GatherOptions();
  if (o == nullptr) return Attributes(GatherAttributes{});
  return Attributes(GatherAttributes{o->axis(), o->batch_dims()});
}

}  // namespace tinytune::tflite
