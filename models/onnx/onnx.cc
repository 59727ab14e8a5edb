#include "models/onnx/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/onnx/onnx_layers.h"
#include "models/onnx/onnx_shapes.h"
#include "models/onnx/onnx_values.h"
#include "models/tflite_model.h"

namespace tinytune {
namespace {

/// Operators between DequantizeLinear and QuantizeLinear; exporters write three or four.
constexpr int kLongestStretch = 16;

class Importer {
 public:
  Importer(OnnxModel& model, const std::string& name)
      : model_(model), graph_(name), values_(model, graph_) {}

  Result<Graph> run() {
    TT_TRY(values_.add_inputs());
    for (const OnnxNode& node : model_.nodes) TT_TRY(read(node));
    TT_TRY(values_.add_outputs());
    return std::move(graph_).finish();
  }

 private:
  Status read(const OnnxNode& node) {
    if (node.outputs.empty() || node.inputs.empty())
      return OnnxValues::invalid(node, "it has no inputs or no outputs");
    for (const std::string& name : node.inputs)
      if (!name.empty() && !values_.knows(name))
        return OnnxValues::invalid(node, "it reads what is not computed before");
    for (const std::string& name : node.outputs)
      if (values_.knows(name))
        return OnnxValues::invalid(node, "it computes what is there already");
    if (node.type == "QuantizeLinear") return read_quantize(node);
    if (node.type == "DequantizeLinear") return read_dequantize(node);
    if (node.type == "QLinearConv" || node.type == "QLinearMatMul") return read_qlinear(node);
    OnnxReal real;  // what it is shows when its result becomes bytes
    real.node = &node;
    for (const std::string& name : node.inputs)
      if (const auto input = values_.real(node, name); input)
        real.depth = std::max(real.depth, input->depth + 1);
    if (real.depth > kLongestStretch) return OnnxValues::in_float(node);
    values_.set_real(node.outputs[0], real);
    return ok_status();
  }

  Status read_quantize(const OnnxNode& node) {
    TT_TRY_ASSIGN(const OnnxScale any, values_.scale(node, 1));
    if (const OnnxTensor* constant = values_.constant(node.inputs[0]))
      return values_.quantise_constant(node, *constant, any);
    TT_TRY_ASSIGN(const OnnxScale scale, values_.activation_scale(node, 1));
    TT_TRY_ASSIGN(const int id, quantised(node, node.inputs[0], scale));
    values_.set_bytes(node.outputs[0], id, scale.type);
    return ok_status();
  }

  Status read_dequantize(const OnnxNode& node) {
    OnnxReal real;
    if ((real.constant = values_.constant(node.inputs[0])) != nullptr) {
      TT_TRY_ASSIGN(real.scale, values_.scale(node, 1));
    } else {
      TT_TRY_ASSIGN(const OnnxScale scale, values_.activation_scale(node, 1));
      TT_TRY_ASSIGN(real.bytes, values_.bytes(node, node.inputs[0], scale));
    }
    values_.set_real(node.outputs[0], real);
    return ok_status();
  }

  // x, its scale and zero point, the weights', the output's, the bias.
  Status read_qlinear(const OnnxNode& node) {
    if (node.inputs.size() < 8) return OnnxValues::invalid(node, "too few inputs");
    TT_TRY_ASSIGN(const OnnxScale in, values_.activation_scale(node, 1));
    TT_TRY_ASSIGN(const int input, values_.bytes(node, node.inputs[0], in));
    TT_TRY_ASSIGN(OnnxScale weights, values_.scale(node, 4));
    const bool convolution = node.type == "QLinearConv";
    weights.axis = convolution ? 0 : 1;
    OnnxLayer layer{node, input, {values_.constant(node.inputs[3]), weights}};
    if (layer.weights.tensor == nullptr)
      return OnnxValues::unsupported(node, "weights that are no constant");
    TT_TRY_ASSIGN(layer.output, values_.activation_scale(node, 6));
    if (node.inputs.size() > 8 && !node.inputs[8].empty()) {
      layer.bias = values_.constant(node.inputs[8]);
      if (layer.bias == nullptr || layer.bias->type != ElementType::kInt32)
        return OnnxValues::unsupported(node, "a bias that is no int32 constant");
    }
    TT_TRY_ASSIGN(const int id,
                  convolution ? add_convolution(graph_, layer) : add_product(graph_, layer, false));
    values_.set_bytes(node.outputs[0], id, layer.output.type);
    return ok_status();
  }

  // A real number as bytes of this scale; the node that asks for it is in messages.
  Result<int> quantised(const OnnxNode& by, const std::string& name, const OnnxScale& scale) {
    TT_TRY_ASSIGN(const OnnxReal real, values_.real(by, name));
    if (real.node != nullptr) return computed(*real.node, scale, Activation::kNone);
    if (real.constant != nullptr) return constant_bytes(by, real, scale);
    const int from = real.stored >= 0 ? real.stored : real.bytes;
    const Quantization& q = graph_.tensor(from).quantization;
    if (real.bytes >= 0 && q.scales == scale.scales && q.zero_points == scale.zero_points)
      return from;
    return mapped(by, OperatorKind::kQuantize, from, scale);
  }

  // An operand with the scale that it has.
  Result<int> operand(const OnnxNode& node, size_t i) {
    if (node.inputs.size() <= i) return OnnxValues::invalid(node, "too few inputs");
    TT_TRY_ASSIGN(const OnnxReal real, values_.real(node, node.inputs[i]));
    if (real.bytes >= 0) return real.bytes;
    if (real.constant != nullptr) return constant_bytes(node, real, real.scale);
    // Between DequantizeLinear and here, only what leaves values as they are.
    if (real.node == nullptr || !moves(*real.node)) return OnnxValues::in_float(node);
    TT_TRY_ASSIGN(const int from, operand(*real.node, 0));
    return moved(*real.node, from);
  }

  Result<int> constant_bytes(const OnnxNode& node, const OnnxReal& real, const OnnxScale& scale) {
    if (real.constant->type != ElementType::kInt8 && real.constant->type != ElementType::kUint8)
      return OnnxValues::in_float(node);
    if (real.constant->elements() < 1) return OnnxValues::invalid(node, "an empty constant");
    if (real.scale.scales != scale.scales || real.scale.zero_points != scale.zero_points ||
        scale.scales.size() != 1)
      return OnnxValues::unsupported(node, "a constant operand with several scales");
    std::vector<uint8_t> data = real.constant->data;
    if (real.constant->type == ElementType::kUint8)
      for (uint8_t& byte : data) byte ^= 0x80;
    return graph_.add_constant("constant", ElementType::kInt8, real.constant->shape,
                               std::move(data), scale.quantization());
  }

  int mapped(const OnnxNode& node, OperatorKind kind, int from, const OnnxScale& scale) {
    const int to = graph_.add(node.outputs[0], ElementType::kInt8, graph_.tensor(from).shape,
                              scale.quantization(), graph_.channels_last(from));
    graph_.add_operator(kind, {from}, to);
    return to;
  }

  // The node's result as bytes of this scale. Moves and maxima commute with quantising, so what
  // stands before them is asked for in the same scale.
  Result<int> computed(const OnnxNode& node, const OnnxScale& scale, Activation activation) {
    const std::string& type = node.type;
    if (type == "Relu" || type == "Clip") return clamped(node, scale);
    if (moves(node) && activation == Activation::kNone) {
      TT_TRY_ASSIGN(const int from, quantised(node, node.inputs[0], scale));
      return moved(node, from);
    }
    if (type == "Conv" || type == "Gemm" || type == "MatMul") return layer(node, scale, activation);
    if (type == "Add") return sum(node, scale, activation);
    if (activation == Activation::kNone) {
      if (type == "GlobalAveragePool" || type == "AveragePool" || type == "ReduceMean")
        return average(node, scale);
      if (type == "Softmax") return softmax(node, scale);
      if (type == "Sigmoid" || type == "Tanh") {
        TT_TRY_ASSIGN(const int from, operand(node, 0));
        return mapped(node, type == "Tanh" ? OperatorKind::kTanh : OperatorKind::kLogistic, from,
                      scale);
      }
    }
    return OnnxValues::unsupported(node, "not supported");
  }

  // Relu and Clip(0, 6): a clamp of what computes their input, or a table.
  Result<int> clamped(const OnnxNode& node, const OnnxScale& scale) {
    Activation activation = Activation::kRelu;
    if (node.type == "Clip") {
      const auto limit = [&](size_t i) {
        const OnnxTensor* c = node.inputs.size() > i ? values_.constant(node.inputs[i]) : nullptr;
        return c == nullptr || c->elements() != 1 ? std::nan("") : c->at(0);
      };
      if (limit(1) != 0 || limit(2) != 6)
        return OnnxValues::unsupported(node, "limits other than 0 and 6");
      activation = Activation::kRelu6;
    }
    TT_TRY_ASSIGN(const OnnxReal real, values_.real(node, node.inputs[0]));
    if (real.node != nullptr) return computed(*real.node, scale, activation);
    if (real.bytes < 0) return OnnxValues::in_float(node);
    return mapped(node, node.type == "Relu" ? OperatorKind::kRelu : OperatorKind::kRelu6,
                  real.bytes, scale);
  }

  Result<int> layer(const OnnxNode& node, const OnnxScale& scale, Activation activation) {
    TT_TRY_ASSIGN(const int input, operand(node, 0));
    if (node.inputs.size() < 2) return OnnxValues::invalid(node, "too few inputs");
    TT_TRY_ASSIGN(const OnnxReal weights, values_.real(node, node.inputs[1]));
    if (weights.constant == nullptr)
      return OnnxValues::unsupported(node, "weights that are no constant");
    OnnxLayer layer{node, input, {weights.constant, weights.scale}, nullptr, scale, activation};
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
      TT_TRY_ASSIGN(layer.bias, bias(node, input, weights.scale));
    }
    if (node.type == "Conv") return add_convolution(graph_, layer);
    for (const char* factor : {"alpha", "beta"})
      if (const auto found = node.floats.find(factor);
          found != node.floats.end() && found->second != 1)
        return OnnxValues::unsupported(node, std::string(factor) + " is not 1");
    if (node.get("transA", int64_t{0}) != 0) return OnnxValues::unsupported(node, "transA");
    return add_product(graph_, layer, node.get("transB", int64_t{0}) != 0);
  }

  // An int32 constant whose scale is the product of both others: it is added to the sum as it is.
  Result<const OnnxTensor*> bias(const OnnxNode& node, int input, const OnnxScale& weights) {
    TT_TRY_ASSIGN(const OnnxReal real, values_.real(node, node.inputs[2]));
    if (real.constant == nullptr || real.constant->type != ElementType::kInt32)
      return OnnxValues::unsupported(
          node, "a bias that is no int32 constant behind DequantizeLinear; quantise biases too");
    const double in = graph_.tensor(input).quantization.scales[0];
    const size_t count = std::max(real.scale.scales.size(), weights.scales.size());
    for (size_t c = 0; c < count; ++c) {
      const double product = in * weights.scales[c % weights.scales.size()];
      const double given = real.scale.scales[c % real.scale.scales.size()];
      if (std::abs(given - product) > 1e-6 * product ||
          real.scale.zero_points[c % real.scale.scales.size()] != 0)
        return OnnxValues::unsupported(node,
                                       "a bias whose scale is not the input's times the weights'");
    }
    return real.constant;
  }

  Result<int> sum(const OnnxNode& node, const OnnxScale& scale, Activation activation) {
    TT_TRY_ASSIGN(int first, operand(node, 0));
    TT_TRY_ASSIGN(int second, operand(node, 1));
    const bool images = graph_.tensor(first).shape.size() == 4 &&
                        graph_.tensor(second).shape.size() == 4 &&
                        !graph_.tensor(first).is_constant && !graph_.tensor(second).is_constant;
    const bool last = images && (graph_.channels_last(first) || graph_.channels_last(second));
    for (int* id : {&first, &second})
      *id = last ? graph_.to_channels_last(*id) : graph_.to_onnx_order(*id);
    const std::vector<int>&a = graph_.tensor(first).shape, &b = graph_.tensor(second).shape;
    std::vector<int> shape(std::max(a.size(), b.size()), 1);
    for (const std::vector<int>* operand : {&a, &b})
      for (size_t i = 0; i < operand->size(); ++i) {
        int& extent = shape[shape.size() - operand->size() + i];
        extent = std::max(extent, (*operand)[i]);
      }
    const int to =
        graph_.add(node.outputs[0], ElementType::kInt8, shape, scale.quantization(), last);
    graph_.add_operator(OperatorKind::kAdd, {first, second}, to, ActivationAttributes{activation});
    return to;
  }

  // Averages of whole images. Pools of windows that do not overlap are seen as whole axes too.
  Result<int> average(const OnnxNode& node, const OnnxScale& scale) {
    TT_TRY_ASSIGN(int from, operand(node, 0));
    std::vector<int> shape = graph_.tensor(from).shape;
    if (shape.size() != 4) return OnnxValues::unsupported(node, "an average of other than images");
    from = graph_.to_channels_last(from);
    shape = graph_.tensor(from).shape;
    bool keep = true;
    if (node.type == "ReduceMean") {
      const auto axes = node.get("axes", std::vector<int64_t>{});
      if (axes != std::vector<int64_t>{2, 3} && axes != std::vector<int64_t>{-2, -1})
        return OnnxValues::unsupported(node, "a mean over other axes than height and width");
      keep = node.get("keepdims", int64_t{1}) != 0;
    }
    if (node.type == "AveragePool") {
      const auto window = node.get("kernel_shape", std::vector<int64_t>{});
      const std::vector<int64_t> whole = {shape[1], shape[2]};
      const auto pads = node.get("pads", std::vector<int64_t>{0, 0, 0, 0});
      const bool padded = std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; });
      if (window != whole || padded || node.strings.count("auto_pad") != 0)
        return OnnxValues::unsupported(node, "windows smaller than the image");
    }
    const int axes = graph_.add_numbers("axes", {1, 2}, {2});
    const std::vector<int> result = {shape[0], 1, 1, shape[3]};
    const int to =
        graph_.add(node.outputs[0], ElementType::kInt8, result, scale.quantization(), true);
    graph_.add_operator(OperatorKind::kMean, {from, axes}, to, ReducerAttributes{true});
    return keep ? to : graph_.reshaped(to, {shape[0], shape[3]}, false);
  }

  Result<int> softmax(const OnnxNode& node, const OnnxScale& scale) {
    TT_TRY_ASSIGN(int from, operand(node, 0));
    from = graph_.to_onnx_order(from);
    const auto rank = static_cast<int64_t>(graph_.tensor(from).shape.size());
    const int64_t axis = node.get("axis", int64_t{-1});
    if (axis != -1 && axis != rank - 1)
      return OnnxValues::unsupported(node, "an axis that is not the last");
    return mapped(node, OperatorKind::kSoftmax, from, scale);
  }

  static bool moves(const OnnxNode& node) {
    static const char* const kMoves[] = {"Reshape",  "Flatten",   "Squeeze", "Unsqueeze",
                                         "Identity", "Transpose", "MaxPool", "Dropout"};
    return std::find(std::begin(kMoves), std::end(kMoves), node.type) != std::end(kMoves);
  }

  Result<int> moved(const OnnxNode& node, int from) {
    if (node.type == "Identity" || node.type == "Dropout") return from;
    if (node.type == "MaxPool") return maximum(node, from);
    const std::vector<int> shape = graph_.onnx_shape(from);
    const auto rank = static_cast<int64_t>(shape.size());
    if (node.type == "Transpose") {
      std::vector<int64_t> reversed;
      for (int64_t axis = rank; axis-- > 0;) reversed.push_back(axis);
      const std::vector<int64_t> given = node.get("perm", reversed);
      std::vector<int32_t> axes(given.begin(), given.end());
      std::vector<int32_t> sorted = axes;
      std::sort(sorted.begin(), sorted.end());
      for (int32_t i = 0; i < static_cast<int32_t>(rank); ++i)
        if (axes.size() != shape.size() || sorted[static_cast<size_t>(i)] != i)
          return OnnxValues::invalid(node, "perm is no permutation");
      // To and from the other order of an image: the bytes stay where they are.
      if (axes == std::vector<int32_t>{0, 2, 3, 1} && graph_.channels_last(from))
        return graph_.reshaped(from, graph_.tensor(from).shape, false);
      if (axes == std::vector<int32_t>{0, 3, 1, 2} && !graph_.channels_last(from))
        return graph_.reshaped(from, graph_.tensor(from).shape, true);
      return graph_.transposed(graph_.to_onnx_order(from), axes, false);
    }
    const OnnxTensor* given = node.inputs.size() > 1 ? values_.constant(node.inputs[1]) : nullptr;
    TT_TRY_ASSIGN(const std::vector<int> result, reshaped_shape(node, shape, given));
    return graph_.reshaped(graph_.to_onnx_order(from), result, false);
  }

  Result<int> maximum(const OnnxNode& node, int from) {
    if (graph_.tensor(from).shape.size() != 4)
      return OnnxValues::unsupported(node, "a pool of other than two axes");
    const auto window = node.get("kernel_shape", std::vector<int64_t>{});
    const auto dilations = node.get("dilations", std::vector<int64_t>{1, 1});
    if (window.size() != 2 || dilations != std::vector<int64_t>{1, 1} || window[0] < 1 ||
        window[1] < 1 || window[0] > INT16_MAX || window[1] > INT16_MAX)
      return OnnxValues::unsupported(node, "its window");
    TT_TRY_ASSIGN(const OnnxWindows w,
                  windows_of(graph_, node, graph_.to_channels_last(from),
                             static_cast<int>(window[0]), static_cast<int>(window[1]), false));
    const Tensor input = graph_.tensor(w.input);
    const int to =
        graph_.add(node.outputs[0], ElementType::kInt8,
                   {input.shape[0], w.out_h, w.out_w, input.shape[3]}, input.quantization, true);
    graph_.add_operator(OperatorKind::kMaxPool2d, {w.input}, to,
                        PoolAttributes{w.padding, Activation::kNone, w.stride_h, w.stride_w,
                                       w.kernel_h, w.kernel_w});
    return to;
  }

  OnnxModel& model_;
  OnnxGraph graph_;
  OnnxValues values_;
};

}  // namespace

Result<Graph> import_onnx(std::span<const uint8_t> bytes, const std::string& name,
                          const std::string& label) {
  const std::string shown = printable_ascii(label, kLongestPath);
  auto model = read_onnx(bytes);
  if (!model) return model.error().within(shown);
  Importer importer(*model, name);
  auto graph = importer.run();
  if (!graph) return graph.error().within(shown);
  return graph;
}

}  // namespace tinytune
