#include "models/onnx/onnx_graph.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/integer_op.h"
#include "models/limits.h"

namespace tinytune {
namespace {

std::vector<int> permuted(const std::vector<int>& shape, const std::vector<int32_t>& axes) {
  std::vector<int> result;
  for (const int32_t axis : axes) result.push_back(shape[static_cast<size_t>(axis)]);
  return result;
}

}  // namespace

OnnxGraph::OnnxGraph(std::string name) {
  graph_.name = std::move(name);
  graph_.arithmetic = Arithmetic::kOnnx;
}

int OnnxGraph::add(const std::string& name, ElementType type, std::vector<int> shape,
                   Quantization q, bool channels_last) {
  Tensor tensor;
  tensor.id = static_cast<int>(graph_.tensors.size());
  tensor.name = name;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.quantization = std::move(q);
  graph_.tensors.push_back(std::move(tensor));
  channels_last_.push_back(channels_last);
  return graph_.tensors.back().id;
}

int OnnxGraph::add_constant(const std::string& name, ElementType type, std::vector<int> shape,
                            std::vector<uint8_t> data, Quantization q) {
  const int id = add(name, type, std::move(shape), std::move(q), false);
  graph_.tensors.back().is_constant = true;
  graph_.tensors.back().data = std::move(data);
  return id;
}

int OnnxGraph::add_numbers(const std::string& name, const std::vector<int32_t>& values,
                           std::vector<int> shape) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return add_constant(name, ElementType::kInt32, std::move(shape), std::move(bytes));
}

void OnnxGraph::add_operator(OperatorKind kind, std::vector<int> inputs, int output,
                             Attributes attributes) {
  const int index = static_cast<int>(graph_.operators.size());
  graph_.operators.push_back({index, kind, std::move(inputs), {output}, std::move(attributes)});
}

std::vector<int> OnnxGraph::onnx_shape(int id) const {
  const std::vector<int>& shape = tensor(id).shape;
  return channels_last(id) ? permuted(shape, {0, 3, 1, 2}) : shape;
}

int OnnxGraph::stored_axis(int id, int64_t axis) const {
  constexpr int kPlaces[] = {0, 3, 1, 2};
  return channels_last(id) ? kPlaces[axis] : static_cast<int>(axis);
}

int OnnxGraph::to_channels_last(int id) {
  return channels_last(id) ? id : transposed(id, {0, 2, 3, 1}, true);
}

int OnnxGraph::to_onnx_order(int id) {
  return channels_last(id) ? transposed(id, {0, 3, 1, 2}, false) : id;
}

int OnnxGraph::reshaped(int id, const std::vector<int>& shape, bool channels_last) {
  const Tensor from = tensor(id);
  const int to = add(from.name, from.type, shape, from.quantization, channels_last);
  add_operator(OperatorKind::kReshape, {id}, to);
  return to;
}

int OnnxGraph::transposed(int id, const std::vector<int32_t>& axes, bool channels_last) {
  const bool of_order = channels_last != this->channels_last(id);
  const auto known = other_order_.find({id, channels_last});
  if (of_order && known != other_order_.end()) return known->second;
  const Tensor from = tensor(id);
  const std::vector<int> shape = permuted(from.shape, axes);
  // Axes of extent 1 do not affect the order of the bytes.
  std::vector<int> moved;
  for (const int32_t axis : axes)
    if (from.shape[static_cast<size_t>(axis)] != 1) moved.push_back(axis);
  int to;
  if (std::is_sorted(moved.begin(), moved.end())) {
    to = reshaped(id, shape, channels_last);
  } else {
    to = add(from.name, from.type, shape, from.quantization, channels_last);
    const int order = add_numbers("axes", axes, {static_cast<int>(axes.size())});
    add_operator(OperatorKind::kTranspose, {id, order}, to);
  }
  if (of_order) other_order_[{id, channels_last}] = to;
  return to;
}

int OnnxGraph::concatenated(const std::vector<int>& ids, int stored_axis) {
  const Tensor first = tensor(ids.at(0));
  std::vector<int> shape = first.shape;
  const auto axis = static_cast<size_t>(stored_axis);
  shape[axis] = 0;
  for (const int id : ids) shape[axis] += tensor(id).shape[axis];
  const int to = add(first.name, first.type, shape, first.quantization, channels_last(first.id));
  add_operator(OperatorKind::kConcatenation, ids, to, AxisAttributes{stored_axis});
  return to;
}

int OnnxGraph::gathered(int id, int stored_axis, const std::vector<int64_t>& places) {
  const Tensor from = tensor(id);
  std::vector<int> shape = from.shape;
  const auto count = static_cast<int>(places.size());
  shape[static_cast<size_t>(stored_axis)] = count;
  const int at = add_numbers("places", std::vector<int32_t>(places.begin(), places.end()), {count});
  const int to = add(from.name, from.type, shape, from.quantization, channels_last(id));
  add_operator(OperatorKind::kGather, {id, at}, to, GatherAttributes{stored_axis, 0});
  return to;
}

int OnnxGraph::zero_of(int id) const {
  const std::vector<int32_t>& zero_points = tensor(id).quantization.zero_points;
  return zero_points.empty() ? 0 : zero_points[0];
}

int OnnxGraph::padded(int id, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                      int value) {
  const Tensor from = tensor(id);
  std::vector<int> shape = from.shape;
  std::vector<int32_t> pads;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] += static_cast<int>(before[axis] + after[axis]);
    pads.insert(pads.end(),
                {static_cast<int32_t>(before[axis]), static_cast<int32_t>(after[axis])});
  }
  const int amounts = add_numbers("pads", pads, {static_cast<int>(shape.size()), 2});
  std::vector<uint8_t> element(size_of(from.type));
  std::memcpy(element.data(), &value, std::min(element.size(), sizeof value));
  const int fill = add_constant("fill", from.type, {}, std::move(element), from.quantization);
  const int to = add(from.name, from.type, shape, from.quantization, channels_last(id));
  add_operator(OperatorKind::kPadV2, {id, amounts, fill}, to);
  return to;
}

void OnnxGraph::give_quantization(int id, Quantization q) {
  graph_.tensors[static_cast<size_t>(id)].quantization = std::move(q);
}

Result<Graph> OnnxGraph::finish() && {
  ModelSize size;
  for (const Tensor& t : graph_.tensors)
    TT_TRY(t.is_constant ? size.add_constant(t.bytes()) : size.add_activation(t.bytes()));
  for (const Operator& op : graph_.operators) {
    TT_TRY_ASSIGN(const IntegerOp form, prepare(graph_, op));
    TT_TRY(size.add_operations(operations_of(form)));
  }
  return std::move(graph_);
}

}  // namespace tinytune
