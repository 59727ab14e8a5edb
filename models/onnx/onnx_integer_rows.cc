// Operators on rows of plain integers: iSoftmax, ITAMax, the norms, reductions, maxima of windows.
#include <algorithm>

#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_integers.h"
#include "models/onnx/onnx_products.h"
#include "models/onnx/onnx_tiles.h"
#include "models/operators/plain/division.h"

namespace tinytune {
namespace {

constexpr int kBytes = 256;

// A node's input tensor in the model's order of axes, and a new tensor for its result.
struct Rows {
  int from, to;
};
Result<Rows> rows_of(OnnxIntegers& integers, const OnnxNode& node, ElementType type) {
  if (integers.constant(node, 0) != nullptr) return OnnxValues::unsupported(node, "of a constant");
  TT_TRY_ASSIGN(const int stored, integers.tensor(node, 0));
  OnnxGraph& graph = integers.graph();
  const int from = graph.to_onnx_order(stored);
  const auto rank = static_cast<int64_t>(graph.tensor(from).shape.size());
  const int64_t axis = OnnxIntegers::attribute(node, "axis").value_or(-1);
  if (axis != -1 && axis != rank - 1)
    return OnnxValues::unsupported(node, "another axis than the last");
  return Rows{from, graph.add(node.outputs[0], ElementType::kInt8, graph.tensor(from).shape,
                              plain_quantization(type), false)};
}

// Returns iSoftmax's exponentials of the differences x - max = 0, -1, …, -255.
Result<std::vector<int32_t>> exponentials(const OnnxNode& node) {
  TT_TRY_ASSIGN(const int64_t a, OnnxIntegers::required(node, "coeffA"));
  TT_TRY_ASSIGN(const int64_t b, OnnxIntegers::required(node, "coeffB"));
  TT_TRY_ASSIGN(const int64_t c, OnnxIntegers::required(node, "coeffC"));
  TT_TRY_ASSIGN(const int64_t log2, OnnxIntegers::required(node, "log2"));
  if (log2 < 1) return OnnxValues::invalid(node, "log2 is below 1");
  std::vector<int32_t> terms;
  for (int64_t t = 0; t > -kBytes; --t) {
    const int64_t z = std::clamp<int64_t>(-(t / log2), 0, 31), p = t + z * log2;
    const __int128 y = (static_cast<__int128>(a) * (p + b) * (p + b) + c) >> z;
    if (y < 0 || y > INT32_MAX)
      return OnnxValues::unsupported(node, "coefficients that give exponentials beyond int32");
    terms.push_back(static_cast<int32_t>(y));
  }
  if (terms[0] == 0) return OnnxValues::unsupported(node, "an exponential of 0 that is 0");
  return terms;
}

Result<int> shift_of(const OnnxNode& node) {
  TT_TRY_ASSIGN(const int64_t divisor, OnnxIntegers::required(node, "D"));
  int shift = 0;
  while (shift < 31 && int64_t{1} << shift < divisor) ++shift;
  if (int64_t{1} << shift != divisor)
    return OnnxValues::unsupported(node, "D is no power of two up to 2^31");
  return shift;
}

}  // namespace

Result<OnnxWhole> import_integer_softmax(OnnxIntegers& integers, const OnnxNode& node) {
  constexpr int kFull = 256;  // of ITAMax: the largest element's term
  const bool is_shift = node.type == "ITAMax";
  TT_TRY_ASSIGN(const int64_t levels, OnnxIntegers::required(node, "n_levels"));
  if (levels < 2 || levels > kBytes) return OnnxValues::unsupported(node, "more than 256 levels");
  std::vector<int32_t> terms, shifts;
  if (is_shift) {
    for (int difference = 0; difference < kBytes; ++difference) {
      shifts.push_back((difference + 16) >> 5);
      terms.push_back(kFull >> shifts.back());
    }
  } else {
    TT_TRY_ASSIGN(terms, exponentials(node));
  }
  TT_TRY_ASSIGN(const Rows rows, rows_of(integers, node, ElementType::kUint8));
  OnnxGraph& graph = integers.graph();
  if (graph.tensor(rows.from).type == ElementType::kInt32)
    return OnnxValues::unsupported(node, "its input is int32; RequantShift is missing before it");
  const auto scale = static_cast<int32_t>((levels - 1) * (is_shift ? kFull : 1));
  const int of_terms = graph.add_numbers("terms", terms, {kBytes});
  const int of_shifts = is_shift ? graph.add_numbers("shifts", shifts, {kBytes}) : -1;
  graph.add_operator(OperatorKind::kIntegerSoftmax,
                     {rows.from, of_terms, of_shifts, graph.add_numbers("scale", {scale}, {1})},
                     rows.to);
  return OnnxWhole{rows.to, ElementType::kUint8, {}, nullptr};
}

Result<OnnxWhole> import_integer_norm(OnnxIntegers& integers, const OnnxNode& node) {
  const bool is_centred = node.type == "iLayerNorm";
  TT_TRY_ASSIGN(const int shift, shift_of(node));
  TT_TRY_ASSIGN(const Rows rows, rows_of(integers, node, ElementType::kInt8));
  OnnxGraph& graph = integers.graph();
  std::vector<int> inputs = {rows.from};
  for (size_t i = 1; i <= 2; ++i) {
    const OnnxTensor* tensor = integers.constant(node, i);
    if (tensor == nullptr && (i == 1 || node.has_input(i)))
      return OnnxValues::unsupported(node, "weights or a bias that are no constants");
    if (tensor == nullptr) {
      inputs.push_back(-1);
      continue;
    }
    TT_TRY_ASSIGN(auto numbers, integers.numbers(node, *tensor));
    if (numbers.size() == 1)
      numbers.resize(static_cast<size_t>(graph.tensor(rows.from).shape.back()), numbers[0]);
    const auto count = static_cast<int>(numbers.size());
    inputs.push_back(graph.add_numbers("weights", numbers, {count}));
  }
  inputs.push_back(graph.add_numbers("numbers", {shift, is_centred ? 1 : 0}, {2}));
  graph.add_operator(OperatorKind::kIntegerNorm, std::move(inputs), rows.to);
  return OnnxWhole{rows.to, ElementType::kInt8, {}, nullptr};
}

// Sums are int32; means and extremes have their input's type.
Result<OnnxWhole> import_integer_reduction(OnnxIntegers& integers, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int from, integers.tensor(node, 0));
  const bool is_sum = node.type == "ReduceSum";
  const ElementType type = is_sum ? ElementType::kInt32 : integers.type_of(from);
  const OperatorKind kind = is_sum                     ? OperatorKind::kIntegerReduceSum
                            : node.type == "ReduceMax" ? OperatorKind::kIntegerReduceMax
                            : node.type == "ReduceMin" ? OperatorKind::kIntegerReduceMin
                                                       : OperatorKind::kIntegerReduceMean;
  const OnnxProduct result{type == ElementType::kInt32 ? ElementType::kInt32 : ElementType::kInt8,
                           plain_quantization(type), kind};
  TT_TRY_ASSIGN(const int id, add_reduction(integers.import(), node, from, result));
  return OnnxWhole{id, type, {}, nullptr};
}

// Imports max pools of bytes as in quantised networks; for int32, copies the windows into rows.
Result<OnnxWhole> import_integer_max_pool(OnnxIntegers& integers, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int from, integers.tensor(node, 0));
  OnnxGraph& graph = integers.graph();
  const ElementType type = integers.type_of(from);
  if (type != ElementType::kInt32) {
    TT_TRY_ASSIGN(const int id, import_max_pool(integers.import(), node, 0, {from}));
    return OnnxWhole{id, type, {}, nullptr};
  }
  TT_TRY_ASSIGN(const OnnxTiles tiles, tiled(graph, node, from, INT32_MIN));
  const int to = graph.add(node.outputs[0], type, tiles.pooled_shape(), {}, false);
  graph.add_operator(OperatorKind::kIntegerReduceMax,
                     {graph.reshaped(tiles.id, graph.tensor(tiles.id).shape, false),
                      graph.add_numbers("axes", {2}, {1})},
                     to, ReducerAttributes{true});
  return OnnxWhole{graph.reshaped(to, tiles.result, false), type, {}, nullptr};
}

}  // namespace tinytune
