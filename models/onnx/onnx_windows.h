// Where the windows of convolutions and pools lie: ONNX's pads in all their spellings.
#pragma once

#include "models/onnx/onnx_graph.h"
#include "models/onnx/onnx_values.h"

namespace tinytune {

/// Of an image; `pad_bottom` and `pad_right` are as far as the last window reaches.
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
/// Gives the axis the pads of auto_pad, and `after` as far as the last window reaches; how many
/// windows there are. kInvalidInput: none.
Result<int> place_windows(const OnnxNode& node, OnnxAxis& axis);

/// A node on [batch, channels, length] as one on [batch, channels, 1, length]: its attributes.
OnnxNode with_two_axes(const OnnxNode& node, size_t rank);
/// The same of the shapes of a convolution's input and weights; how many axes they had.
/// kUnsupported: others than three or four, or not as many each.
Result<size_t> give_two_axes(const OnnxNode& node, std::vector<int>& shape,
                             std::vector<int>& weights);
/// A tensor of three axes as an image, channels last; of four as it is.
int as_image(OnnxGraph& graph, int id);
/// An image as the tensor of `rank` axes that the model has.
int of_model_rank(OnnxGraph& graph, int id, size_t rank);

/// Of a node with two axes, on an image of height x width. kInvalidInput: nothing fits.
/// kUnsupported: too large, other than two axes.
Result<OnnxWindows> windows_of(const OnnxNode& node, int height, int width, int kernel_h,
                               int kernel_w);

/// The image with these windows' pads filled by `value`, or as it is where TFLite's SAME is the
/// same: then `padding` says so.
struct OnnxPadded {
  int input;
  Padding padding;
};
OnnxPadded padded_for(OnnxGraph& graph, int image, const OnnxWindows& windows, int value,
                      bool may_be_same);

}  // namespace tinytune
