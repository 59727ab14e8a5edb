// Import of TensorFlow Lite files (FlatBuffers, schema version 3).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

struct ExternalDeclaration;

/// Reads and checks a model. kNotFound: no such file. kInvalidInput: not a FlatBuffer, truncated,
/// another schema version, offsets or shapes out of range, missing quantisation. kUnsupported:
/// operators, types or dynamic shapes outside what this version does; the message names the first
/// (models/refusal.h).
Result<Graph> import_tflite(const std::string& path);

/// The same for bytes in memory. `name` becomes Graph::name; `label` starts every message.
/// Operators in `externals` are left to their functions; kInvalidInput: the model has no such one.
Result<Graph> import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                            const std::string& label,
                            std::span<const ExternalDeclaration> externals = {});
Result<Graph> import_tflite(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace tinytune
