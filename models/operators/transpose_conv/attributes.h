// The options of TRANSPOSE_CONV.
#pragma once

#include "models/attribute_types.h"

namespace tinytune {

struct TransposeConvAttributes {
  Padding padding = Padding::kSame;
  int stride_h = 1, stride_w = 1;
  Activation activation = Activation::kNone;
};

}  // namespace tinytune
