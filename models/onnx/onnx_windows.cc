#include "models/onnx/onnx_windows.h"

#include <algorithm>

#include "models/quantise.h"

namespace tinytune {

Result<int> place_windows(const OnnxNode& node, OnnxAxis& axis) {
  const auto automatic = node.strings.find("auto_pad");
  const std::string how = automatic == node.strings.end() ? "NOTSET" : automatic->second;
  if (how == "VALID") axis.before = axis.after = 0;
  if (how == "SAME_UPPER" || how == "SAME_LOWER") {
    const int64_t windows = (axis.extent + axis.stride - 1) / axis.stride;
    const int64_t missing =
        std::max<int64_t>(0, (windows - 1) * axis.stride + axis.reach() - axis.extent);
    axis.before = how == "SAME_LOWER" ? missing - missing / 2 : missing / 2;
    axis.after = missing - axis.before;
  }
  const int64_t room = axis.extent + axis.before + axis.after - axis.reach();
  if (room < 0) return OnnxValues::invalid(node, "its window is larger than its input");
  int64_t windows = room / axis.stride + 1;
  if (node.get("ceil_mode", int64_t{0}) != 0 && room % axis.stride != 0 &&
      windows * axis.stride < axis.extent + axis.before) {  // the last one begins inside
    ++windows;
  }
  axis.after =
      std::max<int64_t>(0, (windows - 1) * axis.stride + axis.reach() - axis.extent - axis.before);
  return static_cast<int>(windows);
}

OnnxNode with_two_axes(const OnnxNode& node, size_t rank) {
  OnnxNode wide = node;
  if (rank != 3) return wide;
  for (const char* name : {"kernel_shape", "strides", "dilations"})
    if (const auto found = wide.ints.find(name); found != wide.ints.end())
      found->second.insert(found->second.begin(), 1);
  if (const auto found = wide.ints.find("output_padding"); found != wide.ints.end())
    found->second.insert(found->second.begin(), 0);
  if (const auto found = wide.ints.find("pads");
      found != wide.ints.end() && found->second.size() == 2)
    found->second = {0, found->second[0], 0, found->second[1]};
  return wide;
}

Result<size_t> give_two_axes(const OnnxNode& node, std::vector<int>& shape,
                             std::vector<int>& weights) {
  const size_t rank = shape.size();
  if ((rank != 3 && rank != 4) || weights.size() != rank)
    return OnnxValues::unsupported(node, "a convolution of other than one or two axes");
  if (rank == 3)
    for (std::vector<int>* extents : {&shape, &weights}) extents->insert(extents->begin() + 2, 1);
  return rank;
}

int as_image(OnnxGraph& graph, int id) {
  const std::vector<int> shape = graph.onnx_shape(id);
  if (shape.size() == 3)
    id = graph.reshaped(graph.to_onnx_order(id), {shape[0], shape[1], 1, shape[2]}, false);
  return graph.to_channels_last(id);
}

int of_model_rank(OnnxGraph& graph, int id, size_t rank) {
  if (rank != 3) return id;
  const std::vector<int> shape = graph.onnx_shape(id);
  return graph.reshaped(graph.to_onnx_order(id), {shape[0], shape[1], shape[3]}, false);
}

Result<OnnxWindows> windows_of(const OnnxNode& node, int height, int width, int kernel_h,
                               int kernel_w) {
  const auto two = [&](const char* name) { return node.get(name, std::vector<int64_t>{1, 1}); };
  const std::vector<int64_t> strides = two("strides"), dilations = two("dilations");
  const std::vector<int64_t> pads = node.get("pads", std::vector<int64_t>{0, 0, 0, 0});
  if (strides.size() != 2 || dilations.size() != 2 || pads.size() != 4)
    return OnnxValues::unsupported(node, "windows of other than one or two axes");
  for (const auto* list : {&strides, &dilations})
    for (const int64_t value : *list)
      if (value < 1 || value > kLargestWindow)
        return OnnxValues::invalid(node, "a stride or dilation out of range");
  for (const int64_t pad : pads)
    if (pad < 0 || pad > kLargestWindow) return OnnxValues::invalid(node, "a pad out of range");
  OnnxWindows w{kernel_h,
                kernel_w,
                static_cast<int>(strides[0]),
                static_cast<int>(strides[1]),
                static_cast<int>(dilations[0]),
                static_cast<int>(dilations[1])};
  if (!window_is_small(kernel_h, w.stride_h, w.dilation_h) ||
      !window_is_small(kernel_w, w.stride_w, w.dilation_w))
    return OnnxValues::unsupported(node, kWindowTooLarge);
  OnnxAxis rows{height, kernel_h, w.stride_h, w.dilation_h, pads[0], pads[2]};
  OnnxAxis columns{width, kernel_w, w.stride_w, w.dilation_w, pads[1], pads[3]};
  TT_TRY_ASSIGN(w.out_h, place_windows(node, rows));
  TT_TRY_ASSIGN(w.out_w, place_windows(node, columns));
  w.pad_top = static_cast<int>(rows.before), w.pad_bottom = static_cast<int>(rows.after);
  w.pad_left = static_cast<int>(columns.before), w.pad_right = static_cast<int>(columns.after);
  return w;
}

OnnxPadded padded_for(OnnxGraph& graph, int image, const OnnxWindows& w, int value,
                      bool may_be_same) {
  if (w.pad_top + w.pad_left + w.pad_bottom + w.pad_right == 0) return {image, Padding::kValid};
  const std::vector<int>& shape = graph.tensor(image).shape;
  const Window rows = window_of(Padding::kSame, shape[1], w.kernel_h, w.stride_h, w.dilation_h);
  const Window columns = window_of(Padding::kSame, shape[2], w.kernel_w, w.stride_w, w.dilation_w);
  if (may_be_same && rows.pad == w.pad_top && columns.pad == w.pad_left && rows.extent == w.out_h &&
      columns.extent == w.out_w)
    return {image, Padding::kSame};
  return {
      graph.padded(image, {0, w.pad_top, w.pad_left, 0}, {0, w.pad_bottom, w.pad_right, 0}, value),
      Padding::kValid};
}

}  // namespace tinytune
