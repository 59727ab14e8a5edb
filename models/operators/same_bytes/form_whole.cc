// Operators that copy a tensor of any type unchanged, and operators without code, which only
// declare state or mark control flow.
#include <fmt/format.h>

#include "models/constant_operator.h"
#include "models/operators/operator_view.h"

namespace tinytune {

Result<IntegerOp> prepare_nothing(const OperatorView&) { return IntegerOp(MoveOp()); }

// As in TFLite Micro, only the numbers of bytes have to agree.
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
