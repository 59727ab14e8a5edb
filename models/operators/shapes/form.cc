// SHAPE, ZEROS_LIKE and BROADCAST_ARGS, whose results depend on shapes alone. Import computes them.
#include <algorithm>
#include <cstring>

#include "models/constant_operator.h"
#include "models/operators/operator_view.h"

namespace tinytune {
namespace {

// Returns the copy of a shape as the operator's result, of int32 or int64.
Result<IntegerOp> known_shape(const OperatorView& view, const std::vector<int>& shape) {
  const Tensor& output = view.output();
  TT_TRY(view.require_shape(output, {static_cast<int>(shape.size())}));
  std::vector<uint8_t> bytes(static_cast<size_t>(output.bytes()));
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t extent = shape[i];  // little-endian, so that its first bytes are an int32's
    std::memcpy(&bytes[i * size_of(output.type)], &extent, size_of(output.type));
  }
  return IntegerOp(copy_of_constants({std::move(bytes)}));
}

}  // namespace

Result<IntegerOp> prepare_shape(const OperatorView& view) {
  const std::vector<int>& shape = view.input(0).shape;
  const Tensor& output = view.output();
  if (output.type != ElementType::kInt32)
    return view.unsupported(describe(output) + " is not int32");
  return known_shape(view, shape);
}

// Broadcasts two shapes.
Result<IntegerOp> prepare_broadcast_args(const OperatorView& view) {
  const Tensor &a = view.input(0), &b = view.input(1), &output = view.output();
  if (a.type != b.type || a.type != output.type)
    return view.invalid(describe(a) + ", " + describe(b) + " and " + describe(output) +
                        " differ in type");
  TT_TRY_ASSIGN(std::vector<int32_t> longer, int32_constant(view, a));
  TT_TRY_ASSIGN(std::vector<int32_t> shorter, int32_constant(view, b));
  if (longer.size() < shorter.size()) std::swap(longer, shorter);
  const size_t more = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int32_t& extent = longer[more + i];
    if (extent != 1 && shorter[i] != 1 && extent != shorter[i])
      return view.invalid(describe(a) + " and " + describe(b) + " do not repeat along each other");
    if (extent == 1) extent = shorter[i];
  }
  return known_shape(view, longer);
}

// Returns stored zeros, whatever the zero point: TFLite Micro clears the bytes.
Result<IntegerOp> prepare_zeros_like(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_shape(output, input.shape));
  if (input.type != output.type)
    return view.invalid(describe(input) + " and " + describe(output) + " differ in type");
  return IntegerOp(
      copy_of_constants({std::vector<uint8_t>(static_cast<size_t>(output.bytes()), 0)}));
}

}  // namespace tinytune
