// The options of CUMSUM.
#pragma once

namespace tinytune {

struct CumsumAttributes {
  bool exclusive = false, reverse = false;
};

}  // namespace tinytune
