// ADD and SUB in one linear form, where that is the same function.
//
// TFLite scales both inputs with double rounding, adds, and scales again: some 25 instructions. But
// they have only 65,536 pairs of inputs, so all of them can be tried while generating: wherever
// constants exist with out = clamp((k1 * x1 + k2 * x2 + c) >> shift) on every pair, that is used.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/integer_op.h"

namespace tinytune {

struct LinearAdd {
  int32_t k1 = 0, k2 = 0, c = 0;
  int shift = 0;
};

/// The reference's terms of input 1 and input 2, for x from -128 to 127; int32 as it is there.
struct AddTerms {
  std::vector<int32_t> first, second;
};
AddTerms add_terms(const AddOp& op);

/// The reference's result, before any shortcut.
int8_t add_reference(const AddOp& op, int8_t x1, int8_t x2);

/// Constants that agree with add_reference() on all pairs and never overflow, or nothing.
std::optional<LinearAdd> find_linear_add(const AddOp& op);

}  // namespace tinytune
