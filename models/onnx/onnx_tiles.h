// Windows of pools that no kernel has, with dilations or of three axes: each is copied to a row of
// its own, which is the whole window of a plain pool.
#pragma once

#include <optional>

#include "models/onnx/onnx_import.h"

namespace tinytune {

/// Whether a pool on a tensor of `rank` axes has such windows.
bool needs_tiles(const OnnxNode& node, size_t rank);

struct OnnxTiles {
  int id = -1;              ///< [batch * channels][windows][taps][1], taps in the model's order
  int taps = 1;             ///< of a window
  bool is_padded = false;   ///< some taps are pads
  std::vector<int> result;  ///< the pool's shape in the model
  int rows = 1, windows = 1;
  std::vector<int> pooled_shape() const { return {rows, windows, 1, 1}; }
};

/// Pads are byte `fill`, or else the input's zero point. kInvalidInput: nothing fits. kUnsupported:
/// too many bytes.
Result<OnnxTiles> tiled(OnnxGraph& graph, const OnnxNode& node, int id,
                        std::optional<int> fill = std::nullopt);

}  // namespace tinytune
