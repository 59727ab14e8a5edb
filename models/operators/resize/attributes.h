// The options of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#pragma once

namespace tinytune {

struct ResizeAttributes {
  bool align_corners = false, half_pixel_centers = false;
  int offset = 0;  ///< in ONNX: what the model's bytes are above the graph's, 128 of uint8
};

}  // namespace tinytune
