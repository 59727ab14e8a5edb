#include "models/operators/gather/attributes.h"

#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/attribute_reading.h"
#include "models/tflite/attributes.h"

namespace tinytune::tflite {

Result<Attributes> read_gather(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_GatherOptions();
  if (o == nullptr) return Attributes(GatherAttributes{});
  return Attributes(GatherAttributes{o->axis(), o->batch_dims()});
}

}  // namespace tinytune::tflite
