// RESIZE_NEAREST_NEIGHBOR. Which neighbour is a float32 computation in TFLite, done here once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/operators/operator_view.h"

namespace tinytune {
namespace {

std::vector<int> nearest(int input, int output, const ResizeAttributes& a) {
  const float scale = a.align_corners && output > 1
                          ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                          : static_cast<float>(input) / static_cast<float>(output);
  const float offset = a.half_pixel_centers ? 0.5F : 0.0F;
  std::vector<int> indices;
  for (int i = 0; i < output; ++i) {
    const float at = (static_cast<float>(i) + offset) * scale;
    const auto index = static_cast<int>(a.align_corners ? std::round(at) : std::floor(at));
    indices.push_back(std::max(0, std::min(index, input - 1)));
  }
  return indices;
}

}  // namespace

Result<IntegerOp> prepare_resize(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(output));
  TT_TRY(view.require_rank(input, 4));
  TT_TRY_ASSIGN(const auto size, int32_constant(view, view.input(1)));
  if (size.size() != 2 || size[0] < 1 || size[1] < 1)
    return view.invalid("its size is not two positive numbers");
  TT_TRY(view.require_shape(output, {input.shape[0], size[0], size[1], input.shape[3]}));
  // One index is kept per row and column.
  if (size[0] > 65536 || size[1] > 65536) return view.unsupported("an extent beyond 65536");
  const auto& a = std::get<ResizeAttributes>(view.op().attributes);
  return IntegerOp(ResizeOp{input.shape[0], input.shape[1], input.shape[2], input.shape[3],
                            nearest(input.shape[1], size[0], a),
                            nearest(input.shape[2], size[1], a)});
}

}  // namespace tinytune
