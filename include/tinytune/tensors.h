// The tensors of a model file, its constants too, with what quantisation says of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

/// A tensor of the file, whether or not an operator reads it.
struct TensorDetails {
  TensorInfo info;           ///< with 0 bytes where its type or shape is not supported
  bool is_constant = false;  ///< the file has its value
  /// The value of q is scale * (q - zero point). One of each for the whole tensor, or one for each
  /// index of `axis`; empty where it is not quantised.
  std::vector<float> scales;
  std::vector<int32_t> zero_points;  ///< as many as scales
  int axis = 0;                      ///< that scales go along, where there are several
};

/// By id. Of a model that inspect_model() takes, supported or not; errors as there.
Result<std::vector<TensorDetails>> model_tensors(const std::string& path,
                                                 const LoadOptions& options = {});

}  // namespace tinytune
