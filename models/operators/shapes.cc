// SHAPE and ZEROS_LIKE: what a shape alone decides. Import computes them.
#include <cstring>

#include "models/constant_operator.h"
#include "models/operators/operator_view.h"

namespace tinytune {

Result<IntegerOp> prepare_shape(const OperatorView& view) {
  const std::vector<int>& shape = view.input(0).shape;
  const Tensor& output = view.output();
  if (output.type != ElementType::kInt32)
    return view.unsupported(describe(output) + " is not int32");
  TT_TRY(view.require_shape(output, {static_cast<int>(shape.size())}));
  std::vector<uint8_t> bytes(shape.size() * sizeof(int32_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), shape.data(), bytes.size());
  return IntegerOp(copy_of_constants({std::move(bytes)}));
}

// Zero as a number, whatever the zero point: TFLite Micro clears the bytes.
Result<IntegerOp> prepare_zeros_like(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_shape(output, input.shape));
  if (input.type != output.type)
    return view.invalid(describe(input) + " and " + describe(output) + " differ in type");
  return IntegerOp(
      copy_of_constants({std::vector<uint8_t>(static_cast<size_t>(output.bytes()), 0)}));
}

}  // namespace tinytune
