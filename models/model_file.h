// Imports a model file of any supported format: .onnx by its name, everything else as .tflite.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/graph.h"
#include "models/summary.h"
#include "tinytune/result.h"

namespace tinytune {

/// A user's options for the import of a model.
struct ImportChoices {
  std::span<const ExternalDeclaration> externals = {};   ///< left to C functions; .tflite only
  std::span<const std::string> types = {}, states = {};  ///< as for import_onnx(); .onnx only
};

/// Imports `bytes`, read from `path`, which messages name. Errors as import_tflite() and
/// import_onnx(). kUnsupported: choices that the format does not have.
Result<Graph> import_model(std::span<const uint8_t> bytes, const std::string& path,
                           const ImportChoices& choices = {});

/// As summarise_tflite(). For an ONNX network, summarises the imported graph; anything unsupported
/// in it is an error.
Result<ModelSummary> summarise_model(const std::string& path, const ImportChoices& choices = {});

}  // namespace tinytune
