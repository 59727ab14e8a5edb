// DYNAMIC_UPDATE_SLICE: a box of one tensor replaced by another.
#include "models/operators/update_slice/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/operator_view.h"

namespace tinytune {

Result<IntegerOp> prepare_dynamic_update_slice(const OperatorView& view) {
  const Tensor &whole = view.input(0), &part = view.input(1), &at = view.input(2);
  const size_t rank = whole.shape.size();
  if (whole.type != part.type || whole.type != view.output().type)
    return view.invalid(fmt::format("{}, {} and {} differ in type", describe(whole), describe(part),
                                    describe(view.output())));
  if (whole.type != ElementType::kInt8 && whole.type != ElementType::kInt32 &&
      whole.type != ElementType::kFloat32)
    return view.unsupported(fmt::format("{} is {}", describe(whole), name_of(whole.type)));
  TT_TRY(view.require_shape(view.output(), whole.shape));
  TT_TRY(view.require_rank(part, rank));
  TT_TRY(view.require_shape(at, {static_cast<int>(rank)}));
  if (rank < 1) return view.invalid(describe(whole) + " is a scalar");
  if (rank > 5) return view.unsupported(describe(whole) + " has more than 5 axes");
  UpdateSliceOp op;
  op.rank = static_cast<int>(rank);
  op.element_bytes = static_cast<int>(size_of(whole.type));
  for (size_t axis = 0; axis < rank; ++axis)
    if (part.shape[axis] > whole.shape[axis])
      return view.invalid(fmt::format("{} does not fit {}", describe(part), describe(whole)));
  std::copy(whole.shape.rbegin(), whole.shape.rend(), op.extents.rbegin());
  std::copy(part.shape.rbegin(), part.shape.rend(), op.box.rbegin());
  op.constants = {whole.data, part.data};
  if (at.is_constant) {
    TT_TRY_ASSIGN(op.constant_at, int32_constant(view, at));
  } else if (at.type != ElementType::kInt32) {
    return view.unsupported(fmt::format("{} is {}, not int32", describe(at), name_of(at.type)));
  }
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
