#include "models/onnx/onnx_products.h"

#include <algorithm>

#include "models/limits.h"
#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_windows.h"

namespace tinytune {
namespace {

int multiplied(OnnxGraph& graph, const OnnxNode& node, int left, int right, std::vector<int> shape,
               const OnnxProduct& result) {
  const int to =
      graph.add(node.outputs[0], result.type, std::move(shape), result.quantization, false);
  std::vector<int> inputs = {left, right};
  inputs.insert(inputs.end(), result.scaling.begin(), result.scaling.end());
  graph.add_operator(result.kind, std::move(inputs), to, BatchMatMulAttributes{});
  return to;
}

// The elements of an image in ONNX's order that its windows read.
struct Places {
  const OnnxWindows& windows;
  int channels, height, width;

  int64_t count() const {
    return int64_t{channels} * windows.kernel_h * windows.kernel_w * windows.out_h * windows.out_w;
  }
  // Returns them by channel and tap, then by window.
  std::vector<int64_t> all() const {
    const OnnxWindows& w = windows;
    std::vector<int64_t> places;
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t ky = 0; ky < w.kernel_h; ++ky)
        for (int64_t kx = 0; kx < w.kernel_w; ++kx)
          for (int64_t y = 0; y < w.out_h; ++y)
            for (int64_t x = 0; x < w.out_w; ++x)
              places.push_back((c * height + y * w.stride_h + ky * w.dilation_h) * width +
                               x * w.stride_w + kx * w.dilation_w);
    return places;
  }
};

// Returns input `i` of an operator without scales, whose zero point is input `zero_at`.
Result<int> without_scale(OnnxImport& import, const OnnxNode& node, size_t i, size_t zero_at) {
  if (!node.has_input(i)) return OnnxValues::invalid(node, "too few inputs");
  OnnxScale scale{{1}, {0}, import.values().type_of(node.inputs[i]), 0};
  if (node.has_input(zero_at)) {
    const OnnxTensor* zeros = import.values().constant(node.inputs[zero_at]);
    if (zeros == nullptr || zeros->elements() < 1)
      return OnnxValues::unsupported(node, "a zero point that is no constant");
    for (size_t k = 1; k < static_cast<size_t>(zeros->elements()); ++k)
      if (zeros->at(k) != zeros->at(0))
        return OnnxValues::unsupported(node, "several zero points of one operand");
    if (zeros->type != scale.type)
      return OnnxValues::invalid(node, "a zero point of another type than its operand");
    scale.zero_points[0] = static_cast<int32_t>(zeros->at(0));
  }
  scale.zero_points[0] -= scale.offset();
  return import.bytes(node, node.inputs[i], scale);
}

OnnxProduct sums() { return {ElementType::kInt32, {}}; }

}  // namespace

Result<int> add_computed_product(OnnxGraph& graph, const OnnxNode& node, int a, int b,
                                 const OnnxProduct& result) {
  int left = graph.to_onnx_order(a), right = graph.to_onnx_order(b);
  std::vector<int> first = graph.tensor(left).shape, second = graph.tensor(right).shape;
  if (first.empty() || second.empty())
    return OnnxValues::invalid(node, "a product of a single number");
  const bool row = first.size() == 1, column = second.size() == 1;
  if (row) {
    first.insert(first.begin(), 1);
    left = graph.reshaped(left, first, false);
  }
  if (column) {
    second.push_back(1);
    right = graph.reshaped(right, second, false);
  }
  std::vector<int> shape(std::max(first.size(), second.size()), 1);
  for (const std::vector<int>* operand : {&first, &second})
    for (size_t i = 0; i + 2 < operand->size(); ++i) {
      int& extent = shape[shape.size() - operand->size() + i];
      extent = std::max(extent, (*operand)[i]);
    }
  shape[shape.size() - 2] = first[first.size() - 2];
  shape.back() = second.back();
  const int to = multiplied(graph, node, left, right, shape, result);
  if (!row && !column) return to;
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  return graph.reshaped(to, shape, false);
}

Result<int> add_computed_convolution(OnnxGraph& graph, const OnnxNode& node, int image, int weights,
                                     const OnnxProduct& result) {
  std::vector<int> shape = graph.onnx_shape(image), kernel = graph.onnx_shape(weights);
  TT_TRY_ASSIGN(const size_t rank, give_two_axes(node, shape, kernel));
  const int64_t groups = node.get("group", int64_t{1});
  if (groups < 1 || groups * kernel[1] != shape[1] || kernel[0] % groups != 0)
    return OnnxValues::invalid(node, "its weights do not fit its input");
  TT_TRY_ASSIGN(const OnnxWindows w,
                windows_of(with_two_axes(node, rank), shape[2], shape[3], kernel[2], kernel[3]));
  int from = graph.reshaped(graph.to_onnx_order(image), shape, false);
  if (w.pad_top + w.pad_left + w.pad_bottom + w.pad_right > 0)
    from = graph.padded(from, {0, 0, w.pad_top, w.pad_left}, {0, 0, w.pad_bottom, w.pad_right},
                        graph.zero_of(from));
  const std::vector<int> padded = graph.tensor(from).shape;
  const Places places{w, padded[1], padded[2], padded[3]};
  if (places.count() > kMostTensorBytes / 4)
    return OnnxValues::unsupported(node, "computed weights and so many windows");
  const auto of_group = static_cast<int>(groups), windows = w.out_h * w.out_w;
  const int taps = kernel[1] * kernel[2] * kernel[3];
  from = graph.reshaped(from, {padded[0], padded[1] * padded[2] * padded[3]}, false);
  from = graph.gathered(from, 1, places.all());
  from = graph.reshaped(from, {padded[0], of_group, taps, windows}, false);
  const int outputs = kernel[0] / of_group;
  const int matrix =
      graph.reshaped(graph.to_onnx_order(weights), {1, of_group, outputs, taps}, false);
  const int to =
      multiplied(graph, node, matrix, from, {padded[0], of_group, outputs, windows}, result);
  std::vector<int> made = {padded[0], kernel[0], w.out_h, w.out_w};
  if (rank == 3) made.erase(made.begin() + 2);
  return graph.reshaped(to, made, false);
}

// Inputs: both operands, then both zero points.
Result<OnnxResult> import_matmul_integer(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int a, without_scale(import, node, 0, 2));
  TT_TRY_ASSIGN(const int b, without_scale(import, node, 1, 3));
  TT_TRY_ASSIGN(const int id, add_computed_product(import.graph(), node, a, b, sums()));
  return OnnxResult{id, ElementType::kInt32};
}

Result<OnnxResult> import_conv_integer(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int image, without_scale(import, node, 0, 2));
  TT_TRY_ASSIGN(const int weights, without_scale(import, node, 1, 3));
  TT_TRY_ASSIGN(const int id,
                add_computed_convolution(import.graph(), node, image, weights, sums()));
  return OnnxResult{id, ElementType::kInt32};
}

}  // namespace tinytune
