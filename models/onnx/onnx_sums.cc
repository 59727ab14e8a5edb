// Conv, MatMul and Gemm of plain integers: sums that wait for their bias and their RequantShift.
//
// With constant 8-bit weights, and one scaling or one per channel, sums and scaling become one
// convolution or dense layer, whose kernel scales sums as it stores them. Before that, a graph of
// the layer alone proves that a kernel does so exactly (ADR 8). Anything else becomes int32
// products, followed by separate operators.
#include <algorithm>
#include <cmath>

#include "models/integer_op.h"
#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_integers.h"
#include "models/onnx/onnx_layers.h"
#include "models/onnx/onnx_products.h"
#include "models/onnx/onnx_windows.h"
#include "schedules/requantise.h"

namespace tinytune {
namespace {

OnnxProduct int32_sums() { return {ElementType::kInt32, {}, OperatorKind::kIntegerMatMul, {}}; }

// Returns whether exact fused requantisation is proved for every kernel of the graph.
Result<bool> scales_exactly(OnnxGraph graph) {
  TT_TRY_ASSIGN(const Graph made, std::move(graph).finish());
  for (const Operator& op : made.operators) {
    TT_TRY_ASSIGN(const IntegerOp form, prepare(made, op));
    const auto* kernel = std::get_if<KernelOp>(&form);
    if (kernel != nullptr && !fuse_requantise(kernel->workload, kernel->data)) return false;
  }
  return true;
}

// A convolution or a product by constant weights.
class LayerSums : public OnnxSums {
 public:
  struct Layer {
    const OnnxNode& node;
    int input;
    OnnxTensor weights;  ///< int8 or uint8
    bool is_convolution = true, transposed = false;
    std::vector<int> shape;  ///< of the result
    std::vector<int32_t> bias;
  };
  explicit LayerSums(Layer layer) : layer_(std::move(layer)) {}

  std::vector<int> shape(OnnxIntegers&) const override { return layer_.shape; }

  Result<std::optional<int>> scaled(OnnxIntegers& integers,
                                    const OnnxScaling& scaling) const override {
    if (!scaling.is_along(channel_axis(), layer_.shape.size())) return std::optional<int>();
    OnnxScaling rising = scaling;
    const auto layer = turned(rising);
    return layer ? LayerSums(*layer).scaled_rising(integers, rising) : std::optional<int>();
  }

  Result<int> stored(OnnxIntegers& integers) const override {
    OnnxGraph& graph = integers.graph();
    const int weights =
        graph.add_constant("weights", ElementType::kInt8, stored_weights().shape,
                           stored_weights().data, plain_quantization(layer_.weights.type));
    const auto add = layer_.is_convolution ? add_computed_convolution : add_computed_product;
    TT_TRY_ASSIGN(const int sums, add(graph, layer_.node, layer_.input, weights, int32_sums()));
    if (layer_.bias.empty()) return sums;
    std::vector<int> bias_shape = {static_cast<int>(layer_.bias.size())};
    if (layer_.is_convolution) bias_shape.resize(layer_.shape.size() - 1, 1);
    const int bias = graph.add_numbers("bias", layer_.bias, bias_shape);
    const int to = graph.add(layer_.node.outputs[0], ElementType::kInt32, layer_.shape, {}, false);
    graph.add_operator(OperatorKind::kIntegerAdd, {sums, bias}, to);
    return to;
  }

  std::shared_ptr<const OnnxSums> plus(const OnnxTensor& constant) const override {
    const size_t rank = layer_.shape.size();
    if (constant.shape.size() > rank) return nullptr;
    for (size_t i = 0; i < constant.shape.size(); ++i)
      if (constant.shape[i] != 1 && rank - constant.shape.size() + i != channel_axis())
        return nullptr;
    const auto channels = static_cast<size_t>(layer_.shape[channel_axis()]);
    const auto given = static_cast<size_t>(constant.elements());
    if (given != 1 && given != channels) return nullptr;
    Layer layer = layer_;
    layer.bias.resize(channels, 0);
    for (size_t c = 0; c < channels; ++c) {
      const double sum = layer.bias[c] + constant.at(given == 1 ? 0 : c);
      if (sum != std::nearbyint(sum) || sum < INT32_MIN || sum > INT32_MAX) return nullptr;
      layer.bias[c] = static_cast<int32_t>(sum);
    }
    return std::make_shared<LayerSums>(std::move(layer));
  }

 private:
  Result<std::optional<int>> scaled_rising(OnnxIntegers& integers,
                                           const OnnxScaling& scaling) const {
    OnnxGraph& graph = integers.graph();
    const Tensor input = graph.tensor(layer_.input);
    OnnxGraph alone("proof");
    const int same = alone.add(input.name, input.type, input.shape, input.quantization,
                               graph.channels_last(layer_.input));
    if (!add_to(alone, same, scaling)) return std::optional<int>();
    const auto exact = scales_exactly(std::move(alone));
    if (!exact || !*exact) return std::optional<int>();
    TT_TRY_ASSIGN(const int id, add_to(graph, layer_.input, scaling));
    return std::optional(id);
  }

  // Makes multipliers positive: negates a negative one with its channel's weights and bias. Returns
  // nullopt if a number has no negative of its type.
  std::optional<Layer> turned(OnnxScaling& scaling) const {
    Layer layer = layer_;
    const auto channels = static_cast<size_t>(layer_.shape[channel_axis()]);
    const size_t inner = layer.weights.data.size() / channels;
    const bool by_rows = !layer_.is_convolution && !layer_.transposed;
    for (size_t c = 0; c < channels; ++c) {
      if (scaling.multiplier[scaling.multiplier.size() > 1 ? c : 0] >= 0) continue;
      if (layer.weights.type != ElementType::kInt8) return std::nullopt;
      for (size_t i = 0; i < inner; ++i) {
        uint8_t& weight = layer.weights.data[by_rows ? i * channels + c : c * inner + i];
        if (weight == 0x80) return std::nullopt;
        weight = static_cast<uint8_t>(-weight);
      }
      if (layer.bias.empty()) continue;
      if (layer.bias[c] == INT32_MIN) return std::nullopt;
      layer.bias[c] = -layer.bias[c];
    }
    for (int32_t& multiplier : scaling.multiplier) {
      if (multiplier == INT32_MIN) return std::nullopt;
      multiplier = std::abs(multiplier);
    }
    return layer;
  }

  size_t channel_axis() const { return layer_.is_convolution ? 1 : layer_.shape.size() - 1; }

  Result<int> add_to(OnnxGraph& graph, int input, const OnnxScaling& scaling) const {
    OnnxLayer layer{layer_.node,
                    input,
                    {&layer_.weights, plain_scale(layer_.weights.type)},
                    {},
                    plain_scale(scaling.type),
                    Activation::kNone,
                    scaling.operands(graph)};
    if (!layer_.bias.empty()) layer.bias = layer_.bias;
    return layer_.is_convolution ? add_convolution(graph, layer)
                                 : add_product(graph, layer, layer_.transposed);
  }

  // Returns the weights as the graph's int8; those of a product by rows.
  OnnxTensor stored_weights() const {
    OnnxTensor weights = layer_.weights;
    if (weights.type == ElementType::kUint8)
      for (uint8_t& byte : weights.data) byte ^= 0x80;
    if (layer_.is_convolution || !layer_.transposed) return weights;
    const auto columns = static_cast<size_t>(weights.shape[0]),
               rows = static_cast<size_t>(weights.shape[1]);
    OnnxTensor turned = weights;
    std::swap(turned.shape[0], turned.shape[1]);
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        turned.data[row * columns + column] = weights.data[column * rows + row];
    return turned;
  }

  Layer layer_;
};

// A product of two tensors of the graph.
class ProductSums : public OnnxSums {
 public:
  ProductSums(const OnnxNode& node, int left, int right, std::vector<int> shape)
      : node_(node), left_(left), right_(right), shape_(std::move(shape)) {}

  std::vector<int> shape(OnnxIntegers&) const override { return shape_; }
  Result<int> stored(OnnxIntegers& integers) const override {
    return add_computed_product(integers.graph(), node_, left_, right_, int32_sums());
  }
  Result<std::optional<int>> scaled(OnnxIntegers& integers,
                                    const OnnxScaling& scaling) const override {
    OnnxGraph& graph = integers.graph();
    const auto is_wide = [&](int id) { return graph.tensor(id).type == ElementType::kInt32; };
    if (is_wide(left_) || is_wide(right_) || !scaling.is_single() || scaling.multiplier[0] < 1)
      return std::optional<int>();
    const OnnxProduct result{ElementType::kInt8, plain_quantization(scaling.type),
                             OperatorKind::kIntegerMatMul, scaling.operands(graph)};
    TT_TRY_ASSIGN(const int id, add_computed_product(graph, node_, left_, right_, result));
    return std::optional(id);
  }
  std::shared_ptr<const OnnxSums> plus(const OnnxTensor&) const override { return nullptr; }

 private:
  const OnnxNode& node_;
  int left_, right_;
  std::vector<int> shape_;
};

OnnxWhole waiting(std::shared_ptr<const OnnxSums> sums) {
  return {-1, ElementType::kInt32, {}, std::move(sums)};
}

// Returns constant weights times `factor` as bytes; nullopt if they are computed or exceed a byte.
Result<std::optional<OnnxTensor>> byte_weights(OnnxIntegers& integers, const OnnxNode& node,
                                               double factor) {
  const OnnxTensor* given = integers.constant(node, 1);
  if (given == nullptr || given->elements() < 1) return std::optional<OnnxTensor>();
  TT_TRY_ASSIGN(const auto values, integers.numbers(node, *given));
  OnnxTensor weights{ElementType::kInt8, given->shape, {}};
  const auto by = static_cast<int64_t>(factor);
  const auto within = [&](int64_t low, int64_t high) {
    return std::all_of(values.begin(), values.end(),
                       [&](int64_t v) { return v * by >= low && v * by <= high; });
  };
  if (!within(-128, 127)) {
    if (!within(0, 255)) return std::optional<OnnxTensor>();
    weights.type = ElementType::kUint8;
  }
  for (const int64_t value : values) weights.data.push_back(static_cast<uint8_t>(value * by));
  return std::optional(std::move(weights));
}

// Returns a matrix product's shape; an operand of one axis is a row on the left, a column on the
// right.
Result<std::vector<int>> product_shape(const OnnxNode& node, std::vector<int> a,
                                       std::vector<int> b) {
  if (a.empty() || b.empty()) return OnnxValues::invalid(node, "a product of a single number");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.back() != b[b.size() - 2]) return OnnxValues::invalid(node, "its operands do not fit");
  std::vector<int> shape(std::max(a.size(), b.size()), 1);
  for (const std::vector<int>* operand : {&a, &b})
    for (size_t i = 0; i + 2 < operand->size(); ++i) {
      int& extent = shape[shape.size() - operand->size() + i];
      const int own = (*operand)[i];
      if (extent != 1 && own != 1 && own != extent)
        return OnnxValues::invalid(node, "its operands do not fit");
      extent = std::max(extent, own);
    }
  shape[shape.size() - 2] = a[a.size() - 2];
  shape.back() = b.back();
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  return shape;
}

Result<OnnxWhole> product_of(OnnxIntegers& integers, const OnnxNode& node, int left, int right) {
  OnnxGraph& graph = integers.graph();
  TT_TRY_ASSIGN(std::vector<int> shape,
                product_shape(node, graph.onnx_shape(left), graph.onnx_shape(right)));
  return waiting(std::make_shared<ProductSums>(node, left, right, std::move(shape)));
}

// Returns the product by a constant matrix on the right.
Result<OnnxWhole> dense(OnnxIntegers& integers, const OnnxNode& node, int left, OnnxTensor weights,
                        bool transposed) {
  OnnxGraph& graph = integers.graph();
  std::vector<int> shape = graph.onnx_shape(left);
  if (shape.empty() || shape.back() != weights.shape[transposed ? 1 : 0])
    return OnnxValues::invalid(node, "its weights do not fit its input");
  shape.back() = weights.shape[transposed ? 0 : 1];
  return waiting(std::make_shared<LayerSums>(LayerSums::Layer{
      node, graph.to_onnx_order(left), std::move(weights), false, transposed, shape, {}}));
}

// Returns whether a constant is one matrix, possibly with leading axes of extent 1.
bool is_one_matrix(const OnnxTensor& weights, size_t left_rank) {
  const std::vector<int>& shape = weights.shape;
  return shape.size() >= 2 && shape.size() <= std::max<size_t>(left_rank, 2) &&
         std::all_of(shape.begin(), shape.end() - 2, [](int n) { return n == 1; });
}

int exchanged(OnnxGraph& graph, int id) {
  const int from = graph.to_onnx_order(id);
  std::vector<int32_t> axes;
  for (size_t i = 0; i < graph.tensor(from).shape.size(); ++i)
    axes.push_back(static_cast<int32_t>(i));
  if (axes.size() >= 2) std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return graph.transposed(from, axes, false);
}

}  // namespace

Result<OnnxWhole> import_integer_conv(OnnxIntegers& integers, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int image, integers.tensor(node, 0));
  TT_TRY_ASSIGN(std::optional<OnnxTensor> weights, byte_weights(integers, node, 1));
  OnnxGraph& graph = integers.graph();
  const bool is_bytes = graph.tensor(image).type == ElementType::kInt8;
  const OnnxTensor* bias = integers.constant(node, 2);
  if (node.has_input(2) && bias == nullptr)
    return OnnxValues::unsupported(node, "a bias that is no constant");
  if (!weights || !is_bytes) {
    TT_TRY_ASSIGN(const int kernel, integers.tensor(node, 1));
    TT_TRY_ASSIGN(const int id, add_computed_convolution(graph, node, image, kernel, int32_sums()));
    if (bias == nullptr) return OnnxWhole{id, ElementType::kInt32, {}, nullptr};
    TT_TRY_ASSIGN(const auto numbers, integers.numbers(node, *bias));
    std::vector<int> shape = graph.tensor(id).shape, bias_shape(shape.size() - 1, 1);
    bias_shape[0] = static_cast<int>(numbers.size());
    const int to = graph.add(node.outputs[0], ElementType::kInt32, shape, {}, false);
    graph.add_operator(OperatorKind::kIntegerAdd,
                       {id, graph.add_numbers("bias", numbers, bias_shape)}, to);
    return OnnxWhole{to, ElementType::kInt32, {}, nullptr};
  }
  std::vector<int> shape = graph.onnx_shape(image), kernel = weights->shape;
  TT_TRY_ASSIGN(const size_t rank, give_two_axes(node, shape, kernel));
  TT_TRY_ASSIGN(const OnnxWindows w,
                windows_of(with_two_axes(node, rank), shape[2], shape[3], kernel[2], kernel[3]));
  std::vector<int> result = {shape[0], kernel[0], w.out_h, w.out_w};
  if (rank == 3) result.erase(result.begin() + 2);
  LayerSums::Layer layer{node, image, std::move(*weights), true, false, std::move(result), {}};
  if (bias != nullptr) {
    TT_TRY_ASSIGN(layer.bias, integers.numbers(node, *bias));
  }
  if (!layer.bias.empty() && static_cast<int>(layer.bias.size()) != layer.shape[1])
    return OnnxValues::invalid(node, "its bias does not fit its weights");
  return waiting(std::make_shared<LayerSums>(std::move(layer)));
}

Result<OnnxWhole> import_integer_product(OnnxIntegers& integers, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int left, integers.tensor(node, 0));
  OnnxGraph& graph = integers.graph();
  if (graph.tensor(left).type == ElementType::kInt8 && !graph.tensor(left).is_constant) {
    TT_TRY_ASSIGN(std::optional<OnnxTensor> weights, byte_weights(integers, node, 1));
    if (weights && is_one_matrix(*weights, graph.tensor(left).shape.size())) {
      weights->shape.erase(weights->shape.begin(), weights->shape.end() - 2);
      return dense(integers, node, left, std::move(*weights), false);
    }
  }
  TT_TRY_ASSIGN(const int right, integers.tensor(node, 1));
  return product_of(integers, node, left, right);
}

// alpha * A * B + beta * C.
Result<OnnxWhole> import_integer_gemm(OnnxIntegers& integers, const OnnxNode& node) {
  const int64_t alpha = OnnxIntegers::attribute(node, "alpha").value_or(1);
  const int64_t beta = OnnxIntegers::attribute(node, "beta").value_or(1);
  const bool transposed = node.get("transB", int64_t{0}) != 0;
  OnnxGraph& graph = integers.graph();
  TT_TRY_ASSIGN(int left, integers.tensor(node, 0));
  if (node.get("transA", int64_t{0}) != 0) left = exchanged(graph, left);
  TT_TRY_ASSIGN(std::optional<OnnxTensor> weights,
                byte_weights(integers, node, static_cast<double>(alpha)));
  const bool is_dense = weights && weights->shape.size() == 2 &&
                        graph.tensor(left).type == ElementType::kInt8 &&
                        !graph.tensor(left).is_constant;
  OnnxWhole product;
  if (is_dense) {
    TT_TRY_ASSIGN(product, dense(integers, node, left, std::move(*weights), transposed));
  } else {
    TT_TRY_ASSIGN(int right, integers.tensor(node, 1));
    if (transposed) right = exchanged(graph, right);
    TT_TRY_ASSIGN(product, product_of(integers, node, left, right));
  }
  const bool is_multiplied = !is_dense && alpha != 1;
  if (!node.has_input(2) && !is_multiplied) return product;
  const OnnxTensor* constant = integers.constant(node, 2);
  if (constant != nullptr && !is_multiplied) {
    TT_TRY_ASSIGN(auto numbers, integers.numbers(node, *constant));
    OnnxTensor scaled{ElementType::kInt32, constant->shape, {}};
    for (int32_t& number : numbers) {
      number = static_cast<int32_t>(number * beta);
      const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
      scaled.data.insert(scaled.data.end(), bytes, bytes + sizeof number);
    }
    if (auto sums = product.sums->plus(scaled)) return waiting(std::move(sums));
  }
  // Otherwise separate operators multiply and add.
  TT_TRY_ASSIGN(int id, product.sums->stored(integers));
  const std::vector<int> shape = graph.tensor(id).shape;
  const auto then = [&](OperatorKind kind, int first, int second, std::vector<int> of) {
    const int to = graph.add(node.outputs[0], ElementType::kInt32, std::move(of), {}, false);
    graph.add_operator(kind, {first, second}, to);
    return to;
  };
  const auto number = [&](int64_t value) {
    return graph.add_numbers("factor", {static_cast<int32_t>(value)}, {});
  };
  if (is_multiplied) id = then(OperatorKind::kIntegerMul, id, number(alpha), shape);
  if (node.has_input(2)) {
    TT_TRY_ASSIGN(int added, integers.tensor(node, 2));
    added = graph.to_onnx_order(added);
    if (beta != 1 && !graph.tensor(added).is_constant)
      added = then(OperatorKind::kIntegerMul, added, number(beta), graph.tensor(added).shape);
    else if (beta != 1)
      return OnnxValues::unsupported(node, "beta other than 1 of a constant matrix");
    id = then(OperatorKind::kIntegerAdd, id, added, shape);
  }
  return OnnxWhole{id, ElementType::kInt32, {}, nullptr};
}

}  // namespace tinytune
