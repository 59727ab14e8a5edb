// Operators that move bytes without changing them: new shapes, concatenations, slices, pads.
#include <algorithm>
#include <limits>

#include "models/limits.h"
#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_shapes.h"

namespace tinytune {
namespace {

using Data = std::vector<int>;

Result<int64_t> axis_within(const OnnxNode& node, int64_t axis, size_t rank) {
  const auto axes = static_cast<int64_t>(rank);
  if (axis < 0) axis += axes;
  if (axis < 0 || axis >= axes) return OnnxValues::invalid(node, "an axis out of range");
  return axis;
}

int rank_of(OnnxImport& import, int id) {
  return static_cast<int>(import.graph().tensor(id).shape.size());
}

// Takes a range of places along an axis of the model.
int range(OnnxGraph& graph, int id, int64_t axis, const OnnxRange& range) {
  const int stored = graph.stored_axis(id, axis);
  const Tensor from = graph.tensor(id);
  const auto at = static_cast<size_t>(stored);
  if (range.count == from.shape[at] && range.step == 1) return id;
  if (range.step != 1) return graph.gathered(id, stored, range.places());
  const auto rank = static_cast<int>(from.shape.size());
  std::vector<int32_t> begin(from.shape.size(), 0), size(from.shape.begin(), from.shape.end());
  begin[at] = static_cast<int32_t>(range.first);
  size[at] = static_cast<int32_t>(range.count);
  const std::vector<int> shape(size.begin(), size.end());
  const int to = graph.add(from.name, from.type, shape, from.quantization, graph.channels_last(id));
  const int begins = graph.add_numbers("begin", begin, {rank});
  graph.add_operator(OperatorKind::kSlice, {id, begins, graph.add_numbers("size", size, {rank})},
                     to);
  return to;
}

}  // namespace

Result<int> import_same(OnnxImport&, const OnnxNode& node, int output, const Data& data) {
  if (output != 0) return OnnxValues::unsupported(node, "its second output");
  return data[0];
}

// Imports Cast of real numbers to float32, which changes nothing.
Result<int> import_cast(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  constexpr int64_t kFloat = 1;
  if (node.get("to", kFloat) != kFloat || import.values().find_bytes(node.inputs[0]) != nullptr)
    return OnnxValues::unsupported(node, "other than from float32 to float32");
  return data[0];
}

Result<int> import_reshape(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  const OnnxTensor* given = nullptr;
  if (node.has_input(1)) {
    given = import.values().constant(node.inputs[1]);
    if (given == nullptr) return OnnxValues::unsupported(node, "a shape that is no constant");
  }
  TT_TRY_ASSIGN(const std::vector<int> result,
                reshaped_shape(node, graph.onnx_shape(data[0]), given));
  return graph.reshaped(graph.to_onnx_order(data[0]), result, false);
}

Result<int> import_transpose(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  const int from = data[0];
  std::vector<int64_t> reversed;
  for (int64_t axis = rank_of(import, from); axis-- > 0;) reversed.push_back(axis);
  const std::vector<int64_t> given = node.get("perm", reversed);
  std::vector<int32_t> axes(given.begin(), given.end());
  std::vector<int32_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < reversed.size(); ++i)
    if (axes.size() != reversed.size() || sorted[i] != static_cast<int32_t>(i))
      return OnnxValues::invalid(node, "perm is no permutation");
  // A transposition between NCHW and NHWC whose result is stored already: no byte moves.
  if (axes == std::vector<int32_t>{0, 2, 3, 1} && graph.channels_last(from))
    return graph.reshaped(from, graph.tensor(from).shape, false);
  if (axes == std::vector<int32_t>{0, 3, 1, 2} && !graph.channels_last(from))
    return graph.reshaped(from, graph.tensor(from).shape, true);
  return graph.transposed(graph.to_onnx_order(from), axes, false);
}

Result<int> import_concat(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  const std::vector<int> first = graph.onnx_shape(data[0]);
  TT_TRY_ASSIGN(const int64_t axis, axis_within(node, node.get("axis", int64_t{0}), first.size()));
  const bool last =
      std::any_of(data.begin(), data.end(), [&](int id) { return graph.channels_last(id); });
  Data parts;
  for (const int id : data) {
    std::vector<int> shape = graph.onnx_shape(id);
    if (shape.size() != first.size())
      return OnnxValues::invalid(node, "its operands have different numbers of axes");
    shape[static_cast<size_t>(axis)] = first[static_cast<size_t>(axis)];
    if (shape != first) return OnnxValues::invalid(node, "its operands do not fit");
    parts.push_back(last ? graph.to_channels_last(id) : id);
  }
  return graph.concatenated(parts, graph.stored_axis(parts[0], axis));
}

Result<int> import_slice(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  TT_TRY_ASSIGN(const auto ranges,
                sliced_ranges(node, graph.onnx_shape(data[0]), import.values().constants(node)));
  int id = data[0];
  for (const OnnxRange& part : ranges) id = range(graph, id, static_cast<int64_t>(part.axis), part);
  return id;
}

Result<int> import_split(OnnxImport& import, const OnnxNode& node, int output, const Data& data) {
  OnnxGraph& graph = import.graph();
  const std::vector<int> shape = graph.onnx_shape(data[0]);
  TT_TRY_ASSIGN(const int64_t axis, axis_within(node, node.get("axis", int64_t{0}), shape.size()));
  const int64_t extent = shape[static_cast<size_t>(axis)];
  TT_TRY_ASSIGN(auto given, import.values().numbers(node, "split", 1));
  const auto count = static_cast<int64_t>(node.outputs.size());
  if (!given) {  // equal parts, the last one smaller if they do not divide the axis
    const int64_t part = (extent + count - 1) / count;
    given.emplace();
    for (int64_t at = 0; at < extent; at += part) given->push_back(std::min(part, extent - at));
  }
  OnnxRange part{static_cast<size_t>(axis), 0, 1, 0};
  for (int i = 0; i <= output; ++i) {
    part.first += part.count;
    part.count = i < static_cast<int>(given->size()) ? (*given)[static_cast<size_t>(i)] : 0;
    if (part.count < 1 || part.count > extent - part.first)
      return OnnxValues::invalid(node, "its parts do not fit its input");
  }
  return range(graph, data[0], axis, part);
}

Result<int> import_gather(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  const std::vector<int> shape = graph.onnx_shape(data[0]);
  TT_TRY_ASSIGN(const int64_t axis, axis_within(node, node.get("axis", int64_t{0}), shape.size()));
  const OnnxTensor* at = node.has_input(1) ? import.values().constant(node.inputs[1]) : nullptr;
  if (at == nullptr) return OnnxValues::unsupported(node, "places that are no constants");
  const int64_t extent = shape[static_cast<size_t>(axis)];
  std::vector<int64_t> places;
  for (size_t i = 0; i < static_cast<size_t>(at->elements()); ++i) {
    const int64_t place = at->integer(i);
    places.push_back(place < 0 ? place + extent : place);
    if (places.back() < 0 || places.back() >= extent)
      return OnnxValues::invalid(node, "a place outside its input");
  }
  if (places.empty()) return OnnxValues::invalid(node, "no places");
  const int id = graph.gathered(data[0], graph.stored_axis(data[0], axis), places);
  if (at->shape.size() == 1) return id;
  std::vector<int> result(shape.begin(), shape.begin() + axis);
  result.insert(result.end(), at->shape.begin(), at->shape.end());
  result.insert(result.end(), shape.begin() + axis + 1, shape.end());
  return graph.reshaped(graph.to_onnx_order(id), result, false);
}

// Returns the place inside the axis whose element pads `place`, by Pad's mode.
int64_t padded_place(int64_t place, int64_t extent, const std::string& mode) {
  if (mode == "edge") return std::clamp<int64_t>(place, 0, extent - 1);
  if (mode == "wrap") return (place % extent + extent) % extent;
  if (place < 0) place = -place;
  return place >= extent ? 2 * (extent - 1) - place : place;
}

Result<int> import_pad(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  TT_TRY_ASSIGN(auto pads, import.values().numbers(node, "pads", 1));
  TT_TRY_ASSIGN(auto axes, import.values().numbers(node, "axes", 3));
  const std::vector<int> shape = graph.onnx_shape(data[0]);
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < shape.size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (!pads || pads->size() != 2 * axes->size())
    return OnnxValues::invalid(node, "its pads do not fit its axes");
  const auto given = node.strings.find("mode");
  const std::string mode = given == node.strings.end() ? "constant" : given->second;
  int id = data[0];
  std::vector<int64_t> before(shape.size(), 0), after(shape.size(), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    TT_TRY_ASSIGN(const int64_t axis, axis_within(node, (*axes)[i], shape.size()));
    const int64_t first = (*pads)[i], last = (*pads)[i + axes->size()];
    const int64_t extent = shape[static_cast<size_t>(axis)];
    if (std::max(std::abs(first), std::abs(last)) > INT16_MAX || extent + first + last < 1 ||
        extent + std::min<int64_t>(first, 0) + std::min<int64_t>(last, 0) < 1)
      return OnnxValues::invalid(node, "a pad out of range");
    const int stored = graph.stored_axis(id, axis);
    if (mode != "constant") {
      if (mode == "reflect" && std::max(first, last) >= extent)
        return OnnxValues::invalid(node, "a reflection beyond its input");
      if (first == 0 && last == 0) continue;
      std::vector<int64_t> places;
      for (int64_t at = -first; at < extent + last; ++at)
        places.push_back(padded_place(at, extent, mode));
      id = graph.gathered(id, stored, places);
      continue;
    }
    const OnnxRange kept{static_cast<size_t>(axis), std::max<int64_t>(0, -first), 1,
                         extent + std::min<int64_t>(first, 0) + std::min<int64_t>(last, 0)};
    id = range(graph, id, axis, kept);
    before[static_cast<size_t>(stored)] = std::max<int64_t>(first, 0);
    after[static_cast<size_t>(stored)] = std::max<int64_t>(last, 0);
  }
  const bool none = std::all_of(before.begin(), before.end(), [](int64_t n) { return n == 0; }) &&
                    std::all_of(after.begin(), after.end(), [](int64_t n) { return n == 0; });
  if (none) return id;
  // The padding value is a real number, a byte if the node moves bytes, or an int32.
  const bool is_wide = graph.tensor(id).type == ElementType::kInt32;
  const float scale = is_wide ? 1 : graph.tensor(id).quantization.scales[0];
  const std::pair<double, double> limits =
      is_wide ? std::pair<double, double>(INT32_MIN, INT32_MAX) : std::pair(-128.0, 127.0);
  const OnnxBytes* bytes = import.values().find_bytes(node.outputs[0]);
  const int offset = bytes != nullptr && bytes->type == ElementType::kUint8 ? 128 : 0;
  double value = node.floats.count("value") != 0
                     ? node.get_float("value", 0)
                     : static_cast<double>(node.get("value", int64_t{0}));
  if (node.has_input(2)) {
    const OnnxTensor* number = import.values().constant(node.inputs[2]);
    if (number == nullptr) {
      const auto real = import.values().real(node, node.inputs[2]);
      if (!real || real->constant.tensor == nullptr || real->constant.tensor->elements() != 1)
        return OnnxValues::unsupported(node, "a value to pad with that is no constant");
      value = real->constant.real(0, 0);
    } else if (number->elements() == 1) {
      value = number->at(0);
    }
  }
  const double byte = bytes != nullptr
                          ? value - offset
                          : std::nearbyint(static_cast<float>(value) / scale) + graph.zero_of(id);
  return graph.padded(id, before, after,
                      static_cast<int>(std::clamp(byte, limits.first, limits.second)));
}

Result<int> import_expand(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  OnnxGraph& graph = import.graph();
  TT_TRY_ASSIGN(const auto wanted, import.values().numbers(node, "shape", 1));
  const int from = graph.to_onnx_order(data[0]);
  const Tensor tensor = graph.tensor(from);
  std::vector<int> shape = tensor.shape;
  if (!wanted) return OnnxValues::unsupported(node, "no shape");
  if (wanted->size() > shape.size()) shape.insert(shape.begin(), wanted->size() - shape.size(), 1);
  for (size_t i = 0; i < wanted->size(); ++i) {
    int& extent = shape[shape.size() - wanted->size() + i];
    const int64_t to = (*wanted)[i];
    if (to < 1 || to > INT32_MAX || (extent != 1 && to != 1 && to != extent))
      return OnnxValues::invalid(node, "its shape does not fit its input");
    extent = std::max(extent, static_cast<int>(to));
  }
  int64_t elements = 1;
  for (const int extent : shape)
    if ((elements *= extent) > kMostTensorBytes)
      return OnnxValues::invalid(node, "its shape is too large");
  if (shape == tensor.shape) return data[0];
  const int to = graph.add(node.outputs[0], tensor.type, shape, tensor.quantization, false);
  const int numbers = graph.add_numbers("shape", std::vector<int32_t>(shape.begin(), shape.end()),
                                        {static_cast<int>(shape.size())});
  graph.add_operator(OperatorKind::kBroadcastTo, {from, numbers}, to);
  return to;
}

namespace {

Result<int> blocks(OnnxImport& import, const OnnxNode& node, int input, bool to_space) {
  OnnxGraph& graph = import.graph();
  const auto mode = node.strings.find("mode");
  if (mode != node.strings.end() && mode->second != "DCR")
    return OnnxValues::unsupported(node, "mode " + mode->second);
  const int64_t size = node.get("blocksize", int64_t{0});
  if (rank_of(import, input) != 4 || size < 1 || size > INT16_MAX)
    return OnnxValues::invalid(node, "its blocks");
  const int image = graph.to_channels_last(input), n = static_cast<int>(size);
  const Tensor from = graph.tensor(image);
  std::vector<int> shape = from.shape;
  if (to_space ? shape[3] % (size * size) != 0 : shape[1] % n != 0 || shape[2] % n != 0)
    return OnnxValues::invalid(node, "its blocks do not fit its input");
  shape[1] = to_space ? shape[1] * n : shape[1] / n;
  shape[2] = to_space ? shape[2] * n : shape[2] / n;
  shape[3] = to_space ? shape[3] / (n * n) : shape[3] * (n * n);
  const int to = graph.add(node.outputs[0], from.type, shape, from.quantization, true);
  graph.add_operator(to_space ? OperatorKind::kDepthToSpace : OperatorKind::kSpaceToDepth, {image},
                     to, BlockAttributes{n});
  return to;
}

}  // namespace

Result<int> import_depth_to_space(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  return blocks(import, node, data[0], true);
}

Result<int> import_space_to_depth(OnnxImport& import, const OnnxNode& node, int, const Data& data) {
  return blocks(import, node, data[0], false);
}

// Inputs: the result's scale and zero point, then each operand with scale and zero point.
Result<OnnxResult> import_qlinear_concat(OnnxImport& import, const OnnxNode& node) {
  if (node.inputs.size() < 5 || (node.inputs.size() - 2) % 3 != 0)
    return OnnxValues::invalid(node, "a wrong number of inputs");
  std::vector<OnnxOperand> operands;
  for (size_t i = 2; i < node.inputs.size(); i += 3) {
    TT_TRY_ASSIGN(OnnxOperand operand, import.operand_at(node, i));
    operands.push_back(std::move(operand));
  }
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 0, operands[0]));
  Data parts;
  for (const OnnxOperand& operand : operands)
    parts.push_back(scale.equals(import.graph().tensor(operand.id).quantization)
                        ? operand.id
                        : import.mapped(node, OperatorKind::kQuantize, operand.id, scale));
  TT_TRY_ASSIGN(const int id, import_concat(import, node, 0, parts));
  return OnnxResult{id, scale.type};
}

}  // namespace tinytune
