// The options of pools.
#pragma once

#include "models/attribute_types.h"

namespace tinytune {

struct PoolAttributes {
  Padding padding = Padding::kValid;
  Activation activation = Activation::kNone;
  int stride_h = 1, stride_w = 1, filter_h = 1, filter_w = 1;
};

struct WindowMeanAttributes {  ///< AVERAGE_POOL_2D; taps outside the image do not count
  int stride_h = 1, stride_w = 1, filter_h = 1, filter_w = 1;
  int pad_top = 0, pad_left = 0;
  int offset = 0;  ///< as in QLinearAttributes
};

}  // namespace tinytune
