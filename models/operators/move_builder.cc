#include "models/operators/move_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {

std::vector<int64_t> steps_of(const std::vector<int>& shape) {
  std::vector<int64_t> steps(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) steps[axis - 1] = steps[axis] * shape[axis];
  return steps;
}

Result<size_t> resolve_axis(const OperatorView& view, int axis, size_t rank) {
  const int64_t resolved = axis < 0 ? int64_t{axis} + static_cast<int64_t>(rank) : axis;
  if (resolved < 0 || resolved >= static_cast<int64_t>(rank))
    return view.invalid(fmt::format("axis {} of {}", axis, rank));
  return static_cast<size_t>(resolved);
}

Result<MoveBuilder> MoveBuilder::create(const OperatorView& view, size_t first, size_t last) {
  MoveBuilder builder;
  const Tensor& model = view.input(first);
  builder.op_.element_bytes = static_cast<int>(size_of(model.type));
  const auto check = [&](const Tensor& t) -> Status {
    if (t.type != model.type)
      return view.invalid(fmt::format("{} and {} differ in type", describe(model), describe(t)));
    if (t.shape.size() > 5) return view.unsupported(describe(t) + " has more than 5 axes");
    return ok_status();
  };
  int variable = 0;
  for (size_t i = 0; i < view.inputs(); ++i) {
    const bool moved = i >= first && i <= last;
    if (moved) TT_TRY(check(view.input(i)));
    const bool constant = view.has_input(i) && view.input(i).is_constant;
    builder.source_.push_back(constant || !view.has_input(i) ? 0 : variable++);
    builder.constant_.push_back(-1);
    if (moved && constant) {
      builder.constant_.back() = static_cast<int>(builder.op_.constants.size());
      builder.op_.constants.push_back(view.input(i).data);
    }
  }
  for (size_t o = 0; o < view.outputs(); ++o) {
    TT_TRY(check(view.output(o)));
    builder.op_.output_elements.push_back(view.output(o).elements());
  }
  return builder;
}

void MoveBuilder::add(const std::vector<int>& extents, const Side& from, const Side& to) {
  MoveOp::Box box;
  box.input = source_[from.index];
  box.constant = constant_[from.index];
  box.output = static_cast<int>(to.index);
  box.input_offset = from.offset;
  box.output_offset = to.offset;
  std::copy(extents.rbegin(), extents.rend(), box.extents.rbegin());
  std::copy(from.steps.rbegin(), from.steps.rend(), box.input_steps.rbegin());
  std::copy(to.steps.rbegin(), to.steps.rend(), box.output_steps.rbegin());
  op_.boxes.push_back(box);
}

void MoveBuilder::fill(int32_t value) {
  op_.filled = true;
  op_.fill = value;
}

}  // namespace tinytune
