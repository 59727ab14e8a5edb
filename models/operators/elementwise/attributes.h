// The options of operators with a fused activation, and of ONNX's QLinearAdd and QLinearMul.
#pragma once

#include <array>

#include "models/attribute_types.h"

namespace tinytune {

struct ActivationAttributes {  ///< FULLY_CONNECTED, ADD, SUB, MUL, DIV
  Activation activation = Activation::kNone;
  bool int32_sums = false;  ///< for FULLY_CONNECTED, as in ConvAttributes
};

struct QLinearAttributes {  ///< ADD and MUL as onnxruntime's kernels compute them, not the standard
  Activation activation = Activation::kNone;
  int offset = 0;                  ///< the model's bytes less the graph's: 128 for uint8
  std::array<bool, 2> repeated{};  ///< operands of one number for each run of the other's
};

}  // namespace tinytune
