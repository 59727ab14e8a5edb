// The options of BATCH_MATMUL.
#pragma once

namespace tinytune {

struct BatchMatMulAttributes {  ///< whether an operand's last two axes are exchanged
  bool adj_x = false, adj_y = false;
};

}  // namespace tinytune
