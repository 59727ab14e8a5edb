// ADD and SUB in one linear form, if that is the same function.
//
// TFLite scales both inputs with double rounding, adds, and scales again: some 25 instructions. But
// there are only 65,536 pairs of inputs, so the generator can try all of them: if constants exist
// with out = clamp((k1 * x1 + k2 * x2 + c) >> shift) on every pair, it uses this form.
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

/// The reference's terms of input 1 and input 2, for x from -128 to 127; int32 as in the reference.
struct AddTerms {
  std::vector<int32_t> first, second;
};
AddTerms add_terms(const AddOp& op);

/// Returns the reference's result, without any shortcut.
int8_t add_reference(const AddOp& op, int8_t x1, int8_t x2);

/// Returns constants that agree with add_reference() on all pairs and never overflow, or nullopt.
std::optional<LinearAdd> find_linear_add(const AddOp& op);

}  // namespace tinytune
