// Functions of one byte as lookup tables, and the scales of their tensors.
#pragma once

#include <functional>

#include "models/operators/operator_view.h"
#include "models/quantise.h"

namespace tinytune {

/// Requires an output of the input's shape. kInvalidInput: they differ.
Status require_map(const OperatorView& view);

struct Scales {
  float in = 1, out = 1;
  int in_zero = 0, out_zero = 0;
};
Scales scales_of(const OperatorView& view);

int32_t rescaled(int x, const QuantizedMultiplier& m);

/// Returns the lookup table of `f`. `f` takes the quantised input; its result is clamped to the
/// output's type.
IntegerOp tabulate(const OperatorView& view, const std::function<int64_t(int)>& f);

}  // namespace tinytune
