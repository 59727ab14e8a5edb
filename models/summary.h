// The contents of a model file, supported or not: for `tune inspect`, and for import's refusals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/graph.h"
#include "tinytune/result.h"

namespace tinytune {

struct ExternalDeclaration;

struct TensorSummary {
  int id = 0;
  std::string name;
  std::string type;        ///< the format's name in lower case: "int8", "float16", …
  std::vector<int> shape;  ///< as the file has it, also when dynamic (-1)
  int64_t bytes = 0;       ///< 0 where type or shape is not supported
  bool is_constant = false;
  Quantization quantization = {};
};

struct OperatorSummary {
  int index = 0;
  std::string name;  ///< "CONV_2D", "CUSTOM MyOp", or "operator code 210" for an unknown one
  std::vector<int> inputs, outputs;  ///< tensor ids, -1 for an absent one
  int64_t macs = 0;                  ///< 0 also where unsupported
};

/// Something import refuses although the file is well formed.
struct Unsupported {
  int index = -1;      ///< the operator at fault; -1 for the model itself
  std::string name;    ///< its name, or "model"
  std::string reason;  ///< "no such operator here", "t5 [1,8] is float32, not int8", …
};

struct ModelSummary {
  std::string name;
  std::vector<TensorSummary> tensors;  ///< by id
  std::vector<OperatorSummary> operators;
  std::vector<int> inputs, outputs;
  int64_t macs = 0;
  std::vector<Unsupported> unsupported;  ///< empty: import_tflite() takes the file
  std::string refusal;                   ///< otherwise: the message of import_tflite()
};

/// Everything about the file at once. kNotFound, kInvalidInput: as import_tflite.
Result<ModelSummary> summarise_tflite(const std::string& path,
                                      std::span<const ExternalDeclaration> externals = {});

}  // namespace tinytune
