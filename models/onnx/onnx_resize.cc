// Resize and Upsample to the nearest element: places along each axis, found in float32 as
// onnxruntime finds them.
#include <algorithm>
#include <cmath>

#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

std::string text(const OnnxNode& node, const char* name, const char* otherwise) {
  const auto found = node.strings.find(name);
  return found == node.strings.end() ? otherwise : found->second;
}

struct Scaling {
  std::string coordinates, nearest;
};

// The element of an axis that stands at place `to` of the resized one.
std::optional<int64_t> nearest(const Scaling& how, int64_t to, float scale, int64_t from_extent,
                               int64_t to_extent) {
  const auto x = static_cast<float>(to);
  const auto from = static_cast<float>(from_extent), size = static_cast<float>(to_extent);
  float at = 0;
  if (how.coordinates == "asymmetric") {
    at = x / scale;
  } else if (how.coordinates == "half_pixel" ||
             (how.coordinates == "pytorch_half_pixel" && to_extent > 1)) {
    at = (x + 0.5F) / scale - 0.5F;
  } else if (how.coordinates == "align_corners") {
    at = to_extent == 1 ? 0 : x * (from - 1) / (size - 1);
  } else if (how.coordinates == "tf_half_pixel_for_nn") {
    at = (x + 0.5F) / scale;
  } else if (how.coordinates == "half_pixel_symmetric") {
    const float adjusted = from * (1 - size / (scale * from)) / 2;
    at = adjusted + (x + 0.5F) / scale - 0.5F;
  } else if (how.coordinates != "pytorch_half_pixel") {
    return std::nullopt;
  }
  const bool half = at == std::floor(at) + 0.5F;
  float rounded = std::floor(at);
  if (how.nearest == "round_prefer_floor")
    rounded = half ? std::floor(at) : std::round(at);
  else if (how.nearest == "round_prefer_ceil")
    rounded = half ? std::ceil(at) : std::round(at);
  else if (how.nearest == "ceil")
    rounded = std::ceil(at);
  else if (how.nearest != "floor")
    return std::nullopt;
  return std::clamp(static_cast<int64_t>(rounded), int64_t{0}, from_extent - 1);
}

// By how much each axis grows: attribute, input, or a quotient of sizes.
Result<std::vector<float>> scales_of(OnnxImport& import, const OnnxNode& node,
                                     const std::vector<int>& shape) {
  if (const auto found = node.float_lists.find("scales"); found != node.float_lists.end())
    return found->second;
  const bool old = node.type == "Upsample" || import.model().opset < 11;
  const size_t at = old ? 1 : 2;
  std::vector<float> scales;
  if (node.has_input(at)) {
    const OnnxTensor* given = import.values().constant(node.inputs[at]);
    if (given == nullptr) return OnnxValues::unsupported(node, "scales that are no constant");
    for (size_t i = 0; i < static_cast<size_t>(given->elements()); ++i)
      scales.push_back(static_cast<float>(given->at(i)));
  }
  if (!scales.empty() || old) return scales;
  TT_TRY_ASSIGN(const auto sizes, import.values().numbers(node, "sizes", 3));
  if (text(node, "keep_aspect_ratio_policy", "stretch") != "stretch")
    return OnnxValues::unsupported(node, "keep_aspect_ratio_policy");
  for (size_t i = 0; sizes && i < sizes->size() && i < shape.size(); ++i) {
    const auto axes = node.get("axes", std::vector<int64_t>{});
    const auto axis = i < axes.size() && axes[i] >= 0 ? static_cast<size_t>(axes[i]) : i;
    if (axis >= shape.size()) return OnnxValues::invalid(node, "an axis out of range");
    scales.push_back(static_cast<float>((*sizes)[i]) / static_cast<float>(shape[axis]));
  }
  return scales;
}

}  // namespace

Result<int> import_resize(OnnxImport& import, const OnnxNode& node, int,
                          const std::vector<int>& data) {
  OnnxGraph& graph = import.graph();
  const std::vector<int> shape = graph.onnx_shape(data[0]);
  const std::string mode = text(node, "mode", "nearest");
  if (mode != "nearest")
    return OnnxValues::unsupported(node, "mode " + mode + "; only nearest is supported");
  const bool old = node.type == "Upsample" || import.model().opset < 11;
  const Scaling how{text(node, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                    text(node, "nearest_mode", old ? "floor" : "round_prefer_floor")};
  TT_TRY_ASSIGN(const std::vector<float> scales, scales_of(import, node, shape));
  auto axes = node.get("axes", std::vector<int64_t>{});
  if (axes.empty())
    for (size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (scales.size() != axes.size())
    return OnnxValues::invalid(node, "its scales do not fit its axes");
  int id = data[0];
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + static_cast<int64_t>(shape.size()) : axes[i];
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
      return OnnxValues::invalid(node, "an axis out of range");
    const int64_t extent = shape[static_cast<size_t>(axis)];
    const float grown = std::floor(static_cast<float>(extent) * scales[i] + 1e-6F);
    if (!(scales[i] > 0) || !(grown >= 1) || grown > INT16_MAX)
      return OnnxValues::invalid(node, "a scale out of range");
    if (scales[i] == 1) continue;
    std::vector<int64_t> places;
    for (int64_t to = 0; to < static_cast<int64_t>(grown); ++to) {
      const auto place = nearest(how, to, scales[i], extent, static_cast<int64_t>(grown));
      if (!place)
        return OnnxValues::unsupported(
            node, "coordinates " + how.coordinates + ", nearest " + how.nearest);
      places.push_back(*place);
    }
    id = graph.gathered(id, graph.stored_axis(id, axis), places);
  }
  return id;
}

}  // namespace tinytune
