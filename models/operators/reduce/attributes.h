// The options of reductions.
#pragma once

namespace tinytune {

struct ReducerAttributes {  ///< MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL
  bool keep_dims = false;
};

}  // namespace tinytune
