// The options of SVDF.
#pragma once

namespace tinytune {

struct SvdfAttributes {
  int rank = 1;
};

}  // namespace tinytune
