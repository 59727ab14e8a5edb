// Resize and Upsample. Nearest: gathers places along each axis, computed in float32 as onnxruntime
// does. Linear: images only, by scales whose weights are exact in 10 bits.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/onnx/onnx_families.h"

namespace tinytune {
namespace {

std::string text(const OnnxNode& node, const char* name, const char* otherwise) {
  const auto found = node.strings.find(name);
  return found == node.strings.end() ? otherwise : found->second;
}

bool is_old(const OnnxImport& import, const OnnxNode& node) {
  return node.type == "Upsample" || import.model().opset < 11;
}

std::string coordinates_of(const OnnxImport& import, const OnnxNode& node) {
  return text(node, "coordinate_transformation_mode",
              is_old(import, node) ? "asymmetric" : "half_pixel");
}

struct Scaling {
  std::string coordinates, nearest;
};

struct Axis {
  float scale = 1;
  int64_t from = 1, to = 1;  ///< extents
};

// Returns the input coordinate of place `to` of the resized axis; NaN: an unknown mode `how`.
float coordinate(const std::string& how, int64_t to, const Axis& axis) {
  const auto x = static_cast<float>(to);
  const auto from = static_cast<float>(axis.from), size = static_cast<float>(axis.to);
  if (how == "asymmetric") return x / axis.scale;
  if (how == "half_pixel") return (x + 0.5F) / axis.scale - 0.5F;
  if (how == "pytorch_half_pixel") return axis.to > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0;
  if (how == "align_corners") return axis.to == 1 ? 0 : x * (from - 1) / (size - 1);
  if (how == "tf_half_pixel_for_nn") return (x + 0.5F) / axis.scale;
  if (how == "half_pixel_symmetric")
    return from * (1 - size / (axis.scale * from)) / 2 + (x + 0.5F) / axis.scale - 0.5F;
  return std::nanf("");
}

// Returns the input element for place `to` of the resized axis; nullopt: an unknown mode.
std::optional<int64_t> nearest(const Scaling& how, int64_t to, const Axis& axis) {
  const float at = coordinate(how.coordinates, to, axis);
  if (std::isnan(at)) return std::nullopt;
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
  return std::clamp(static_cast<int64_t>(rounded), int64_t{0}, axis.from - 1);
}

// Returns the scales: from the attribute, the input, or as quotients of sizes.
Result<std::vector<float>> scales_of(OnnxImport& import, const OnnxNode& node,
                                     const std::vector<int>& shape) {
  if (const auto found = node.float_lists.find("scales"); found != node.float_lists.end())
    return found->second;
  const bool old = is_old(import, node);
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

// Returns the scale and the extents of each axis of the model.
Result<std::vector<Axis>> axes_of(OnnxImport& import, const OnnxNode& node,
                                  const std::vector<int>& shape) {
  TT_TRY_ASSIGN(const std::vector<float> scales, scales_of(import, node, shape));
  auto given = node.get("axes", std::vector<int64_t>{});
  if (given.empty())
    for (size_t i = 0; i < shape.size(); ++i) given.push_back(static_cast<int64_t>(i));
  if (scales.size() != given.size())
    return OnnxValues::invalid(node, "its scales do not fit its axes");
  std::vector<Axis> axes;
  for (const int extent : shape) axes.push_back({1, extent, extent});
  for (size_t i = 0; i < given.size(); ++i) {
    const int64_t at = given[i] < 0 ? given[i] + static_cast<int64_t>(shape.size()) : given[i];
    if (at < 0 || at >= static_cast<int64_t>(shape.size()))
      return OnnxValues::invalid(node, "an axis out of range");
    Axis& axis = axes[static_cast<size_t>(at)];
    const float grown = std::floor(static_cast<float>(axis.from) * scales[i] + 1e-6F);
    if (!(scales[i] > 0) || !(grown >= 1) || grown > INT16_MAX)
      return OnnxValues::invalid(node, "a scale out of range");
    axis.scale = scales[i];
    axis.to = static_cast<int64_t>(grown);
  }
  return axes;
}

bool has_half_pixels(const std::string& how) { return how.ends_with("half_pixel"); }

// Returns the number of fraction bits of the coordinates along an axis; nullopt if they differ from
// RESIZE_BILINEAR's, which are whole units of 2^-10.
std::optional<int> fraction_bits(const std::string& how, const Axis& axis) {
  const bool corners = how == "align_corners" && axis.to > 1;
  const int64_t length = 1024 * (corners ? axis.from - 1 : axis.from);
  const int64_t steps = corners ? axis.to - 1 : axis.to;
  if (length % steps != 0) return std::nullopt;
  const int64_t step = length / steps;
  int64_t bits = 1024;  // of all coordinates
  for (int64_t to = 0; to < axis.to; ++to) {
    const int64_t place = to * step + (has_half_pixels(how) ? step / 2 - 512 : 0);
    if (coordinate(how, to, axis) * 1024 != static_cast<float>(place)) return std::nullopt;
    bits |= place;
  }
  return 10 - std::countr_zero(static_cast<uint64_t>(bits));
}

}  // namespace

Result<int> import_resize(OnnxImport& import, const OnnxNode& node, int,
                          const std::vector<int>& data) {
  OnnxGraph& graph = import.graph();
  const std::vector<int> shape = graph.onnx_shape(data[0]);
  const std::string mode = text(node, "mode", "nearest");
  const Scaling how{
      coordinates_of(import, node),
      text(node, "nearest_mode", is_old(import, node) ? "floor" : "round_prefer_floor")};
  if (mode != "nearest") return OnnxValues::unsupported(node, "mode " + mode);
  TT_TRY_ASSIGN(const std::vector<Axis> axes, axes_of(import, node, shape));
  int id = data[0];
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].scale == 1) continue;
    std::vector<int64_t> places;
    for (int64_t to = 0; to < axes[i].to; ++to) {
      const auto place = nearest(how, to, axes[i]);
      if (!place)
        return OnnxValues::unsupported(
            node, "coordinates " + how.coordinates + ", nearest " + how.nearest);
      places.push_back(*place);
    }
    id = graph.gathered(id, graph.stored_axis(id, static_cast<int64_t>(i)), places);
  }
  return id;
}

bool is_interpolation(const OnnxNode& node) {
  return (node.type == "Resize" || node.type == "Upsample") &&
         text(node, "mode", "nearest").ends_with("linear");
}

Error interpolated_reals(const OnnxNode& node) {
  return OnnxValues::unsupported(
      node,
      "mode linear of real numbers, whose many ties go as float32 sums happen to round; move it "
      "onto bytes, before their DequantizeLinear");
}

// onnxruntime adds four products in float32 and truncates. With at most 16 fraction bits in both
// axes together and 8 bits of data, float32 is exact.
Result<int> interpolated(OnnxImport& import, const OnnxNode& node, int id, ElementType type) {
  constexpr int kMostFractionBits = 16;
  OnnxGraph& graph = import.graph();
  const std::string how = coordinates_of(import, node);
  TT_TRY_ASSIGN(const std::vector<Axis> axes, axes_of(import, node, graph.onnx_shape(id)));
  const bool known = how == "asymmetric" || how == "half_pixel" || how == "pytorch_half_pixel" ||
                     how == "align_corners";
  if (axes.size() != 4 || axes[0].to != axes[0].from || axes[1].to != axes[1].from || !known ||
      node.get("antialias", int64_t{0}) != 0 || node.get("exclude_outside", int64_t{0}) != 0)
    return OnnxValues::unsupported(
        node, "mode linear of other than rows and columns of images, or coordinates " + how);
  const auto rows = fraction_bits(how, axes[2]), columns = fraction_bits(how, axes[3]);
  if (!rows || !columns || *rows + *columns > kMostFractionBits)
    return OnnxValues::unsupported(
        node, "mode linear by scales whose weights float32 rounds; 2, 4 and 8 have exact ones");
  const int image = graph.to_channels_last(id);
  const Tensor from = graph.tensor(image);
  const auto height = static_cast<int>(axes[2].to), width = static_cast<int>(axes[3].to);
  const int to = graph.add(node.outputs[0], from.type,
                           {from.shape[0], height, width, from.shape[3]}, from.quantization, true);
  graph.add_operator(OperatorKind::kResizeBilinear,
                     {image, graph.add_numbers("size", {height, width}, {2})}, to,
                     ResizeAttributes{how == "align_corners", has_half_pixels(how),
                                      type == ElementType::kUint8 ? 128 : 0});
  return to;
}

}  // namespace tinytune
