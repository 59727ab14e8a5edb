// MEAN over any set of axes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/operators/move_builder.h"
#include "models/quantise.h"

namespace tinytune {

Result<IntegerOp> prepare_mean(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(output));
  const size_t rank = input.shape.size();
  if (rank > 5) return view.unsupported(describe(input) + " has more than 5 axes");
  TT_TRY_ASSIGN(const auto axes, int32_constant(view, view.input(1)));
  std::vector<bool> reduced(rank, false);
  for (int32_t axis : axes) {
    TT_TRY_ASSIGN(const size_t at, resolve_axis(view, axis, rank));
    reduced[at] = true;
  }
  const bool keep = std::get<MeanAttributes>(view.op().attributes).keep_dims;
  std::vector<int> kept, shape;
  int64_t count = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    kept.push_back(reduced[axis] ? 1 : input.shape[axis]);
    if (reduced[axis]) count *= input.shape[axis];
    if (!reduced[axis] || keep) shape.push_back(kept.back());
  }
  TT_TRY(view.require_shape(output, shape));
  if (count > kMostSummed) return view.unsupported(kTooManySummed);

  MeanOp op;
  const auto steps = steps_of(kept);
  for (size_t axis = 0; axis < rank; ++axis) {
    op.extents[5 - rank + axis] = input.shape[axis];
    op.output_steps[5 - rank + axis] = reduced[axis] ? 0 : steps[axis];
  }
  op.output_elements = output.elements();
  op.bias = static_cast<int32_t>(-input.quantization.zero_points[0] * count);
  op.output_zero_point = output.quantization.zero_points[0];
  const double real = double{input.quantization.scales[0]} / double{output.quantization.scales[0]};
  if (!(real < kLargestMultiplier)) return view.unsupported(kMultiplierTooLarge);
  const QuantizedMultiplier m = quantize_multiplier(real);
  // 1 / count goes into the multiplier, with as many bits as the shift can give back.
  const int floor_log2 = 63 - std::countl_zero(static_cast<uint64_t>(count));
  const int fold = std::min({floor_log2, 32, 31 + m.shift});
  op.multiplier = static_cast<int32_t>((int64_t{m.multiplier} << fold) / count);
  op.shift = m.shift - fold;
  return IntegerOp(op);
}

}  // namespace tinytune
