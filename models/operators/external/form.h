// The form of an operator that a function of the user's computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph.h"

namespace tinytune {

/// An operator that a C function of the user computes: all that the function is told.
struct ExternalOp {
  struct Operand {
    bool is_absent = false;
    ElementType type = ElementType::kInt8;
    std::vector<int> shape;
    Quantization quantization;
    int64_t bytes = 0;
  };
  std::string function;
  std::vector<Operand> inputs, outputs;  ///< constants included
  std::vector<uint8_t> options;
  int64_t operations() const {
    int64_t bytes = 0;
    for (const auto* operands : {&inputs, &outputs})
      for (const Operand& operand : *operands) bytes += operand.bytes;
    return bytes;
  }
};

}  // namespace tinytune
