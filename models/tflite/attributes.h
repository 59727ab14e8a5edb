// Converts an operator's options from the file's table to Attributes.
#pragma once

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

namespace schema {
struct Operator;
}

/// Returns the options of an operator that is left to a C function.
Result<Attributes> external_attributes(const std::string& name, const ExternalFunction& function,
                                       const schema::Operator& op);

/// kInvalidInput: options missing where TFLite needs them, or of another operator.
/// kUnsupported: an option outside what this version does. Messages name no operator.
Result<Attributes> read_attributes(OperatorKind kind, const schema::Operator& op);

}  // namespace tinytune
