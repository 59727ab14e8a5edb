// The options of GATHER.
#pragma once

namespace tinytune {

struct GatherAttributes {  ///< negative counts from the end
  int axis = 0, batch_dims = 0;
};

}  // namespace tinytune
