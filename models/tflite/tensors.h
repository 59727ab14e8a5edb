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

/// A tensor as far as we can represent it. A file may carry tensors that nothing uses, so what is
/// unsupported or malformed about one is kept until an operator, an input or an output refers to
/// it.
struct ReadTensor {
  Tensor tensor;
  TensorSummary summary;
  std::string unsupported;         ///< empty: fine
  std::optional<Error> malformed;  ///< kInvalidInput, names the tensor; then it has no shape
};

/// Of a subgraph, by its own ids. `size` counts their constants: kInvalidInput, too many.
Result<std::vector<ReadTensor>> read_tensors(const schema::Model& model, int subgraph,
                                             ModelSize& size);

/// One of them, without counting it. kInvalidInput: there is none, or it is malformed.
Result<ReadTensor> read_tensor(const schema::Model& model, int subgraph, int id);

}  // namespace tinytune
