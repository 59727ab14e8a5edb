// CONCATENATION, PACK: many inputs, one output. SPLIT, SPLIT_V, UNPACK: the reverse. Bytes are not
// rescaled. TFLite Micro refuses a CONCATENATION whose scales differ and does not check the other
// operators.
#include <fmt/format.h>

#include "models/operators/move_builder.h"

namespace tinytune {
namespace {

std::vector<int> with(std::vector<int> shape, size_t axis, int extent) {
  shape[axis] = extent;
  return shape;
}

// Cuts `input` along `axis` into the outputs, in order.
Result<IntegerOp> cut(const OperatorView& view, size_t input, size_t axis,
                      const std::vector<int>& sizes, bool drop_axis) {
  const std::vector<int>& shape = view.input(input).shape;
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, input, input));
  const auto steps = steps_of(shape);
  int64_t at = 0;
  for (size_t o = 0; o < sizes.size(); ++o) {
    const std::vector<int> part = with(shape, axis, sizes[o]);
    std::vector<int> expected = part;
    if (drop_axis) expected.erase(expected.begin() + static_cast<ptrdiff_t>(axis));
    TT_TRY(view.require_shape(view.output(o), expected));
    builder.add(part, {input, at * steps[axis], steps}, {o, 0, steps_of(part)});
    at += sizes[o];
  }
  return std::move(builder).finish();
}

Result<size_t> constant_axis(const OperatorView& view, size_t input, size_t rank) {
  TT_TRY_ASSIGN(const auto axis, int32_constant(view, view.input(input)));
  if (axis.size() != 1) return view.invalid("its axis is not one number");
  return resolve_axis(view, axis[0], rank);
}

// Checks TFLite Micro's requirements on an input of CONCATENATION, by its type.
Status check_concatenated(const OperatorView& view, const Tensor& input) {
  const Tensor& output = view.output();
  if (output.type == ElementType::kInt8) return view.require_same_quantisation(input, output);
  if (output.type != ElementType::kInt16) return ok_status();
  for (const Tensor* t : {&input, &output})
    if (!t->quantization.zero_points.empty() && t->quantization.zero_points[0] != 0)
      return view.unsupported(describe(*t) +
                              " is int16 with a zero point, which TFLite Micro refuses");
  return ok_status();
}

constexpr size_t kMostConcatenated = 10;  // TFLite Micro's limit

}  // namespace

Result<IntegerOp> prepare_concatenation(const OperatorView& view) {
  if (view.arithmetic() == Arithmetic::kTfliteMicro && view.inputs() > kMostConcatenated)
    return view.unsupported(
        fmt::format("{} inputs; TFLite Micro takes at most {}", view.inputs(), kMostConcatenated));
  const std::vector<int>& shape = view.output().shape;
  const int given = std::get<AxisAttributes>(view.op().attributes).axis;
  TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, given, shape.size()));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, view.inputs() - 1));
  const auto steps = steps_of(shape);
  int64_t at = 0;
  for (size_t i = 0; i < view.inputs(); ++i) {
    const Tensor& input = view.input(i);
    TT_TRY(view.require_rank(input, shape.size()));
    TT_TRY(check_concatenated(view, input));
    TT_TRY(view.require_shape(input, with(shape, axis, input.shape[axis])));
    builder.add(input.shape, {i, 0, steps_of(input.shape)}, {0, at * steps[axis], steps});
    at += input.shape[axis];
  }
  if (at != shape[axis])
    return view.invalid(
        fmt::format("its inputs make {} of axis {} of {}", at, axis, describe(view.output())));
  return std::move(builder).finish();
}

Result<IntegerOp> prepare_pack(const OperatorView& view) {
  const std::vector<int>& shape = view.output().shape;
  const int given = std::get<AxisAttributes>(view.op().attributes).axis;
  TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, given, shape.size()));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, view.inputs() - 1));
  if (static_cast<size_t>(shape[axis]) != view.inputs())
    return view.invalid(fmt::format("{} inputs for {}", view.inputs(), describe(view.output())));
  const std::vector<int> slice = with(shape, axis, 1);
  std::vector<int> expected = shape;
  expected.erase(expected.begin() + static_cast<ptrdiff_t>(axis));
  const auto steps = steps_of(shape);
  for (size_t i = 0; i < view.inputs(); ++i) {
    TT_TRY(view.require_shape(view.input(i), expected));
    builder.add(slice, {i, 0, steps_of(slice)}, {0, static_cast<int64_t>(i) * steps[axis], steps});
  }
  return std::move(builder).finish();
}

Result<IntegerOp> prepare_unpack(const OperatorView& view) {
  const std::vector<int>& shape = view.input(0).shape;
  const int given = std::get<AxisAttributes>(view.op().attributes).axis;
  TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, given, shape.size()));
  if (static_cast<size_t>(shape[axis]) != view.outputs())
    return view.invalid(fmt::format("{} outputs of {}", view.outputs(), describe(view.input(0))));
  return cut(view, 0, axis, std::vector<int>(view.outputs(), 1), true);
}

Result<IntegerOp> prepare_split(const OperatorView& view) {
  const std::vector<int>& shape = view.input(1).shape;
  TT_TRY_ASSIGN(const size_t axis, constant_axis(view, 0, shape.size()));
  const int parts = static_cast<int>(view.outputs());
  if (shape[axis] % parts != 0)
    return view.invalid(fmt::format("{} equal parts of {}", parts, describe(view.input(1))));
  return cut(view, 1, axis, std::vector<int>(view.outputs(), shape[axis] / parts), false);
}

Result<IntegerOp> prepare_split_v(const OperatorView& view) {
  const std::vector<int>& shape = view.input(0).shape;
  TT_TRY_ASSIGN(auto sizes, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(const size_t axis, constant_axis(view, 2, shape.size()));
  int64_t known = 0;
  int32_t* rest = nullptr;
  for (int32_t& size : sizes) {
    if (size == -1 && rest == nullptr)
      rest = &size;
    else if (size < 1)
      return view.invalid(fmt::format("a part of size {}", size));
    else
      known += size;
  }
  if (rest != nullptr && known < shape[axis])
    known += * rest = static_cast<int>(shape[axis] - known);
  if (known != shape[axis] || sizes.size() != view.outputs() || (rest != nullptr && *rest < 1))
    return view.invalid(fmt::format("its parts do not make {}", describe(view.input(0))));
  return cut(view, 0, axis, {sizes.begin(), sizes.end()}, false);
}

}  // namespace tinytune
