// Gather of plain integers with computed indices, from a table that is a constant or computed.
//
// A constant row of numbers indexed by a byte is a function of that byte, whatever the row holds:
// exponentials, SiLU, reciprocals. Functions of a byte are tables that compose (onnx_integers.h),
// so that a chain of them costs one look-up.
#include <algorithm>

#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_integers.h"

namespace tinytune {
namespace {

bool is_function_of_byte(const OnnxWhole& whole) {
  return !whole.sums && (whole.is_byte() || !whole.values.empty());
}

// Negative places count from the end; places out of range are clamped, as in kernels.
int64_t within(int64_t place, int64_t extent) {
  return std::clamp<int64_t>(place < 0 ? place + extent : place, 0, extent - 1);
}

Result<OnnxWhole> looked_up(OnnxIntegers& integers, const OnnxNode& node, const OnnxWhole& at,
                            const OnnxTensor& table) {
  TT_TRY_ASSIGN(const std::vector<int32_t> numbers, integers.numbers(node, table));
  const auto extent = static_cast<int64_t>(numbers.size());
  return integers.mapped(at, OnnxIntegers::narrowest(numbers), [&](int64_t place) {
    return int64_t{numbers[static_cast<size_t>(within(place, extent))]};
  });
}

}  // namespace

Result<OnnxWhole> import_integer_gather(OnnxIntegers& integers, const OnnxNode& node) {
  OnnxGraph& graph = integers.graph();
  if (integers.constant(node, 1) != nullptr) {
    TT_TRY_ASSIGN(const int from, integers.tensor(node, 0));
    TT_TRY_ASSIGN(const int to, import_gather(integers.import(), node, 0, {from}));
    return OnnxWhole{to, integers.type_of(from), {}, nullptr};
  }
  TT_TRY_ASSIGN(OnnxWhole at, integers.operand(node, 1));
  const OnnxTensor* table = integers.constant(node, 0);
  if (table != nullptr && table->shape.size() == 1 && table->elements() > 0 &&
      is_function_of_byte(at))
    return looked_up(integers, node, at, *table);
  TT_TRY_ASSIGN(const int stored, integers.tensor(node, 0));
  const int from = graph.to_onnx_order(stored);
  const Tensor data = graph.tensor(from);
  const auto rank = static_cast<int64_t>(data.shape.size());
  int64_t axis = node.get("axis", int64_t{0});
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return OnnxValues::invalid(node, "its axis");
  const int64_t extent = data.shape[static_cast<size_t>(axis)];
  if (is_function_of_byte(at))
    at = integers.mapped(at, ElementType::kInt32,
                         [&](int64_t place) { return within(place, extent); });
  TT_TRY_ASSIGN(const int numbers, integers.stored(node, at));
  const int places = graph.to_onnx_order(numbers);
  const std::vector<int>& inner = graph.tensor(places).shape;
  std::vector<int> shape(data.shape.begin(), data.shape.begin() + axis);
  shape.insert(shape.end(), inner.begin(), inner.end());
  shape.insert(shape.end(), data.shape.begin() + axis + 1, data.shape.end());
  const int to = graph.add(node.outputs[0], data.type, std::move(shape), data.quantization, false);
  graph.add_operator(OperatorKind::kGather, {from, places}, to,
                     GatherAttributes{static_cast<int>(axis), 0});
  return OnnxWhole{to, integers.type_of(to), {}, nullptr};
}

}  // namespace tinytune
