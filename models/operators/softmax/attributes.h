// The options of SOFTMAX.
#pragma once

namespace tinytune {

struct SoftmaxAttributes {
  float beta = 1;
};

}  // namespace tinytune
