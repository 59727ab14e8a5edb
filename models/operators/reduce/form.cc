// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL over any set of axes; ARG_MAX, ARG_MIN along one.
#include "models/operators/reduce/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/operators/move_builder.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

struct Axes {
  std::array<int, 5> extents{1, 1, 1, 1, 1};  // of the input
  std::array<int64_t, 5> output_steps{};      // 0 where reduced
  int64_t count = 1;                          // input elements per output element
};

// Reads the axes of input 1; checks the output's shape against them.
Result<Axes> read_axes(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  const size_t rank = input.shape.size();
  if (rank > 5) return view.unsupported(describe(input) + " has more than 5 axes");
  TT_TRY_ASSIGN(const auto given, int32_constant(view, view.input(1)));
  std::vector<bool> reduced(rank, false);
  for (int32_t axis : given) {
    TT_TRY_ASSIGN(const size_t at, resolve_axis(view, axis, rank));
    reduced[at] = true;
  }
  const bool keep = std::get<ReducerAttributes>(view.op().attributes).keep_dims;
  Axes axes;
  std::vector<int> kept, shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    kept.push_back(reduced[axis] ? 1 : input.shape[axis]);
    if (reduced[axis]) axes.count *= input.shape[axis];
    if (!reduced[axis] || keep) shape.push_back(kept.back());
  }
  TT_TRY(view.require_shape(output, shape));
  const auto steps = steps_of(kept);
  for (size_t axis = 0; axis < rank; ++axis) {
    axes.extents[5 - rank + axis] = input.shape[axis];
    axes.output_steps[5 - rank + axis] = reduced[axis] ? 0 : steps[axis];
  }
  return axes;
}

Result<IntegerOp> prepare_total(const OperatorView& view, bool divided) {
  const Tensor &input = view.input(0), &output = view.output();
  MeanOp op;
  op.wide = input.type == ElementType::kInt16 && output.type == ElementType::kInt16;
  for (const Tensor* t : {&input, &output})
    TT_TRY(op.wide ? view.require_quantised(*t) : view.require_int8(*t));
  TT_TRY_ASSIGN(const Axes axes, read_axes(view));
  // Sums of int16 wrap, as they do in TFLite.
  if (!op.wide && axes.count > kMostSummed) return view.unsupported(kTooManySummed);
  op.extents = axes.extents;
  op.output_steps = axes.output_steps;
  op.output_elements = output.elements();
  op.bias = static_cast<int32_t>(-input.quantization.zero_points[0] * axes.count);
  op.output_zero_point = output.quantization.zero_points[0];
  const double real = double{input.quantization.scales[0]} / double{output.quantization.scales[0]};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  op.multiplier = m.multiplier;
  op.shift = m.shift;
  if (divided) {
    // Folds 1 / count into the multiplier, with as many more bits as the shift can take back.
    const int floor_log2 = 63 - std::countl_zero(static_cast<uint64_t>(axes.count));
    const int fold = std::min({floor_log2, 32, 31 + m.shift});
    op.multiplier = static_cast<int32_t>((int64_t{m.multiplier} << fold) / axes.count);
    op.shift = m.shift - fold;
  }
  return IntegerOp(op);
}

Result<IntegerOp> prepare_reduce(const OperatorView& view, ElementType type, Reduction reduction) {
  const Tensor &input = view.input(0), &output = view.output();
  for (const Tensor* t : {&input, &output}) {
    if (t->type != type)
      return view.unsupported(fmt::format("{} is {}", describe(*t), name_of(t->type)));
    if (type == ElementType::kInt8) TT_TRY(view.require_int8(*t));
  }
  if (type == ElementType::kInt8 &&
      (input.quantization.scales != output.quantization.scales ||
       input.quantization.zero_points != output.quantization.zero_points))
    return view.unsupported(fmt::format("{} and {} are quantised differently, which TFLite refuses",
                                        describe(input), describe(output)));
  TT_TRY_ASSIGN(const Axes axes, read_axes(view));
  return IntegerOp(ReduceOp{axes.extents, axes.output_steps, output.elements(), reduction});
}

Result<IntegerOp> prepare_arg_extremum(const OperatorView& view, bool maximum) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int8(input));
  if (output.type != ElementType::kInt32)
    return view.unsupported(
        fmt::format("{} is {}, not int32", describe(output), name_of(output.type)));
  TT_TRY_ASSIGN(const auto given, int32_constant(view, view.input(1)));
  if (given.size() != 1) return view.invalid("its axis is not one number");
  TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, given[0], input.shape.size()));
  std::vector<int> shape = input.shape;
  shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
  TT_TRY(view.require_shape(output, shape));
  ArgExtremumOp op;
  op.maximum = maximum;
  op.axis = input.shape[axis];
  for (size_t i = 0; i < input.shape.size(); ++i)
    if (i != axis) (i < axis ? op.outer : op.inner) *= input.shape[i];
  return IntegerOp(op);
}

}  // namespace

Result<IntegerOp> prepare_mean(const OperatorView& view) { return prepare_total(view, true); }
Result<IntegerOp> prepare_sum(const OperatorView& view) { return prepare_total(view, false); }
Result<IntegerOp> prepare_reduce_max(const OperatorView& view) {
  return prepare_reduce(view, ElementType::kInt8, Reduction::kMaximum);
}
Result<IntegerOp> prepare_reduce_min(const OperatorView& view) {
  return prepare_reduce(view, ElementType::kInt8, Reduction::kMinimum);
}
Result<IntegerOp> prepare_reduce_all(const OperatorView& view) {
  return prepare_reduce(view, ElementType::kBool, Reduction::kAll);
}
Result<IntegerOp> prepare_arg_max(const OperatorView& view) {
  return prepare_arg_extremum(view, true);
}
Result<IntegerOp> prepare_arg_min(const OperatorView& view) {
  return prepare_arg_extremum(view, false);
}

}  // namespace tinytune
