// The options of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#pragma once

namespace tinytune {

struct ResizeAttributes {
  bool align_corners = false, half_pixel_centers = false;
  int offset = 0;  ///< in ONNX: the model's bytes less the graph's, 128 for uint8
};

}  // namespace tinytune
