// TILE: the input, repeated along each axis, as in TensorFlow Lite's kernel; TensorFlow Lite Micro
// has none.
#include <fmt/format.h>

#include "models/limits.h"
#include "models/operators/move_builder.h"

namespace tinytune {
namespace {

constexpr int64_t kMostCopies = 64;  // along axes longer than 1: each is a loop of its own

}  // namespace

// Repeats an axis of extent 1 in one box, by a step of zero; for a longer one each copy is a box.
Result<IntegerOp> prepare_tile(const OperatorView& view) {
  TT_TRY_ASSIGN(const std::vector<int32_t> times, int32_constant(view, view.input(1)));
  const std::vector<int> in = view.input(0).shape;
  if (times.size() != in.size())
    return view.invalid(fmt::format("{} has {} axes, its multiples are {}", describe(view.input(0)),
                                    in.size(), times.size()));
  std::vector<int> shape, extents;
  std::vector<int64_t> steps = steps_of(in);
  int64_t copies = 1;
  for (size_t axis = 0; axis < in.size(); ++axis) {
    const int64_t extent = int64_t{in[axis]} * times[axis];
    if (times[axis] < 1 || extent > kMostTensorBytes)
      return view.invalid(fmt::format("a multiple of {}", times[axis]));
    shape.push_back(static_cast<int>(extent));
    extents.push_back(in[axis] == 1 ? times[axis] : in[axis]);
    if (in[axis] == 1)
      steps[axis] = 0;
    else
      copies *= times[axis];
    if (copies > kMostCopies)
      return view.unsupported(fmt::format("more than {} copies of its input", kMostCopies));
  }
  TT_TRY(view.require_shape(view.output(), shape));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  const std::vector<int64_t> output_steps = steps_of(shape);
  for (int64_t copy = 0; copy < copies; ++copy) {
    int64_t left = copy, offset = 0;
    for (size_t axis = in.size(); axis-- > 0;) {
      if (in[axis] == 1) continue;
      offset += left % times[axis] * in[axis] * output_steps[axis];
      left /= times[axis];
    }
    builder.add(extents, {0, 0, steps}, {0, offset, output_steps});
  }
  return std::move(builder).finish();
}

}  // namespace tinytune
