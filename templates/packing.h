// Little-endian arrays for kernels, from vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "templates/kernel_template.h"

namespace tinytune {

PackedConstant bytes_constant(std::string name, const std::vector<int8_t>& values);
PackedConstant words_constant(std::string name, const std::vector<int32_t>& values);

}  // namespace tinytune
