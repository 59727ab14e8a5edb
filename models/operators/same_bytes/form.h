// The form of RESHAPE and its kin.
#pragma once

#include <cstdint>

namespace tinytune {

/// RESHAPE: the same bytes under another shape.
struct CopyOp {
  int64_t bytes = 0;
  bool in_place = false;  ///< the output is another name for the input's bytes: no code runs
  int64_t operations() const { return bytes; }
};

}  // namespace tinytune
