#include "models/onnx/onnx_tiles.h"

#include <algorithm>

#include "models/limits.h"
#include "models/onnx/onnx_windows.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

constexpr size_t kMostAxes = 3;  // of windows

// Returns the windows along each axis; a global pool has one window.
Result<std::vector<OnnxAxis>> axes_of(const OnnxNode& node, const std::vector<int>& shape) {
  const size_t count = shape.size() - 2;
  std::vector<OnnxAxis> axes(count);
  const auto list = [&](const char* name, size_t size, int64_t otherwise) {
    return node.get(name, std::vector<int64_t>(size, otherwise));
  };
  const bool global = node.type.starts_with("Global");
  const auto kernel = list("kernel_shape", 0, 1), strides = list("strides", count, 1),
             dilations = list("dilations", count, 1), pads = list("pads", 2 * count, 0);
  if ((!global && kernel.size() != count) || strides.size() != count || dilations.size() != count ||
      pads.size() != 2 * count)
    return OnnxValues::invalid(node, "its window does not fit its input");
  for (size_t i = 0; i < count; ++i) {
    const int64_t extent = shape[i + 2];
    axes[i] = global
                  ? OnnxAxis{extent, extent}
                  : OnnxAxis{extent, kernel[i], strides[i], dilations[i], pads[i], pads[i + count]};
    for (const int64_t value : {axes[i].kernel, axes[i].stride, axes[i].dilation})
      if (value < 1 || value > kLargestWindow)
        return OnnxValues::invalid(node, "a window, stride or dilation out of range");
    for (const int64_t pad : {axes[i].before, axes[i].after})
      if (pad < 0 || pad > kLargestWindow) return OnnxValues::invalid(node, "a pad out of range");
  }
  return axes;
}

// Advances `at` in a box, the last axis fastest; returns false after the last element.
bool next(std::vector<int64_t>& at, const std::vector<int64_t>& extents) {
  for (size_t axis = at.size(); axis-- > 0;) {
    if (++at[axis] < extents[axis]) return true;
    at[axis] = 0;
  }
  return false;
}

}  // namespace

bool needs_tiles(const OnnxNode& node, size_t rank) {
  const auto dilations = node.get("dilations", std::vector<int64_t>{});
  return rank == 2 + kMostAxes ||
         std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; });
}

Result<OnnxTiles> tiled(OnnxGraph& graph, const OnnxNode& node, int id, std::optional<int> fill) {
  const std::vector<int> shape = graph.onnx_shape(id);
  TT_TRY_ASSIGN(std::vector<OnnxAxis> axes, axes_of(node, shape));
  OnnxTiles tiles;
  tiles.rows = shape[0] * shape[1];
  tiles.result = {shape[0], shape[1]};
  std::vector<int> image = {tiles.rows};
  std::vector<int64_t> before = {0}, after = {0}, kernel, windows, extents;
  int64_t taps = 1, count = 1;
  for (OnnxAxis& axis : axes) {
    TT_TRY_ASSIGN(const int along, place_windows(node, axis));
    image.push_back(static_cast<int>(axis.extent));
    before.push_back(axis.before);
    after.push_back(axis.after);
    kernel.push_back(axis.kernel);
    windows.push_back(along);
    extents.push_back(axis.extent + axis.before + axis.after);
    tiles.result.push_back(along);
    tiles.is_padded = tiles.is_padded || axis.before + axis.after > 0;
    taps *= axis.kernel;
    count *= along;
    if (taps > kLargestWindow || count * taps > kMostTensorBytes / tiles.rows)
      return OnnxValues::unsupported(node, kWindowTooLarge);
  }
  tiles.taps = static_cast<int>(taps);
  tiles.windows = static_cast<int>(count);
  int from = graph.reshaped(graph.to_onnx_order(id), image, false);
  if (tiles.is_padded) from = graph.padded(from, before, after, fill.value_or(graph.zero_of(from)));
  std::vector<int64_t> places, window(axes.size()), tap(axes.size());
  do {
    do {
      int64_t place = 0;
      for (size_t i = 0; i < axes.size(); ++i)
        place = place * extents[i] + window[i] * axes[i].stride + tap[i] * axes[i].dilation;
      places.push_back(place);
    } while (next(tap, kernel));
  } while (next(window, windows));
  const auto elements = static_cast<int>(graph.tensor(from).elements() / tiles.rows);
  from = graph.gathered(graph.reshaped(from, {tiles.rows, elements}, false), 1, places);
  tiles.id = graph.reshaped(from, {tiles.rows, tiles.windows, tiles.taps, 1}, true);
  return tiles;
}

}  // namespace tinytune
