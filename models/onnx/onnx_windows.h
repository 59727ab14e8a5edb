// The positions of the windows of convolutions and pools, from ONNX's pads in all their forms.
#pragma once

#include "models/onnx/onnx_graph.h"
#include "models/onnx/onnx_values.h"

namespace tinytune {

/// The windows on an image; `pad_bottom` and `pad_right` end where the last window does.
struct OnnxWindows {
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int out_h = 1, out_w = 1;
};

/// Windows along one axis of a node's input; `before` and `after` are pads.
struct OnnxAxis {
  int64_t extent = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  int64_t reach() const { return dilation * (kernel - 1) + 1; }
};
/// Sets the axis's pads by auto_pad, and `after` to the end of the last window; returns the number
/// of windows. kInvalidInput: none fits.
Result<int> place_windows(const OnnxNode& node, OnnxAxis& axis);

/// Converts the attributes of a node on [batch, channels, length] to [batch, channels, 1, length].
OnnxNode with_two_axes(const OnnxNode& node, size_t rank);
/// Converts the shapes of a convolution's input and weights likewise; returns their original rank.
/// kUnsupported: another rank than three or four, or different ranks.
Result<size_t> give_two_axes(const OnnxNode& node, std::vector<int>& shape,
                             std::vector<int>& weights);
/// Returns a tensor of three or four axes as an image, channels last.
int as_image(OnnxGraph& graph, int id);
/// Returns an image as a tensor of the model's `rank` axes.
int of_model_rank(OnnxGraph& graph, int id, size_t rank);

/// Returns the windows of a node with two axes on an image of height x width. kInvalidInput: no
/// window fits. kUnsupported: too large, other than two axes.
Result<OnnxWindows> windows_of(const OnnxNode& node, int height, int width, int kernel_h,
                               int kernel_w);

/// The image with these windows' pads filled by `value`; unchanged with `padding` kSame if TFLite's
/// SAME gives the same windows.
struct OnnxPadded {
  int input;
  Padding padding;
};
OnnxPadded padded_for(OnnxGraph& graph, int image, const OnnxWindows& windows, int value,
                      bool may_be_same);

}  // namespace tinytune
