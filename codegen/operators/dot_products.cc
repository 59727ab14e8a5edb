#include "codegen/operators/dot_products.h"

#include <algorithm>

#include "codegen/operators/pair_text.h"

namespace tinytune {
namespace {

constexpr int64_t kWord = 4;

std::string at(const char* pointer, int64_t index) {
  return std::string(pointer) + "[" + std::to_string(index) + "]";
}

std::string lane(const char* name, int i) { return name + std::to_string(i); }

// Prints one term of a block, `k` terms from the pointers.
void print_term(CWriter& w, const DotSide& left, const DotSide& right, DotBlock block, int64_t k) {
  w.open("");
  for (int r = 0; r < block.rows; ++r)
    w.line("const int32_t " + lane("u", r) + " = " +
           c_plus(at("x", r * left.step + k * left.depth_step), left.offset) + ";");
  for (int c = 0; c < block.columns; ++c) {
    w.line("const int32_t " + lane("v", c) + " = " +
           c_plus(at("y", c * right.step + k * right.depth_step), right.offset) + ";");
    for (int r = 0; r < block.rows; ++r)
      w.line(dot_sum(r, c) + " += (uint32_t)(" + lane("u", r) + " * " + lane("v", c) + ");");
  }
  w.close();
}

// Returns the terms of an iteration: all of them if products are few.
int64_t terms_of_pass(DotBlock block, int64_t depth) {
  constexpr int64_t kFewProducts = 64, kFewSums = 4, kTermsOfFewSums = 4;
  const int64_t sums = int64_t{block.rows} * block.columns;
  if (sums * depth <= kFewProducts) return depth;
  return std::min<int64_t>(depth, sums <= kFewSums ? kTermsOfFewSums : block.terms);
}

void print_elements(CWriter& w, const DotSide& left, const DotSide& right, int64_t depth,
                    DotBlock block) {
  const int64_t terms = terms_of_pass(block, depth), whole = depth / terms * terms;
  w.line("const int8_t *x = " + left.from + ";");
  w.line("const int8_t *y = " + right.from + ";");
  const bool has_loop = whole > terms;
  if (has_loop) w.loop("d", whole, terms);
  for (int64_t k = 0; k < terms; ++k) print_term(w, left, right, block, k);
  if (has_loop) {
    w.line("x += " + std::to_string(terms * left.depth_step) + ";");
    w.line("y += " + std::to_string(terms * right.depth_step) + ";").close();
  }
  const int64_t passed = has_loop ? whole : 0;  // terms that the pointers have advanced
  for (int64_t k = whole; k < depth; ++k) print_term(w, left, right, block, k - passed);
}

void print_pairs(CWriter& w, const DotSide& left, const DotSide& right, int64_t depth,
                 DotBlock block) {
  w.line("const uint32_t *x = (const uint32_t *)(" + left.from + ");");
  w.line("const uint32_t *y = (const uint32_t *)(" + right.from + ");");
  w.loop("d", depth / kWord);
  for (int r = 0; r < block.rows; ++r)
    print_widened(w, {lane("u", r), at("x", r * left.step / kWord), left.offset});
  for (int c = 0; c < block.columns; ++c) {
    print_widened(w, {lane("v", c), at("y", c * right.step / kWord), right.offset});
    for (int r = 0; r < block.rows; ++r)
      print_pair_products(w, lane("u", r), lane("v", c), dot_sum(r, c));
  }
  w.line("++x;").line("++y;").close();
}

}  // namespace

bool comes_in_words(const DotSide& side, int64_t depth) {
  return side.depth_step == 1 && side.step % kWord == 0 && depth % kWord == 0;
}

std::string dot_sum(int row, int column) {
  return "s" + std::to_string(row) + std::to_string(column);
}

void print_sums(CWriter& w, DotBlock block) {
  for (int r = 0; r < block.rows; ++r)
    for (int c = 0; c < block.columns; ++c) w.line("uint32_t " + dot_sum(r, c) + " = 0;");
}

void print_dot_products(CWriter& w, const std::array<DotSide, 2>& sides, int64_t depth,
                        DotBlock block, bool pairs) {
  if (pairs)
    print_pairs(w, sides[0], sides[1], depth, block);
  else
    print_elements(w, sides[0], sides[1], depth, block);
}

}  // namespace tinytune
