#include "models/operators/arithmetic/attributes.h"

#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/attribute_reading.h"
#include "models/tflite/attributes.h"

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
