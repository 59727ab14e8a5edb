// Pools whose windows no kernel supports, with dilations or three axes: copies each window to a row
// of its own, which is the whole window of a plain pool.
#pragma once

#include <optional>

#include "models/onnx/onnx_import.h"

namespace tinytune {

/// Returns whether a pool on a tensor of `rank` axes has such windows.
bool needs_tiles(const OnnxNode& node, size_t rank);

struct OnnxTiles {
  int id = -1;              ///< [batch * channels][windows][taps][1], taps in the model's order
  int taps = 1;             ///< per window
  bool is_padded = false;   ///< some taps are pads
  std::vector<int> result;  ///< the pool's shape in the model
  int rows = 1, windows = 1;
  std::vector<int> pooled_shape() const { return {rows, windows, 1, 1}; }
};

/// Copies the windows to rows. Pads are `fill`, or else the input's zero point. kInvalidInput: no
/// window fits. kUnsupported: too many bytes.
Result<OnnxTiles> tiled(OnnxGraph& graph, const OnnxNode& node, int id,
                        std::optional<int> fill = std::nullopt);

}  // namespace tinytune
