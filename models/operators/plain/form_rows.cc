// Operators on rows or axes of plain integers: softmax and norms of rows, reductions of axes.
#include <fmt/format.h>

#include <algorithm>

#include "models/operators/move_builder.h"
#include "models/operators/plain/operands.h"

namespace tinytune {
namespace {

constexpr size_t kBytes = 256;

// Reads the rows of an operator that works along its innermost axis and keeps its shape.
template <typename Op>
Status read_rows(const OperatorView& view, Op& op) {
  const Tensor& input = view.input(0);
  if (input.shape.empty()) return view.invalid(describe(input) + " is a scalar");
  TT_TRY(view.require_int8(view.output()));
  TT_TRY(view.require_shape(view.output(), input.shape));
  op.depth = input.shape.back();
  op.rows = static_cast<int>(input.elements() / op.depth);
  return ok_status();
}

PlainReduceOp::Function function_of(OperatorKind kind) {
  using Function = PlainReduceOp::Function;
  switch (kind) {
    case OperatorKind::kIntegerReduceMean:
      return Function::kMean;
    case OperatorKind::kIntegerReduceMax:
      return Function::kMaximum;
    case OperatorKind::kIntegerReduceMin:
      return Function::kMinimum;
    default:
      return Function::kSum;
  }
}

}  // namespace

// Inputs: x, 256 terms, 256 shifts or absent, {scale}.
Result<IntegerOp> prepare_integer_softmax(const OperatorView& view) {
  PlainSoftmaxOp op;
  TT_TRY(view.require_int8(view.input(0)));
  TT_TRY(read_rows(view, op));
  TT_TRY_ASSIGN(const auto terms, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(const auto scale, int32_constant(view, view.input(3)));
  std::vector<int32_t> shifts(kBytes, 0);
  if (view.has_input(2)) {
    TT_TRY_ASSIGN(shifts, int32_constant(view, view.input(2)));
  }
  const auto within = [](const std::vector<int32_t>& values, int32_t most) {
    return std::all_of(values.begin(), values.end(),
                       [&](int32_t v) { return v >= 0 && v <= most; });
  };
  if (terms.size() != kBytes || shifts.size() != kBytes || scale.size() != 1 || scale[0] < 0 ||
      !within(terms, INT32_MAX) || terms[0] == 0 || !within(shifts, 31))
    return view.invalid("its tables");
  op.terms.assign(terms.begin(), terms.end());
  if (view.has_input(2)) op.shifts.assign(shifts.begin(), shifts.end());
  op.scale = static_cast<uint32_t>(scale[0]);
  op.output_offset = view.output().quantization.zero_points[0];
  return IntegerOp(std::move(op));
}

// Inputs: x, weights, bias or absent, {shift, whether it is centred}.
Result<IntegerOp> prepare_integer_norm(const OperatorView& view) {
  PlainNormOp op;
  TT_TRY(read_rows(view, op));
  TT_TRY_ASSIGN(op.input, plain_operand(view, view.input(0)));
  TT_TRY_ASSIGN(op.weights, int32_constant(view, view.input(1)));
  if (view.has_input(2)) {
    TT_TRY_ASSIGN(op.bias, int32_constant(view, view.input(2)));
  }
  TT_TRY_ASSIGN(const auto numbers, int32_constant(view, view.input(3)));
  const auto depth = static_cast<size_t>(op.depth);
  if (op.weights.size() != depth || (!op.bias.empty() && op.bias.size() != depth) ||
      numbers.size() != 2 || numbers[0] < 0 || numbers[0] > 31)
    return view.invalid("its weights, bias or shift");
  op.shift = numbers[0];
  op.is_centred = op.wraps = numbers[1] != 0;
  return IntegerOp(std::move(op));
}

// Inputs: x, axes.
Result<IntegerOp> prepare_integer_reduction(const OperatorView& view) {
  const Tensor& input = view.input(0);
  PlainReduceOp op;
  op.function = function_of(view.op().kind);
  TT_TRY_ASSIGN(op.input, plain_operand(view, input));
  TT_TRY_ASSIGN(op.output, plain_result(view, view.output()));
  TT_TRY_ASSIGN(const auto axes, int32_constant(view, view.input(1)));
  const size_t rank = input.shape.size(), most = op.extents.size();
  if (rank > most) return view.unsupported(describe(input) + " has more than 5 axes");
  std::vector<int> shape = input.shape;
  for (const int32_t axis : axes) {
    TT_TRY_ASSIGN(const size_t at, resolve_axis(view, axis, rank));
    shape[at] = 1;
  }
  TT_TRY(view.require_shape(view.output(), shape));
  const auto steps = steps_of(shape);
  for (size_t axis = 0; axis < rank; ++axis) {
    op.extents[most - rank + axis] = input.shape[axis];
    op.output_steps[most - rank + axis] = shape[axis] == 1 ? 0 : steps[axis];
  }
  op.output_elements = view.output().elements();
  op.count = input.elements() / op.output_elements;
  return IntegerOp(op);
}

}  // namespace tinytune
