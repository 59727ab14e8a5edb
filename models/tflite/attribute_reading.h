// Reads operators' options from TensorFlow Lite files: a reader for each row of operators.inc, and
// functions that readers share.
#pragma once

#include "models/graph.h"
#include "models/schema/tflite_subset_generated.h"
#include "tinytune/result.h"

namespace tinytune::tflite {

/// kInvalidInput: options are missing.
Error missing();
/// kUnsupported: not a kind of RELU.
Result<Activation> read_activation(schema::ActivationFunction activation);
/// kInvalidInput: neither SAME nor VALID.
Result<Padding> read_padding(schema::Padding padding);

template <typename Options>
Result<Attributes> activation_of(const Options* o) {
  ActivationAttributes a;
  if (o == nullptr) return Attributes(a);
  TT_TRY_ASSIGN(a.activation, read_activation(o->activation()));
  return Attributes(a);
}

#define OPERATOR(kind, name, code, attributes, ...) \
  Result<Attributes> read_##attributes(const schema::Operator& op);
#include "models/operators.inc"
#undef OPERATOR

}  // namespace tinytune::tflite
