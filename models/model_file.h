// A model file of any format that is read here: .onnx by its name, everything else as .tflite.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/graph.h"
#include "models/summary.h"
#include "tinytune/result.h"

namespace tinytune {

/// What a user says of a model, beside its file.
struct ImportChoices {
  std::span<const ExternalDeclaration> externals = {};   ///< left to their functions; of .tflite
  std::span<const std::string> types = {}, states = {};  ///< as import_onnx() has them; of .onnx
};

/// The bytes of the file at `path`, which messages name. Errors as import_tflite(), import_onnx().
/// kUnsupported: choices that the format does not have.
Result<Graph> import_model(std::span<const uint8_t> bytes, const std::string& path,
                           const ImportChoices& choices = {});

/// As summarise_tflite(). Of an ONNX network, the graph that it becomes; what is not supported in
/// one is an error.
Result<ModelSummary> summarise_model(const std::string& path, const ImportChoices& choices = {});

}  // namespace tinytune
