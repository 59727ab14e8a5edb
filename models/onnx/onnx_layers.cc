#include "models/onnx/onnx_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/onnx/onnx_windows.h"
#include "models/operators/plain/operands.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

/// Weights in the graph's order, each the sum of `copies` int8: a weight less its zero point may
/// need nine bits.
struct TurnedWeights {
  std::vector<int> values;  ///< [outputs][taps][inputs]
  int copies = 1;
  int doublings = 0;  ///< weights and bias are doubled, scales halved, so many times
};

/// Kernels scale by less than 1/4 (schedules/stepped_requantise.h). Doubled weights with half the
/// scale give the same float32 product.
constexpr float kLeastLargeScale = 0.25F;
constexpr int kMostDoublings = 6;

int doublings_of(const OnnxGraph& graph, const OnnxLayer& layer) {
  const float in = graph.tensor(layer.input).quantization.scales[0];
  float largest = 0;
  for (const float weight : layer.weights.scale.scales)
    largest = std::max(largest, in * weight / layer.output.scales[0]);
  int doublings = 0;
  for (; largest >= kLeastLargeScale && std::isfinite(largest); largest /= 2) ++doublings;
  return doublings;
}

// Reorders weights: element i in the graph's order is element place(i) in the model's; it belongs
// to output channel(i).
template <typename Place, typename Channel>
Result<TurnedWeights> turned(const OnnxGraph& graph, const OnnxLayer& layer, Place place,
                             Channel channel) {
  const OnnxTensor& from = *layer.weights.tensor;
  const OnnxScale& scale = layer.weights.scale;
  if (from.type != ElementType::kInt8 && from.type != ElementType::kUint8)
    return OnnxValues::unsupported(
        layer.node, fmt::format("weights of {}, not int8 or uint8", name_of(from.type)));
  if (from.type != scale.type)
    return OnnxValues::invalid(layer.node, "a zero point of another type than the weights'");
  TurnedWeights weights;
  if (layer.scaling.empty()) weights.doublings = doublings_of(graph, layer);
  if (weights.doublings > kMostDoublings)
    return OnnxValues::unsupported(layer.node, "its result's scale is far below its operands'");
  for (size_t i = 0; i < from.data.size(); ++i) {
    const size_t c = scale.zero_points.size() > 1 ? channel(i) : 0;
    const int value = (static_cast<int>(from.at(place(i))) - scale.offset() - scale.zero_points[c])
                      << weights.doublings;
    weights.values.push_back(value);
    while (value < -128 * weights.copies || value > 127 * weights.copies) ++weights.copies;
  }
  return weights;
}

// Returns int8 summand `copy` of a weight; the summands of all copies add up to its value.
int part_of(int value, int copies, int copy) {
  for (int i = 0; i < copy; ++i) value -= std::clamp(value, -128, 127);
  return copy + 1 < copies ? std::clamp(value, -128, 127) : value;
}

// Returns the weights' bytes: runs of `inputs` elements, each run once per copy.
std::vector<uint8_t> bytes_of(const TurnedWeights& weights, size_t inputs) {
  std::vector<uint8_t> bytes;
  for (size_t run = 0; run < weights.values.size(); run += inputs)
    for (int copy = 0; copy < weights.copies; ++copy)
      for (size_t i = 0; i < inputs; ++i)
        bytes.push_back(
            static_cast<uint8_t>(part_of(weights.values[run + i], weights.copies, copy)));
  return bytes;
}

// Repeats each run of `inputs` elements of the input `copies` times.
int repeated(OnnxGraph& graph, int id, int inputs, int copies) {
  if (copies == 1) return id;
  std::vector<int> shape = graph.tensor(id).shape;
  const bool last = graph.channels_last(id);
  const auto runs = static_cast<int>(graph.tensor(id).elements() / inputs);
  const int flat = graph.reshaped(id, {runs, inputs}, false);
  const int joined = graph.concatenated(std::vector<int>(static_cast<size_t>(copies), flat), 1);
  shape.back() *= copies;
  return graph.reshaped(joined, shape, last);
}

// Checks that there is one scale, or one per index of the model's axis of outputs.
Status check_scales(const OnnxLayer& layer, int model_axis) {
  const OnnxScale& scale = layer.weights.scale;
  const auto rank = static_cast<int>(layer.weights.tensor->shape.size());
  if (scale.scales.size() == 1) return ok_status();
  if ((scale.axis < 0 ? scale.axis + rank : scale.axis) != model_axis)
    return OnnxValues::unsupported(layer.node, "weight scales along another axis than outputs");
  if (static_cast<int>(scale.scales.size()) !=
      layer.weights.tensor->shape[static_cast<size_t>(model_axis)])
    return OnnxValues::invalid(layer.node, "its weight scales do not fit its outputs");
  return ok_status();
}

// Returns the scales along `axis` of the graph's weights, halved for each doubling.
Quantization turned_scales(const OnnxLayer& layer, const TurnedWeights& weights, int axis) {
  Quantization q = layer.weights.scale.quantization();
  q.axis = axis;
  for (float& scale : q.scales) scale = std::ldexp(scale, -weights.doublings);
  q.zero_points.assign(q.scales.size(), 0);
  return q;
}

Result<std::vector<int>> with_bias(OnnxGraph& graph, const OnnxLayer& layer, int input, int weights,
                                   int doublings) {
  std::vector<int> inputs = {input, weights};
  const auto with_scaling = [&] {
    if (layer.scaling.empty()) return inputs;
    inputs.resize(kPlainScaling, -1);
    inputs.insert(inputs.end(), layer.scaling.begin(), layer.scaling.end());
    return inputs;
  };
  if (!layer.bias) return with_scaling();
  std::vector<int32_t> bias;
  for (const int32_t number : *layer.bias) {
    const int64_t doubled = int64_t{number} * (1 << doublings);
    if (doubled != static_cast<int32_t>(doubled))
      return OnnxValues::unsupported(layer.node, "a bias far beyond its result's range");
    bias.push_back(static_cast<int32_t>(doubled));
  }
  inputs.push_back(graph.add_numbers("bias", bias, {static_cast<int>(bias.size())}));
  return with_scaling();
}

}  // namespace

Result<std::vector<int32_t>> bias_of(const OnnxNode& node, const OnnxConstant& bias,
                                     float input_scale, const std::vector<float>& weight_scales) {
  const auto elements = static_cast<size_t>(bias.tensor->elements());
  const std::vector<float>& given = bias.scale.scales;
  for (const size_t channels : {given.size(), weight_scales.size()})
    if (channels > 1 && elements != channels)
      return OnnxValues::invalid(node, "a bias that does not fit its weights");
  std::vector<int32_t> result;
  for (size_t i = 0; i < elements; ++i) {
    const float product = input_scale * weight_scales[weight_scales.size() > 1 ? i : 0];
    if (bias.tensor->type == ElementType::kInt32) {
      const double scale = given.empty() ? double{product} : given[given.size() > 1 ? i : 0];
      const bool zero = given.empty() || bias.scale.zero_points[given.size() > 1 ? i : 0] == 0;
      if (std::abs(scale - product) > 1e-6 * product || !zero)
        return OnnxValues::unsupported(node,
                                       "a bias whose scale is not the input's times the weights'");
      result.push_back(static_cast<int32_t>(bias.tensor->integer(i)));
      continue;
    }
    const float steps = std::nearbyint(static_cast<float>(bias.real(i, i)) / product);
    if (!(std::abs(steps) < 2e9F))
      return OnnxValues::unsupported(node, "a bias that does not fit int32 in units of its scale");
    result.push_back(static_cast<int32_t>(steps));
  }
  return result;
}

Result<int> add_convolution(OnnxGraph& graph, const OnnxLayer& given) {
  const size_t rank = graph.tensor(given.input).shape.size();
  const OnnxNode node = with_two_axes(given.node, rank);
  OnnxTensor weights = *given.weights.tensor;
  if ((rank != 3 && rank != 4) || weights.shape.size() != rank)
    return OnnxValues::unsupported(node, "a convolution of other than one or two axes");
  if (rank == 3) weights.shape.insert(weights.shape.begin() + 2, 1);
  OnnxLayer layer = given;
  layer.weights.tensor = &weights;
  const int out_c = weights.shape[0], group_c = weights.shape[1];
  const int kernel_h = weights.shape[2], kernel_w = weights.shape[3];
  const int64_t groups = node.get("group", int64_t{1});
  const int input = as_image(graph, layer.input);
  const std::vector<int> image = graph.tensor(input).shape;
  const int in_c = image[3];
  if (weights.elements() < 1 || groups < 1 || groups * group_c != in_c || out_c % groups != 0)
    return OnnxValues::invalid(node, "its weights do not fit its input");
  TT_TRY(check_scales(layer, 0));
  TT_TRY_ASSIGN(const OnnxWindows w, windows_of(node, image[1], image[2], kernel_h, kernel_w));
  const auto [padded, padding] =
      padded_for(graph, input, w, graph.tensor(input).quantization.zero_points[0], true);
  // From [out][in][y][x] to [out][y][x][in], depthwise to [1][y][x][out].
  const auto taps = static_cast<size_t>(kernel_h) * static_cast<size_t>(kernel_w);
  const auto outputs = static_cast<size_t>(out_c), inputs = static_cast<size_t>(group_c);
  TT_TRY_ASSIGN(const TurnedWeights turned_weights,
                turned(
                    graph, layer,
                    [&](size_t i) {
                      const size_t channel = i % inputs, tap = i / inputs % taps;
                      return (i / inputs / taps * inputs + channel) * taps + tap;
                    },
                    [&](size_t i) { return i / inputs / taps; }));
  const bool depthwise = groups == in_c && groups > 1 && turned_weights.copies == 1;
  std::vector<uint8_t> bytes = bytes_of(turned_weights, inputs);
  std::vector<int> shape = {out_c, kernel_h, kernel_w, group_c * turned_weights.copies};
  if (depthwise) {
    const std::vector<uint8_t> by_output = bytes;
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = by_output[i % outputs * taps + i / outputs];
    shape = {1, kernel_h, kernel_w, out_c};
  }
  const int from = repeated(graph, padded, group_c, turned_weights.copies);
  Quantization q = turned_scales(layer, turned_weights, depthwise ? 3 : 0);
  const int constant =
      graph.add_constant("weights", ElementType::kInt8, shape, std::move(bytes), std::move(q));
  const ConvAttributes attributes{padding,    layer.activation, w.stride_h,
                                  w.stride_w, w.dilation_h,     w.dilation_w};
  const int output =
      graph.add(node.outputs.at(0), ElementType::kInt8, {image[0], w.out_h, w.out_w, out_c},
                layer.output.quantization(), true);
  TT_TRY_ASSIGN(auto operands, with_bias(graph, layer, from, constant, turned_weights.doublings));
  graph.add_operator(depthwise ? OperatorKind::kDepthwiseConv2d : OperatorKind::kConv2d,
                     std::move(operands), output, attributes);
  return of_model_rank(graph, output, rank);
}

Result<int> add_product(OnnxGraph& graph, const OnnxLayer& layer, bool transposed) {
  const OnnxTensor& weights = *layer.weights.tensor;
  const int input = graph.to_onnx_order(layer.input);
  std::vector<int> shape = graph.tensor(input).shape;
  if (weights.shape.size() != 2 || weights.elements() < 1 || shape.empty() ||
      shape.back() != weights.shape[transposed ? 1 : 0])
    return OnnxValues::invalid(layer.node, "its weights do not fit its input");
  TT_TRY(check_scales(layer, transposed ? 0 : 1));
  const auto in_c = static_cast<size_t>(shape.back());
  const auto out_c = static_cast<size_t>(weights.shape[transposed ? 0 : 1]);
  TT_TRY_ASSIGN(
      const TurnedWeights turned_weights,
      turned(
          graph, layer, [&](size_t i) { return transposed ? i : i % in_c * out_c + i / in_c; },
          [&](size_t i) { return i / in_c; }));
  const int copies = turned_weights.copies;
  Quantization q = turned_scales(layer, turned_weights, 0);
  const int constant = graph.add_constant(
      "weights", ElementType::kInt8, {static_cast<int>(out_c), static_cast<int>(in_c) * copies},
      bytes_of(turned_weights, in_c), std::move(q));
  shape.back() = static_cast<int>(out_c);
  const int output = graph.add(layer.node.outputs.at(0), ElementType::kInt8, shape,
                               layer.output.quantization(), false);
  const int from = repeated(graph, input, static_cast<int>(in_c), copies);
  TT_TRY_ASSIGN(auto operands, with_bias(graph, layer, from, constant, turned_weights.doublings));
  graph.add_operator(OperatorKind::kFullyConnected, std::move(operands), output,
                     ActivationAttributes{layer.activation});
  return output;
}

}  // namespace tinytune
