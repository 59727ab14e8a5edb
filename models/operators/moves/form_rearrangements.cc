// SLICE, REVERSE_V2, MIRROR_PAD, BROADCAST_TO, FILL: one input, read in another order or
// repeatedly.
#include <fmt/format.h>

#include <algorithm>

#include "models/operators/move_builder.h"

namespace tinytune {

Result<IntegerOp> prepare_slice(const OperatorView& view) {
  const Tensor& input = view.input(0);
  TT_TRY_ASSIGN(const auto begins, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(const auto sizes, int32_constant(view, view.input(2)));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  const size_t rank = input.shape.size();
  if (begins.size() != rank || sizes.size() != rank)
    return view.invalid(
        fmt::format("{} begins and {} sizes for {}", begins.size(), sizes.size(), describe(input)));
  const auto steps = steps_of(input.shape);
  std::vector<int> shape;
  int64_t offset = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t begin = begins[axis], left = input.shape[axis] - begin;
    const int64_t size = sizes[axis] == -1 ? left : sizes[axis];
    if (begin < 0 || size < 1 || size > left)
      return view.invalid(
          fmt::format("{} from {} of axis {} of {}", size, begin, axis, describe(input)));
    offset += begin * steps[axis];
    shape.push_back(static_cast<int>(size));
  }
  TT_TRY(view.require_shape(view.output(), shape));
  builder.add(shape, {0, offset, steps}, {0, 0, steps_of(shape)});
  return std::move(builder).finish();
}

Result<IntegerOp> prepare_reverse(const OperatorView& view) {
  const Tensor& input = view.input(0);
  TT_TRY_ASSIGN(const auto axes, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  TT_TRY(view.require_shape(view.output(), input.shape));
  std::vector<int64_t> steps = steps_of(input.shape);
  int64_t offset = 0;
  for (const int32_t given : axes) {
    TT_TRY_ASSIGN(const size_t axis, resolve_axis(view, given, input.shape.size()));
    if (steps[axis] < 0) return view.invalid(fmt::format("axis {} stands twice", given));
    offset += (input.shape[axis] - 1) * steps[axis];
    steps[axis] = -steps[axis];
  }
  builder.add(input.shape, {0, offset, steps}, {0, 0, steps_of(input.shape)});
  return std::move(builder).finish();
}

namespace {

// A run of an axis: output elements from `to` on, input elements from `from` on in steps of one or
// minus one.
struct Segment {
  int64_t to, from, step;
  int extent;
};

std::vector<Segment> mirrored(int before, int size, int after, int offset) {
  std::vector<Segment> segments;
  if (before > 0) segments.push_back({0, before + offset - 1, -1, before});
  segments.push_back({before, 0, 1, size});
  if (after > 0) segments.push_back({before + size, size - 1 - offset, -1, after});
  return segments;
}

}  // namespace

// Adds one box for every combination of the axes' segments.
Result<IntegerOp> prepare_mirror_pad(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY_ASSIGN(const auto pads, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  const size_t rank = input.shape.size();
  const int offset = std::get<MirrorPadAttributes>(view.op().attributes).reflect ? 1 : 0;
  if (pads.size() != 2 * rank)
    return view.invalid(fmt::format("{} paddings for {}", pads.size(), describe(input)));
  std::vector<int> shape;
  std::vector<std::vector<Segment>> segments;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int before = pads[2 * axis], after = pads[2 * axis + 1], size = input.shape[axis];
    if (std::min(before, after) < 0 || std::max(before, after) > size - offset)
      return view.invalid(
          fmt::format("paddings {},{} of axis {} of {}", before, after, axis, describe(input)));
    shape.push_back(before + size + after);
    segments.push_back(mirrored(before, size, after, offset));
  }
  TT_TRY(view.require_shape(output, shape));
  const auto input_steps = steps_of(input.shape), output_steps = steps_of(shape);
  std::vector<size_t> choice(rank, 0);
  for (bool more = true; more;) {
    std::vector<int> extents;
    std::vector<int64_t> steps;
    int64_t from = 0, to = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      const Segment& s = segments[axis][choice[axis]];
      extents.push_back(s.extent);
      steps.push_back(s.step * input_steps[axis]);
      from += s.from * input_steps[axis];
      to += s.to * output_steps[axis];
    }
    builder.add(extents, {0, from, steps}, {0, to, output_steps});
    more = false;
    for (size_t axis = rank; axis-- > 0 && !more;) {
      more = ++choice[axis] < segments[axis].size();
      if (!more) choice[axis] = 0;
    }
  }
  return std::move(builder).finish();
}

namespace {

// Broadcasts the input to the output's shape, by steps of zero.
Result<IntegerOp> repeat(const OperatorView& view, size_t input, const std::vector<int>& shape) {
  const std::vector<int>& from = view.input(input).shape;
  TT_TRY(view.require_shape(view.output(), shape));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, input, input));
  const auto mismatch = [&] {
    return view.invalid(fmt::format("{} does not repeat to {}", describe(view.input(input)),
                                    describe(view.output())));
  };
  if (from.size() > shape.size()) return mismatch();
  const auto dense = steps_of(from);
  std::vector<int64_t> steps(shape.size(), 0);
  for (size_t i = 1; i <= from.size(); ++i) {
    const int extent = from[from.size() - i];
    if (extent != 1 && extent != shape[shape.size() - i]) return mismatch();
    if (extent != 1) steps[shape.size() - i] = dense[from.size() - i];
  }
  builder.add(shape, {input, 0, steps}, {0, 0, steps_of(shape)});
  return std::move(builder).finish();
}

}  // namespace

Result<IntegerOp> prepare_broadcast_to(const OperatorView& view) {
  TT_TRY_ASSIGN(const auto shape, int32_constant(view, view.input(1)));
  return repeat(view, 0, {shape.begin(), shape.end()});
}

Result<IntegerOp> prepare_fill(const OperatorView& view) {
  TT_TRY_ASSIGN(const auto shape, int32_constant(view, view.input(0)));
  if (view.input(1).elements() != 1)
    return view.invalid(describe(view.input(1)) + " is not one value");
  return repeat(view, 1, {shape.begin(), shape.end()});
}

}  // namespace tinytune
