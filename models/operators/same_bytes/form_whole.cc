// Operators that copy a tensor as it is, whatever it holds; and those for which no code runs,
// because they only say which state there is.
#include <fmt/format.h>

#include "models/constant_operator.h"
#include "models/operators/operator_view.h"

namespace tinytune {

Result<IntegerOp> prepare_nothing(const OperatorView&) { return IntegerOp(MoveOp()); }

// As TFLite Micro, which looks at the number of bytes alone.
Result<IntegerOp> prepare_whole_copy(const OperatorView& view) {
  const Tensor &from = view.input(0), &to = view.output();
  if (from.bytes() != to.bytes())
    return view.unsupported(fmt::format("{} of {} and {} of {} differ in size", describe(from),
                                        name_of(from.type), describe(to), name_of(to.type)));
  if (from.is_constant) return IntegerOp(copy_of_constants({from.data}));
  MoveOp::Box box;
  box.extents.back() = static_cast<int>(from.bytes());
  box.input_steps.back() = box.output_steps.back() = 1;
  MoveOp copy;
  copy.boxes = {box};
  copy.output_elements = {from.bytes()};
  return IntegerOp(std::move(copy));
}

}  // namespace tinytune
