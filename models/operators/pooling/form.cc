// AVERAGE_POOL_2D and MAX_POOL_2D. No requantisation: TFLite Micro refuses unequal scales.
#include "models/operators/pooling/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

constexpr int64_t kMostWideSummed = 1 << 15;
constexpr double kPoolScaleTolerance = 1e-6;  // TFLite Micro's

Result<IntegerOp> prepare_pool(const OperatorView& view, bool average) {
  const Tensor &input = view.input(0), &output = view.output();
  const auto& a = std::get<PoolAttributes>(view.op().attributes);
  const bool wide = input.type == ElementType::kInt16;
  for (const Tensor* t : {&input, &output})
    TT_TRY(wide ? view.require_int16(*t) : view.require_int8(*t));
  TT_TRY(view.require_rank(input, 4));
  TT_TRY(view.require_same_quantisation(input, output, kPoolScaleTolerance));
  if (a.stride_h < 1 || a.stride_w < 1 || a.filter_h < 1 || a.filter_w < 1)
    return view.invalid("filter and strides must be positive");
  if (!window_is_small(a.filter_h, a.stride_h, 1) || !window_is_small(a.filter_w, a.stride_w, 1))
    return view.unsupported(kWindowTooLarge);
  const Window rows = window_of(a.padding, input.shape[1], a.filter_h, a.stride_h, 1);
  const Window columns = window_of(a.padding, input.shape[2], a.filter_w, a.stride_w, 1);
  if (rows.extent < 1 || columns.extent < 1)
    return view.invalid(fmt::format("filter {}x{} is larger than input {}", a.filter_h, a.filter_w,
                                    describe(input)));
  TT_TRY(view.require_shape(output, {input.shape[0], rows.extent, columns.extent, input.shape[3]}));
  if (average &&
      int64_t{std::min(a.filter_h, input.shape[1])} * std::min(a.filter_w, input.shape[2]) >
          (wide ? kMostWideSummed : kMostSummed))
    return view.unsupported(wide ? "a sum of more than 2^15 elements" : kTooManySummed);
  TT_TRY_ASSIGN(const Range range, view.clamp_of(a.activation));
  PoolOp op;
  op.average = average;
  op.batch = input.shape[0];
  op.in_h = input.shape[1];
  op.in_w = input.shape[2];
  op.channels = input.shape[3];
  op.out_h = rows.extent;
  op.out_w = columns.extent;
  op.filter_h = a.filter_h;
  op.filter_w = a.filter_w;
  op.stride_h = a.stride_h;
  op.stride_w = a.stride_w;
  op.pad_top = rows.pad;
  op.pad_left = columns.pad;
  op.activation_min = range.low;
  op.activation_max = range.high;
  if (wide) return IntegerOp(WidePoolOp{op});
  return IntegerOp(op);
}

}  // namespace

Result<IntegerOp> prepare_average_pool(const OperatorView& view) {
  return prepare_pool(view, true);
}

Result<IntegerOp> prepare_max_pool(const OperatorView& view) { return prepare_pool(view, false); }

}  // namespace tinytune
