// A model file of any format that is read here: .onnx by its name, everything else as .tflite.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/graph.h"
#include "models/summary.h"
#include "tinytune/result.h"

namespace tinytune {

/// The bytes of the file at `path`, which messages name. Errors as import_tflite(), import_onnx().
/// Operators in `externals` are left to their functions (.tflite alone: kUnsupported otherwise);
/// `types` are import_onnx()'s (.onnx alone).
Result<Graph> import_model(std::span<const uint8_t> bytes, const std::string& path,
                           std::span<const ExternalDeclaration> externals = {},
                           std::span<const std::string> types = {});

/// As summarise_tflite(). Of an ONNX network, the graph that it becomes; what is not supported in
/// one is an error.
Result<ModelSummary> summarise_model(const std::string& path,
                                     std::span<const ExternalDeclaration> externals = {},
                                     std::span<const std::string> types = {});

}  // namespace tinytune
