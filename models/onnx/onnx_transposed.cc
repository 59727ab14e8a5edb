// ConvTranspose. With whole phases (models/operators/transpose_conv/phases.h) it becomes one
// convolution, whose channels become pixels; otherwise a convolution of the input with stride - 1
// zeros inserted after every element.
#include <algorithm>
#include <array>

#include "models/onnx/onnx_layers.h"
#include "models/onnx/onnx_windows.h"
#include "models/operators/transpose_conv/phases.h"

namespace tinytune {
namespace {

// A layer on two axes: its attributes and the extents of its weights.
struct Transposed {
  OnnxNode node;
  int groups = 1, group_in = 1, group_out = 1;                // channels of a group
  std::array<int, 2> kernel{}, stride{}, dilation{}, more{};  // `more`: output_padding
  std::array<int, 2> before{}, after{};                       // pads

  int64_t reach(size_t axis) const { return int64_t{dilation[axis]} * (kernel[axis] - 1); }
  int taps() const { return kernel[0] * kernel[1]; }
  // Weights are [in][out of a group][tap].
  size_t place(int in, int out, int tap) const {
    return static_cast<size_t>((int64_t{in} * group_out + out) * taps() + tap);
  }
};

Result<Transposed> read(const OnnxLayer& layer, size_t rank) {
  Transposed t{with_two_axes(layer.node, rank)};
  const OnnxNode& node = t.node;
  std::vector<int> shape = layer.weights.tensor->shape;
  if ((rank != 3 && rank != 4) || shape.size() != rank)
    return OnnxValues::unsupported(node, "a convolution of other than one or two axes");
  if (rank == 3) shape.insert(shape.begin() + 2, 1);
  const auto automatic = node.strings.find("auto_pad");
  if ((automatic != node.strings.end() && automatic->second != "NOTSET" &&
       automatic->second != "VALID") ||
      node.ints.count("output_shape") != 0)
    return OnnxValues::unsupported(node, "auto_pad or output_shape; give pads");
  const auto list = [&](const char* name, std::vector<int64_t> otherwise) {
    return node.get(name, std::move(otherwise));
  };
  const auto strides = list("strides", {1, 1}), dilations = list("dilations", {1, 1}),
             more = list("output_padding", {0, 0}), pads = list("pads", {0, 0, 0, 0});
  if (strides.size() != 2 || dilations.size() != 2 || more.size() != 2 || pads.size() != 4)
    return OnnxValues::unsupported(node, "windows of other than one or two axes");
  const int64_t groups = node.get("group", int64_t{1});
  if (groups < 1 || layer.weights.tensor->elements() < 1 || shape[0] % groups != 0)
    return OnnxValues::invalid(node, "its weights do not fit its input");
  t.groups = static_cast<int>(groups);
  t.group_in = shape[0] / t.groups, t.group_out = shape[1];
  const auto is_small = [](int64_t value, int64_t least) {
    return value >= least && value <= INT16_MAX;
  };
  for (size_t axis = 0; axis < 2; ++axis) {
    if (!is_small(strides[axis], 1) || !is_small(dilations[axis], 1) || !is_small(more[axis], 0) ||
        !is_small(pads[axis], 0) || !is_small(pads[axis + 2], 0) ||
        !is_small(dilations[axis] * (shape[2 + axis] - 1), 0))
      return OnnxValues::invalid(node, "a stride, dilation or pad out of range");
    t.kernel[axis] = shape[2 + axis];
    t.stride[axis] = static_cast<int>(strides[axis]);
    t.dilation[axis] = static_cast<int>(dilations[axis]);
    t.more[axis] = static_cast<int>(more[axis]);
    t.before[axis] = static_cast<int>(pads[axis]);
    t.after[axis] = static_cast<int>(pads[axis + 2]);
  }
  t.node.ints["strides"] = {1, 1};
  t.node.ints.erase("kernel_shape");
  t.node.strings.erase("auto_pad");
  return t;
}

// Adds a convolution with these pads (top, left, bottom, right) and weights [out][in][y][x].
Result<int> convolved(OnnxGraph& graph, const OnnxLayer& layer, OnnxNode node, int input,
                      const OnnxTensor& weights, std::vector<int64_t> pads) {
  node.ints["pads"] = std::move(pads);
  OnnxConstant constant = layer.weights;
  constant.tensor = &weights;
  return add_convolution(graph,
                         {node, input, constant, layer.bias, layer.output, layer.activation});
}

// Returns the extent of a phase along an axis; nullopt if phases are incomplete, or if none of them
// reads the input's last elements.
std::optional<int> whole_phases(const Transposed& t, size_t axis, const PhaseAxis& phases,
                                int extent) {
  const int64_t out = int64_t{extent - 1} * t.stride[axis] + t.kernel[axis] + t.more[axis] -
                      t.before[axis] - t.after[axis];
  if (t.dilation[axis] != 1 || out < 1 || out > INT16_MAX || out % t.stride[axis] != 0 ||
      out / t.stride[axis] + phases.last < extent)
    return std::nullopt;
  return static_cast<int>(out / t.stride[axis]);
}

// Adds the layer as phases and returns the result as an image; nullopt if it has no whole phases.
Result<std::optional<int>> add_phases(OnnxGraph& graph, const OnnxLayer& layer, const Transposed& t,
                                      int image) {
  const std::vector<int> in = graph.tensor(image).shape;
  const PhaseAxis rows(t.kernel[0], t.stride[0], t.before[0]);
  const PhaseAxis columns(t.kernel[1], t.stride[1], t.before[1]);
  const auto height = whole_phases(t, 0, rows, in[1]), width = whole_phases(t, 1, columns, in[2]);
  const bool is_block = t.stride[0] == t.stride[1] || t.stride[0] == 1;
  const size_t scales = layer.weights.scale.scales.size();
  const bool fits =
      scales == 1 || scales == static_cast<size_t>(t.group_out);  // else refused later
  if (t.groups != 1 || !height || !width || !is_block || !has_few_zeros(rows, columns) || !fits)
    return std::optional<int>();
  const int phases = t.stride[0] * t.stride[1];
  OnnxLayer all = layer;
  OnnxScale& scale = all.weights.scale;
  const std::vector<int32_t> zero_points = scale.zero_points;  // one per scale
  const OnnxTensor& given = *layer.weights.tensor;
  const auto taps = static_cast<size_t>(rows.taps() * columns.taps());
  const auto inputs = static_cast<size_t>(t.group_in);
  const std::vector<int> weights_shape = {phases * t.group_out, t.group_in, rows.taps(),
                                          columns.taps()};
  OnnxTensor weights{given.type, weights_shape, {}};
  weights.data.resize(static_cast<size_t>(weights.elements()));
  size_t at = 0;  // index of [out][tap]
  for_each_tap(rows, columns, t.group_out, [&](int channel, std::optional<int> tap) {
    const auto zero = static_cast<uint8_t>(
        scale.offset() + zero_points[scales > 1 ? static_cast<size_t>(channel) : 0]);
    for (size_t i = 0; i < inputs; ++i)
      weights.data[(at / taps * inputs + i) * taps + at % taps] =
          tap ? given.data[t.place(static_cast<int>(i), channel, *tap)] : zero;
    ++at;
  });
  if (scales > 1) {
    scale.scales = for_all_phases(scale.scales, phases);
    scale.zero_points = for_all_phases(zero_points, phases);
  }
  if (all.bias) all.bias = for_all_phases(*all.bias, phases);
  OnnxNode node = t.node;
  node.outputs[0] += "_phases";
  TT_TRY_ASSIGN(const int pixels,
                convolved(graph, all, std::move(node), image, weights,
                          {-rows.first, -columns.first, *height - in[1] + rows.last,
                           *width - in[2] + columns.last}));
  const std::vector<int> shape = {in[0], *height * t.stride[0], *width * t.stride[1], t.group_out};
  if (t.stride[0] == 1) return std::optional(graph.reshaped(pixels, shape, true));
  const int result =
      graph.add(t.node.outputs[0], ElementType::kInt8, shape, layer.output.quantization(), true);
  graph.add_operator(OperatorKind::kDepthToSpace, {pixels}, result, BlockAttributes{t.stride[0]});
  return std::optional(result);
}

// Inserts stride - 1 zeros after each row (axis 0) or after each element of a row (axis 1).
int with_zeros_between(OnnxGraph& graph, int id, size_t axis, int stride) {
  if (stride == 1) return id;
  std::vector<int> image = graph.tensor(id).shape;
  const int zero = graph.tensor(id).quantization.zero_points[0];
  const int outer = axis == 0 ? image[0] * image[1] : image[0] * image[1] * image[2];
  const auto inner = static_cast<int>(graph.tensor(id).elements() / outer);
  const int rows = graph.reshaped(id, {outer, 1, inner}, false);
  const int padded = graph.padded(rows, {0, 0, 0}, {0, stride - 1, 0}, zero);
  image[1 + axis] *= stride;
  return graph.reshaped(padded, image, true);
}

// Returns the weights as those of a convolution: [out][in of a group][y][x], taps reversed.
OnnxTensor turned(const Transposed& t, const OnnxTensor& given) {
  OnnxTensor weights{
      given.type, {t.groups * t.group_out, t.group_in, t.kernel[0], t.kernel[1]}, {}};
  for (int out = 0; out < t.groups * t.group_out; ++out)
    for (int in = 0; in < t.group_in; ++in)
      for (int tap = t.taps(); tap-- > 0;)
        weights.data.push_back(
            given.data[t.place(out / t.group_out * t.group_in + in, out % t.group_out, tap)]);
  return weights;
}

Result<int> add_with_zeros(OnnxGraph& graph, const OnnxLayer& layer, const Transposed& t, int id) {
  std::vector<int64_t> pads(4);
  for (size_t axis = 0; axis < 2; ++axis) {
    id = with_zeros_between(graph, id, axis, t.stride[axis]);
    const int extent = graph.tensor(id).shape[1 + axis];
    // Leave out the zeros behind the last element: no window needs them.
    const int64_t first = t.reach(axis) - t.before[axis],
                  last = t.reach(axis) - t.after[axis] + t.more[axis] - (t.stride[axis] - 1);
    const int64_t low = std::max<int64_t>(0, -first), high = std::max<int64_t>(0, -last);
    if (low + high >= extent) return OnnxValues::invalid(t.node, "its pads leave nothing");
    if (low + high > 0) {
      std::vector<int64_t> places;
      for (int64_t at = low; at < extent - high; ++at) places.push_back(at);
      id = graph.gathered(id, static_cast<int>(1 + axis), places);
    }
    pads[axis] = std::max<int64_t>(first, 0);
    pads[axis + 2] = std::max<int64_t>(last, 0);
  }
  return convolved(graph, layer, t.node, id, turned(t, *layer.weights.tensor), std::move(pads));
}

}  // namespace

Result<int> add_transposed_convolution(OnnxGraph& graph, OnnxLayer layer) {
  const size_t rank = graph.tensor(layer.input).shape.size();
  TT_TRY_ASSIGN(const Transposed t, read(layer, rank));
  OnnxScale& scale = layer.weights.scale;
  if (scale.scales.size() > 1 && t.groups != 1)
    return OnnxValues::unsupported(t.node, "groups with several weight scales");
  if (scale.scales.size() > 1 && scale.axis != 1 && scale.axis != 1 - static_cast<int>(rank))
    return OnnxValues::unsupported(t.node, "weight scales along another axis than outputs");
  scale.axis = 0;
  const int image = as_image(graph, layer.input);
  if (graph.tensor(image).shape[3] != t.groups * t.group_in)
    return OnnxValues::invalid(t.node, "its weights do not fit its input");
  TT_TRY_ASSIGN(std::optional<int> result, add_phases(graph, layer, t, image));
  if (!result) {
    TT_TRY_ASSIGN(result, add_with_zeros(graph, layer, t, image));
  }
  return of_model_rank(graph, *result, rank);
}

}  // namespace tinytune
