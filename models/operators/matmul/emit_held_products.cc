#include "models/operators/matmul/emit_held_products.h"

namespace tinytune {
namespace {

std::string held_name(int row, int64_t term) {
  return "h" + std::to_string(row) + "_" + std::to_string(term);
}

std::string element(const DotSide& side, const std::string& from, int64_t index) {
  return c_plus(from + "[" + std::to_string(index) + "]", side.offset);
}

}  // namespace

bool HeldProducts::fit() const {
  constexpr int64_t kHeld = 16, kFewTerms = 8;
  constexpr int kFewestRows = 4;
  return depth <= kFewTerms && held_rows * depth <= kHeld && streamed_rows >= kFewestRows;
}

void HeldProducts::print(CWriter& w, const std::optional<HighMultiply>& form,
                         const Store& store) const {
  const bool is_scaled = form && form->in_a_word;
  std::optional<HighMultiply> rest = form;
  if (is_scaled) rest->multiplier = 1, rest->offset = 0;
  const auto scaled = [&](const std::string& x) {
    return is_scaled ? "(" + x + ") * " + c_int(form->multiplier) : x;
  };
  w.line("const int8_t *const held = " + held.from + ";");
  for (int row = 0; row < held_rows; ++row)
    for (int64_t k = 0; k < depth; ++k)
      w.line("const int32_t " + held_name(row, k) + " = " +
             scaled(element(held, "held", row * held.step + k * held.depth_step)) + ";");
  w.line("const int8_t *x = " + streamed.from + ";");
  const auto row_of = [&](const std::string& i, int64_t added) {
    w.open("");
    for (int64_t k = 0; k < depth; ++k)
      w.line("const int32_t x" + std::to_string(k) + " = " +
             element(streamed, "x", k * streamed.depth_step) + ";");
    for (int row = 0; row < held_rows; ++row) {
      const std::string sum = "s" + std::to_string(row);
      w.line("uint32_t " + sum + " = " + (is_scaled ? c_int(form->offset) : "0") + ";");
      for (int64_t k = 0; k < depth; ++k)
        w.line(sum + " += (uint32_t)(" + held_name(row, k) + " * x" + std::to_string(k) + ");");
      store(row, i, added, sum, rest);
    }
    w.line("x += " + std::to_string(streamed.step) + ";");
    w.close();
  };
  print_unrolled(w, streamed_rows, row_of, pass);
}

}  // namespace tinytune
