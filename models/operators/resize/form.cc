// RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR. Preparation finds the neighbours: the nearest in
// float32, as TFLite does, the weighted ones in units of 2^-10.
#include "models/operators/resize/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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

// One index is kept per row and column.
constexpr int kMostExtent = 65536;

// Returns nullopt if TFLite would read beyond the input: the step's rounding adds up over 2048
// rows.
std::optional<std::vector<BilinearOp::Tap>> weighted(int input, int output,
                                                     const ResizeAttributes& a) {
  constexpr int64_t kOne = 1 << 10;
  int64_t step = (kOne * input + output / 2) / output;
  if (a.align_corners && output > 1) step = (kOne * (input - 1) + (output - 1) / 2) / (output - 1);
  std::vector<BilinearOp::Tap> taps;
  for (int64_t i = 0; i < output; ++i) {
    const int64_t at = i * step + (a.half_pixel_centers ? step / 2 - kOne / 2 : 0);
    const auto first = static_cast<int>(std::max<int64_t>(at / kOne, 0));
    const auto second = static_cast<int>(std::min<int64_t>((at + kOne - 1) / kOne, input - 1));
    if (first >= input) return std::nullopt;
    taps.push_back({first, second, static_cast<int>(at - kOne * first)});
  }
  return taps;
}

struct ResizedImage {
  int rows = 0, columns = 0;
};

Result<ResizedImage> read_size(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(output));
  TT_TRY(view.require_rank(input, 4));
  TT_TRY_ASSIGN(const auto size, int32_constant(view, view.input(1)));
  if (size.size() != 2 || size[0] < 1 || size[1] < 1)
    return view.invalid("its size is not two positive numbers");
  TT_TRY(view.require_shape(output, {input.shape[0], size[0], size[1], input.shape[3]}));
  if (size[0] > kMostExtent || size[1] > kMostExtent)
    return view.unsupported(fmt::format("an extent beyond {}", kMostExtent));
  return ResizedImage{size[0], size[1]};
}

}  // namespace

Result<IntegerOp> prepare_resize(const OperatorView& view) {
  const Tensor& input = view.input(0);
  TT_TRY_ASSIGN(const ResizedImage size, read_size(view));
  const auto& a = std::get<ResizeAttributes>(view.op().attributes);
  return IntegerOp(ResizeOp{input.shape[0], input.shape[1], input.shape[2], input.shape[3],
                            nearest(input.shape[1], size.rows, a),
                            nearest(input.shape[2], size.columns, a)});
}

// Interpolates stored bytes, whatever the scales: TFLite assumes equal ones.
Result<IntegerOp> prepare_resize_bilinear(const OperatorView& view) {
  const Tensor& input = view.input(0);
  TT_TRY_ASSIGN(const ResizedImage size, read_size(view));
  const auto& a = std::get<ResizeAttributes>(view.op().attributes);
  if (a.align_corners && a.half_pixel_centers)
    return view.unsupported("corners aligned and half pixels at once, which TFLite refuses");
  const auto rows = weighted(input.shape[1], size.rows, a);
  const auto columns = weighted(input.shape[2], size.columns, a);
  if (!rows || !columns) return view.unsupported("an enlargement by which TFLite reads too far");
  return IntegerOp(
      BilinearOp{input.shape[0], input.shape[1], input.shape[2], input.shape[3], *rows, *columns});
}

}  // namespace tinytune
