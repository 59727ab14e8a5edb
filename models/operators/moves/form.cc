// PAD, PADV2, TRANSPOSE, STRIDED_SLICE: one input, rearranged.
#include "models/operators/moves/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/operators/move_builder.h"

namespace tinytune {
namespace {

// Reads PADV2's value. TFLite requires the output's scale and zero point for int8 only.
Result<int32_t> padding_value(const OperatorView& view, const Tensor& value) {
  const Quantization &q = view.output().quantization, &own = value.quantization;
  TT_TRY(view.require_constant(value));
  if (value.type != view.output().type)
    return view.invalid(
        fmt::format("{} and {} differ in type", describe(value), describe(view.output())));
  if (value.elements() != 1) return view.invalid(describe(value) + " is not one value");
  if (value.type == ElementType::kInt8 &&
      (own.scales != q.scales || own.zero_points != q.zero_points))
    return view.invalid(describe(value) + " is not one value in the output's quantisation");
  int32_t word = 0;
  std::memcpy(&word, value.data.data(), value.data.size());
  return word;
}

}  // namespace

Result<IntegerOp> prepare_pad(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  const bool narrow = input.type == ElementType::kInt8;
  if (!narrow && input.type != ElementType::kInt16 && input.type != ElementType::kInt32)
    return view.unsupported(fmt::format("{} is {}", describe(input), name_of(input.type)));
  if (narrow)
    for (const Tensor* t : {&input, &output}) TT_TRY(view.require_int8(*t));
  TT_TRY_ASSIGN(const auto pads, int32_constant(view, view.input(1)));
  const size_t rank = input.shape.size();
  if (pads.size() != 2 * rank)
    return view.invalid(fmt::format("{} paddings for {}", pads.size(), describe(input)));
  std::vector<int> padded;
  int64_t offset = 0;
  const auto steps = steps_of(output.shape);
  if (output.shape.size() != rank) return view.invalid(describe(output) + " has another rank");
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = pads[2 * axis], after = pads[2 * axis + 1];
    if (before < 0 || after < 0) return view.invalid("a negative padding");
    padded.push_back(
        static_cast<int>(std::min<int64_t>(before + after + input.shape[axis], INT32_MAX)));
    offset += before * steps[axis];
  }
  TT_TRY(view.require_shape(output, padded));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  // Wider types are padded with the number 0, whatever their zero point.
  builder.fill(narrow ? output.quantization.zero_points[0] : 0);
  if (view.has_input(2)) {  // PADV2
    TT_TRY_ASSIGN(const int32_t value, padding_value(view, view.input(2)));
    builder.fill(value);
  }
  builder.add(input.shape, {0, 0, steps_of(input.shape)}, {0, offset, steps});
  return std::move(builder).finish();
}

Result<IntegerOp> prepare_transpose(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY_ASSIGN(const auto order, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  const size_t rank = input.shape.size();
  if (order.size() != rank)
    return view.invalid(fmt::format("{} axes for {}", order.size(), describe(input)));
  const auto input_steps = steps_of(input.shape);
  std::vector<int> shape;
  std::vector<int64_t> steps;
  std::vector<bool> seen(rank, false);
  for (int32_t axis : order) {
    TT_TRY_ASSIGN(const size_t from, resolve_axis(view, axis, rank));
    if (seen[from]) return view.invalid(fmt::format("axis {} stands twice", axis));
    seen[from] = true;
    shape.push_back(input.shape[from]);
    steps.push_back(input_steps[from]);
  }
  TT_TRY(view.require_shape(output, shape));
  builder.add(shape, {0, 0, steps}, {0, 0, steps_of(shape)});
  return std::move(builder).finish();
}

Result<IntegerOp> prepare_strided_slice(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  const auto& a = std::get<StridedSliceAttributes>(view.op().attributes);
  TT_TRY_ASSIGN(const auto begins, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(const auto ends, int32_constant(view, view.input(2)));
  TT_TRY_ASSIGN(const auto strides, int32_constant(view, view.input(3)));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  const size_t rank = input.shape.size();
  if (begins.size() > rank || ends.size() != begins.size() || strides.size() != begins.size())
    return view.invalid(fmt::format("{} begins, {} ends and {} strides for {}", begins.size(),
                                    ends.size(), strides.size(), describe(input)));
  std::vector<int> extents, shape;
  std::vector<int64_t> steps = steps_of(input.shape);
  int64_t offset = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t size = input.shape[axis];
    // Axes beyond those given are taken whole.
    const bool given = axis < begins.size();
    const auto bit = [&](int mask) { return given && (mask >> axis & 1) != 0; };
    const int64_t stride = given ? strides[axis] : 1;
    if (stride == 0) return view.invalid("a stride of 0");
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    const auto inside = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
    const bool shrinks = bit(a.shrink_axis_mask);
    int64_t begin = stride > 0 ? 0 : size - 1, end = stride > 0 ? size : -1;
    if (given && !bit(a.begin_mask)) begin = inside(begins[axis]);
    if (given && !bit(a.end_mask)) end = inside(ends[axis]);
    if (shrinks) end = begin + (stride > 0 ? 1 : -1);
    const int64_t extent =
        stride > 0 ? (end - begin + stride - 1) / stride : (begin - end - stride - 1) / -stride;
    if (begin < 0 || begin >= size || extent < 1)
      return view.invalid(fmt::format("nothing is left of axis {}", axis));
    offset += begin * steps[axis];
    steps[axis] *= stride;
    extents.push_back(static_cast<int>(extent));
    if (!shrinks) shape.push_back(static_cast<int>(extent));
  }
  TT_TRY(view.require_shape(output, shape));
  builder.add(extents, {0, offset, steps}, {0, 0, steps_of(extents)});
  return std::move(builder).finish();
}

}  // namespace tinytune
