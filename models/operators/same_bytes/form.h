// The form of RESHAPE, SQUEEZE and EXPAND_DIMS.
#pragma once

#include <cstdint>

namespace tinytune {

/// RESHAPE: the same bytes under another shape.
struct CopyOp {
  int64_t bytes = 0;
  bool in_place = false;  ///< the output aliases the input: no code runs
  int64_t operations() const { return bytes; }
};

}  // namespace tinytune
