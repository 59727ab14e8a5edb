// The options of operators that move bytes.
#pragma once

namespace tinytune {

struct AxisAttributes {  ///< CONCATENATION, PACK, UNPACK; negative counts from the end
  int axis = 0;
};

struct StridedSliceAttributes {  ///< bit i of a mask is axis i
  int begin_mask = 0, end_mask = 0, shrink_axis_mask = 0;
};

struct BlockAttributes {  ///< SPACE_TO_DEPTH, DEPTH_TO_SPACE
  int size = 1;
};

struct MirrorPadAttributes {
  bool reflect = true;  ///< the border itself is not repeated
};

}  // namespace tinytune
