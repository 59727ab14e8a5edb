// RESHAPE: the same elements under another shape.
#include "models/operators/same_bytes/form.h"

#include <fmt/format.h>

#include "models/operators/operator_view.h"

namespace tinytune {

Result<IntegerOp> prepare_same_bytes(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  // The file states the output's shape, so the inputs that compute it must be constants.
  for (size_t i = 1; i < view.inputs(); ++i)
    if (view.has_input(i)) TT_TRY(view.require_constant(view.input(i)));
  if (input.type != output.type)
    return view.invalid(fmt::format("{} and {} differ in type", describe(input), describe(output)));
  if (input.elements() != output.elements())
    return view.invalid(fmt::format("{} and {} differ in size", describe(input), describe(output)));
  return IntegerOp(CopyOp{input.bytes()});
}

}  // namespace tinytune
