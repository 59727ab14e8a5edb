// Tensors of a .tflite file: shapes, types, scales and constants, each checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/graph.h"
#include "models/limits.h"
#include "models/summary.h"
#include "tinytune/result.h"

namespace tinytune {

namespace schema {
struct Model;
}

/// A tensor as far as a graph can represent it. A file may carry tensors that nothing uses, so the
/// reason why one is unsupported or malformed is kept until an operator, an input or an output
/// refers to it.
struct ReadTensor {
  Tensor tensor;
  TensorSummary summary;
  std::string unsupported;         ///< empty: fine
  std::optional<Error> malformed;  ///< kInvalidInput, names the tensor; then it has no shape
};

/// Reads the tensors of a subgraph, by its own ids. `size` counts their constants. kInvalidInput:
/// too many.
Result<std::vector<ReadTensor>> read_tensors(const schema::Model& model, int subgraph,
                                             ModelSize& size);

/// Reads one of them, without counting it. kInvalidInput: there is none, or it is malformed.
Result<ReadTensor> read_tensor(const schema::Model& model, int subgraph, int id);

}  // namespace tinytune
