// Arrays as numpy.save() writes them: a magic number, a line of Python that describes the array,
// and its elements.
//
// Only the line's three keys are read, in any order; arrays in Fortran order, and of types that no
// tensor has, are refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct NpyArray {
  std::string type;  ///< as TensorInfo's: "int8", "float32"
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  ///< little-endian, the last index fastest
};

/// kInvalidInput: not such a file, damaged, or another type or order; `origin` is the file's name
/// for the message.
Result<NpyArray> parse_npy(std::span<const uint8_t> file, const std::string& origin);

}  // namespace tinytune
