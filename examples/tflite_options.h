// Writes an operator's options as TensorFlow Lite files have them: the inverse of
// models/tflite/attributes.h.
#pragma once

#include "models/graph.h"
#include "models/schema/tflite_subset_generated.h"

namespace tinytune {

struct Options {
  schema::BuiltinOptions type = schema::BuiltinOptions::NONE;
  flatbuffers::Offset<void> table;
};

/// Returns none if an operator has no attributes, or none that are options (ExternalAttributes).
Options write_options(flatbuffers::FlatBufferBuilder& builder, OperatorKind kind,
                      const Attributes& attributes);

}  // namespace tinytune
