#include "models/onnx/onnx_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/quantise.h"

namespace tinytune {
namespace {

// The weights as int8 without zero points, element i taken from place(i).
template <typename Place>
Result<std::vector<uint8_t>> turned(const OnnxLayer& layer, Place place) {
  const OnnxTensor& from = *layer.weights.tensor;
  if (from.type != ElementType::kInt8 && from.type != ElementType::kUint8)
    return OnnxValues::unsupported(layer.node, fmt::format("weights of {}", name_of(from.type)));
  for (const int32_t zero : layer.weights.scale.zero_points)
    if (zero != 0)
      return OnnxValues::unsupported(layer.node,
                                     "weights with a zero point; quantise them symmetrically");
  std::vector<uint8_t> bytes(from.data.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = from.data[place(i)] ^ (from.type == ElementType::kUint8 ? 0x80 : 0);
  return bytes;
}

// Scales of one axis of the model's weights, as those of an axis of the graph's.
Result<Quantization> turned_scales(const OnnxLayer& layer, int model_axis, int axis) {
  Quantization q = layer.weights.scale.quantization();
  const auto rank = static_cast<int>(layer.weights.tensor->shape.size());
  if (q.per_channel() && (q.axis < 0 ? q.axis + rank : q.axis) != model_axis)
    return OnnxValues::unsupported(layer.node, "weight scales along another axis than outputs");
  q.axis = axis;
  return q;
}

std::vector<int> with_bias(OnnxGraph& graph, const OnnxLayer& layer, int input, int weights) {
  std::vector<int> inputs = {input, weights};
  if (layer.bias != nullptr)
    inputs.push_back(
        graph.add_constant("bias", ElementType::kInt32, layer.bias->shape, layer.bias->data));
  return inputs;
}

}  // namespace

Result<OnnxWindows> windows_of(OnnxGraph& graph, const OnnxNode& node, int input, int kernel_h,
                               int kernel_w, bool may_pad) {
  const auto two = [&](const char* name) { return node.get(name, std::vector<int64_t>{1, 1}); };
  const std::vector<int64_t> strides = two("strides"), dilations = two("dilations");
  std::vector<int64_t> pads = node.get("pads", std::vector<int64_t>{0, 0, 0, 0});
  if (strides.size() != 2 || dilations.size() != 2 || pads.size() != 4)
    return OnnxValues::unsupported(node, "windows of other than two axes");
  for (const auto* list : {&strides, &dilations})
    for (const int64_t value : *list)
      if (value < 1 || value > kLargestWindow)
        return OnnxValues::invalid(node, "a stride or dilation out of range");
  for (const int64_t pad : pads)
    if (pad < 0 || pad > kLargestWindow) return OnnxValues::invalid(node, "a pad out of range");
  if (node.get("ceil_mode", int64_t{0}) != 0) return OnnxValues::unsupported(node, "ceil_mode");
  OnnxWindows w{input, Padding::kValid, kernel_h, kernel_w};
  w.stride_h = static_cast<int>(strides[0]), w.stride_w = static_cast<int>(strides[1]);
  w.dilation_h = static_cast<int>(dilations[0]), w.dilation_w = static_cast<int>(dilations[1]);
  const Tensor from = graph.tensor(input);
  const int height = from.shape[1], width = from.shape[2];
  if (!window_is_small(kernel_h, w.stride_h, w.dilation_h) ||
      !window_is_small(kernel_w, w.stride_w, w.dilation_w))
    return OnnxValues::unsupported(node, kWindowTooLarge);
  const auto along = [&](Padding padding, bool rows, int extent) {
    return rows ? window_of(padding, extent, kernel_h, w.stride_h, w.dilation_h)
                : window_of(padding, extent, kernel_w, w.stride_w, w.dilation_w);
  };
  const Window rows = along(Padding::kSame, true, height),
               columns = along(Padding::kSame, false, width);
  const auto automatic = node.strings.find("auto_pad");
  const std::string how = automatic == node.strings.end() ? "NOTSET" : automatic->second;
  if (how != "NOTSET" && how != "SAME_UPPER" && how != "VALID")
    return OnnxValues::unsupported(node, "auto_pad " + how);
  if (how == "VALID") pads = {0, 0, 0, 0};
  const auto missing = [](const Window& same, int extent, int filter, int stride, int dilation) {
    return std::max<int64_t>(
        0, int64_t{same.extent - 1} * stride + dilation * (filter - 1) + 1 - extent);
  };
  const std::vector<int64_t> same = {
      rows.pad, columns.pad, missing(rows, height, kernel_h, w.stride_h, w.dilation_h) - rows.pad,
      missing(columns, width, kernel_w, w.stride_w, w.dilation_w) - columns.pad};
  if (how == "SAME_UPPER" || (pads == same && std::any_of(pads.begin(), pads.end(),
                                                          [](int64_t pad) { return pad > 0; }))) {
    w.padding = Padding::kSame;
    w.out_h = rows.extent, w.out_w = columns.extent;
    return w;
  }
  if (std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad > 0; })) {
    if (!may_pad) return OnnxValues::unsupported(node, "pads other than SAME's");
    std::vector<int> shape = from.shape;
    shape[1] += static_cast<int>(pads[0] + pads[2]);
    shape[2] += static_cast<int>(pads[1] + pads[3]);
    const std::vector<int32_t> all = {0,
                                      0,
                                      static_cast<int>(pads[0]),
                                      static_cast<int>(pads[2]),
                                      static_cast<int>(pads[1]),
                                      static_cast<int>(pads[3]),
                                      0,
                                      0};
    w.input = graph.add(from.name, from.type, shape, from.quantization, true);
    graph.add_operator(OperatorKind::kPad, {input, graph.add_numbers("pads", all, {4, 2})},
                       w.input);
  }
  w.out_h = along(Padding::kValid, true, graph.tensor(w.input).shape[1]).extent;
  w.out_w = along(Padding::kValid, false, graph.tensor(w.input).shape[2]).extent;
  if (w.out_h < 1 || w.out_w < 1)
    return OnnxValues::invalid(node, "its window is larger than its input");
  return w;
}

Result<int> add_convolution(OnnxGraph& graph, const OnnxLayer& layer) {
  const OnnxNode& node = layer.node;
  const OnnxTensor& weights = *layer.weights.tensor;
  if (weights.shape.size() != 4 || graph.tensor(layer.input).shape.size() != 4)
    return OnnxValues::unsupported(node, "a convolution of other than two axes");
  const int out_c = weights.shape[0], group_c = weights.shape[1];
  const int kernel_h = weights.shape[2], kernel_w = weights.shape[3];
  const int64_t groups = node.get("group", int64_t{1});
  const int input = graph.to_channels_last(layer.input);
  const int in_c = graph.tensor(input).shape[3];
  if (weights.elements() < 1 || groups < 1 || groups * group_c != in_c || out_c % groups != 0)
    return OnnxValues::invalid(node, "its weights do not fit its input");
  const bool depthwise = groups == in_c && groups > 1;
  TT_TRY_ASSIGN(const OnnxWindows w, windows_of(graph, node, input, kernel_h, kernel_w, true));
  // From [out][in][y][x] to [out][y][x][in], depthwise to [1][y][x][out].
  const auto taps = static_cast<size_t>(kernel_h) * static_cast<size_t>(kernel_w);
  const auto outputs = static_cast<size_t>(out_c), inputs = static_cast<size_t>(group_c);
  TT_TRY_ASSIGN(auto bytes, turned(layer, [&](size_t i) {
                  if (depthwise) return i % outputs * taps + i / outputs;
                  const size_t channel = i % inputs, tap = i / inputs % taps;
                  return (i / inputs / taps * inputs + channel) * taps + tap;
                }));
  TT_TRY_ASSIGN(Quantization q, turned_scales(layer, 0, depthwise ? 3 : 0));
  const std::vector<int> shape = depthwise ? std::vector<int>{1, kernel_h, kernel_w, out_c}
                                           : std::vector<int>{out_c, kernel_h, kernel_w, group_c};
  const int turned_weights =
      graph.add_constant("weights", ElementType::kInt8, shape, std::move(bytes), std::move(q));
  ConvAttributes attributes{w.padding,  layer.activation, w.stride_h,
                            w.stride_w, w.dilation_h,     w.dilation_w};
  const int output = graph.add(node.outputs.at(0), ElementType::kInt8,
                               {graph.tensor(input).shape[0], w.out_h, w.out_w, out_c},
                               layer.output.quantization(), true);
  graph.add_operator(depthwise ? OperatorKind::kDepthwiseConv2d : OperatorKind::kConv2d,
                     with_bias(graph, layer, w.input, turned_weights), output, attributes);
  return output;
}

Result<int> add_product(OnnxGraph& graph, const OnnxLayer& layer, bool transposed) {
  const OnnxTensor& weights = *layer.weights.tensor;
  const int input = graph.to_onnx_order(layer.input);
  std::vector<int> shape = graph.tensor(input).shape;
  if (weights.shape.size() != 2 || weights.elements() < 1 || shape.empty() ||
      shape.back() != weights.shape[transposed ? 1 : 0])
    return OnnxValues::invalid(layer.node, "its weights do not fit its input");
  const auto in_c = static_cast<size_t>(shape.back());
  const auto out_c = static_cast<size_t>(weights.shape[transposed ? 0 : 1]);
  TT_TRY_ASSIGN(auto bytes, turned(layer, [&](size_t i) {
                  return transposed ? i : i % in_c * out_c + i / in_c;
                }));
  TT_TRY_ASSIGN(Quantization q, turned_scales(layer, transposed ? 0 : 1, 0));
  const int turned_weights = graph.add_constant("weights", ElementType::kInt8,
                                                {static_cast<int>(out_c), static_cast<int>(in_c)},
                                                std::move(bytes), std::move(q));
  shape.back() = static_cast<int>(out_c);
  const int output = graph.add(layer.node.outputs.at(0), ElementType::kInt8, shape,
                               layer.output.quantization(), false);
  graph.add_operator(OperatorKind::kFullyConnected, with_bias(graph, layer, input, turned_weights),
                     output, ActivationAttributes{layer.activation});
  return output;
}

}  // namespace tinytune
