// BATCH_MATMUL of two computed matrices, in blocks of rows and columns (dot_products.h). If one
// side comes in words, cores with Arm's DSP extension stage rows of the other (emit_pair_blocks.h).
// Cores with many registers stage rows of either side as lanes (emit_lane_blocks.h), or hold a
// small side in registers (emit_held_products.h).
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"
#include "models/byte_steps.h"
#include "models/operators/matmul/emit_held_products.h"
#include "models/operators/matmul/emit_lane_blocks.h"
#include "models/operators/matmul/emit_pair_blocks.h"
#include "schedules/requantise.h"

namespace tinytune::emitter {
namespace {

std::string times(const std::string& variable, int64_t step) {
  return variable + " * " + std::to_string(step);
}

// Returns whether the result is the int32 sums.
bool leaves_sums(const MatMulOp& op) { return op.multiplier == 0 && op.steps.empty(); }

DotSide side_of(const MatMulOp::Side& side, std::string from) {
  return {std::move(from), side.step, side.depth_step, side.offset};
}
DotSide left_of(const MatMulOp& op) {
  return side_of(op.left, "left + " + times("i", op.left.step));
}
DotSide right_of(const MatMulOp& op) {
  return side_of(op.right, "right + " + times("j", op.right.step));
}

bool in_words(const MatMulOp& op, const DotSide& side, const MatMulOp::Side& batches) {
  return comes_in_words(side, op.depth) &&
         std::all_of(batches.batch_steps.begin(), batches.batch_steps.end(),
                     [](int64_t step) { return step % 4 == 0; });
}
bool left_in_words(const MatMulOp& op) { return in_words(op, left_of(op), op.left); }
bool right_in_words(const MatMulOp& op) { return in_words(op, right_of(op), op.right); }

// Returns whether both sides come in words.
bool has_pairs(const MatMulOp& op) { return left_in_words(op) && right_in_words(op); }

// Streams the right side if it comes in words, else the left. Returns nullopt if neither does, or
// if the blocks do not fit.
std::optional<PairBlocks> pair_blocks(const MatMulOp& op, bool in_order) {
  PairBlocks blocks{.staged = left_of(op),
                    .streamed = right_of(op),
                    .depth = op.depth,
                    .staged_in_words = left_in_words(op)};
  int staged = op.rows, streamed = op.columns;
  if (!right_in_words(op)) {
    if (!left_in_words(op)) return std::nullopt;
    std::swap(blocks.staged, blocks.streamed);
    std::swap(staged, streamed);
    blocks.staged_in_words = false;
  }
  blocks.staged_rows = PairBlocks::best_staged_rows(staged, in_order);
  if (!blocks.fit() || staged < blocks.staged_rows || streamed < blocks.streamed_rows())
    return std::nullopt;
  return blocks;
}

// Returns the largest magnitude of a side's terms.
int64_t largest(const MatMulOp::Side& side) {
  return std::max(std::abs(int64_t{side.offset} - 128), std::abs(int64_t{side.offset} + 127));
}

// Returns an upper bound on the magnitude of a sum.
int64_t reach_of(const MatMulOp& op) { return op.depth * largest(op.left) * largest(op.right); }

// Returns one multiplication in place of the reference's two roundings, if proved for every sum.
std::optional<HighMultiply> short_form(const MatMulOp& op, const CoreFacts& core) {
  const int64_t reach = reach_of(op);
  if (leaves_sums(op) || op.multiplier == 0 || reach > INT32_MAX) return std::nullopt;
  const auto wanted = [&](int32_t sum) {
    if (!op.steps.empty()) return byte_of(op.steps, sum);
    return add_zero_point(multiply_by_quantized_multiplier(sum, op.multiplier, op.shift),
                          op.output_offset, -128, 127);
  };
  return find_high_multiply(op.multiplier, op.shift, -reach, reach, -128, 127, wanted,
                            core.is_rv32);
}

// Prints `to`, the address of a block's first result; element() names a result from there.
void print_target(CWriter& w, const MatMulOp& op, EmitContext& context) {
  w.line(std::string(leaves_sums(op) ? "int32_t" : "int8_t") + " *const to = " + context.output() +
         " + " + times("i", op.columns) + " + j;");
}
std::string element(const MatMulOp& op, int row, int column) {
  return "to[" + std::to_string(int64_t{row} * op.columns + column) + "]";
}

void store(CWriter& w, const MatMulOp& op, EmitContext& context,
           const std::optional<HighMultiply>& form, const std::string& output,
           const std::string& sum) {
  if (leaves_sums(op)) {
    w.line(output + " = (int32_t)" + sum + ";");
    return;
  }
  if (!op.steps.empty() && !form) {
    w.line(output + " = (int8_t)" + byte_steps_text(context, op.steps, "(int32_t)" + sum) + ";");
    return;
  }
  w.open("");
  if (form) {
    const bool is_rv32 = context.core().is_rv32;
    print_high_multiply(w, *form, "(int32_t)" + sum,
                        is_rv32 && !form->in_a_word ? context.helper(kHighWord) : "");
    if (is_rv32) {  // one test: few results are out of range
      w.line("if ((uint32_t)v + 128u > 255u) v = v >> 31 ^ 127;");
      w.line(output + " = (int8_t)v;");
    } else {
      print_clamped_store(w, {output, -128, 127});
    }
    w.close();
    return;
  }
  w.line("int32_t v = (int32_t)" + sum + ";");
  print_requantise(w, op.multiplier, op.shift, reach_of(op));
  print_clamped_store(w, {output, -128, 127, op.output_offset});
  w.close();
}

// Rows and columns from `first` on, in whole blocks up to `end`.
struct Part {
  int first_row, end_row, first_column, end_column;
  DotBlock block;
  bool empty() const { return first_row >= end_row || first_column >= end_column; }
};

// (u + a) * (v + b) is (u + a) * v and, once a row, b times the sum of u + a: then columns are read
// without adding b, for which there are too few registers.
void print_row_terms(CWriter& w, const MatMulOp& op, int rows, bool pairs) {
  const DotSide left = left_of(op);
  for (int r = 0; r < rows; ++r) w.line("uint32_t row" + std::to_string(r) + " = 0;");
  w.loop("d", pairs ? op.depth / 4 : op.depth);
  for (int r = 0; r < rows; ++r) {
    const std::string n = std::to_string(r);
    if (!pairs) {
      const std::string index =
          c_plus("d * " + std::to_string(left.depth_step), int64_t{r} * left.step);
      w.line("row" + n + " += (uint32_t)" +
             c_plus("(" + left.from + ")[" + index + "]", left.offset) + ";");
      continue;
    }
    print_widened(w, {"u" + n,
                      "((const uint32_t *)(" + left.from + "))[d + " +
                          std::to_string(r * left.step / 4) + "]",
                      left.offset});
    print_pair_product(w, "u" + n + "_0", "65537u", "row" + n, false);
    print_pair_product(w, "u" + n + "_1", "65537u", "row" + n, false);
  }
  w.close();
  for (int r = 0; r < rows; ++r)
    w.line("row" + std::to_string(r) + " *= (uint32_t)" + c_int(op.right.offset) + ";");
}

void print_part(CWriter& w, const MatMulOp& op, EmitContext& context, const Part& part,
                const std::optional<HighMultiply>& form, bool pairs) {
  if (part.empty()) return;
  const auto open = [&](const char* name, int first, int end, int step) {
    const std::string v = name;
    w.open("for (int32_t " + v + " = " + std::to_string(first) + "; " + v + " < " +
           std::to_string(end) + "; " + v + " += " + std::to_string(step) + ")");
  };
  open("i", part.first_row, part.end_row, part.block.rows);
  DotSide right = right_of(op);
  const bool many_columns = part.end_column - part.first_column >= 2 * part.block.columns;
  const bool row_terms = right.offset != 0 && (pairs || many_columns);
  if (row_terms) print_row_terms(w, op, part.block.rows, pairs);
  open("j", part.first_column, part.end_column, part.block.columns);
  print_sums(w, part.block);
  if (row_terms) {
    right.offset = 0;
    for (int r = 0; r < part.block.rows; ++r)
      for (int c = 0; c < part.block.columns; ++c)
        w.line(dot_sum(r, c) + " = row" + std::to_string(r) + ";");
  }
  print_dot_products(w, {left_of(op), right}, op.depth, part.block, pairs);
  print_target(w, op, context);
  for (int r = 0; r < part.block.rows; ++r)
    for (int c = 0; c < part.block.columns; ++c)
      store(w, op, context, form, element(op, r, c), dot_sum(r, c));
  w.close().close();
}

// Returns the rows and columns of a block.
DotBlock block_of(const MatMulOp& op, const PairBlocks& blocks) {
  if (right_in_words(op)) return {blocks.staged_rows, blocks.streamed_rows()};
  return {blocks.streamed_rows(), blocks.staged_rows};
}

// Prints whole blocks: staged rows in the outer loop, streamed ones in the inner.
void print_pair_blocks(CWriter& w, const MatMulOp& op, EmitContext& context,
                       const PairBlocks& blocks, const std::optional<HighMultiply>& form) {
  const bool left_is_staged = right_in_words(op);
  const DotBlock block = block_of(op, blocks);
  const PairRequantise requantise{op.multiplier, op.shift, op.output_offset, reach_of(op)};
  const bool in_assembly = !leaves_sums(op) && op.steps.empty() && !form && requantise.fits();
  const auto open_rows = [&] { w.loop("i", op.rows / block.rows * block.rows, block.rows); };
  const auto open_columns = [&] {
    w.loop("j", op.columns / block.columns * block.columns, block.columns);
  };
  left_is_staged ? open_rows() : open_columns();
  blocks.print_staging(w);
  left_is_staged ? open_columns() : open_rows();
  blocks.print_sums(w);
  print_target(w, op, context);
  for (int row = 0; row < block.rows; ++row)
    for (int column = 0; column < block.columns; ++column) {
      const std::string sum = left_is_staged ? dot_sum(row, column) : dot_sum(column, row);
      if (in_assembly)
        requantise.print_store(w, element(op, row, column), sum);
      else
        store(w, op, context, form, element(op, row, column), sum);
    }
  w.close().close();
}

// Prints whole blocks, then the remaining columns, then the remaining rows.
void print_product(CWriter& w, const MatMulOp& op, EmitContext& context,
                   const std::optional<HighMultiply>& form, DotBlock block, bool pairs,
                   const std::optional<PairBlocks>& staged = std::nullopt) {
  const int rows = op.rows / block.rows * block.rows;
  const int columns = op.columns / block.columns * block.columns;
  if (staged)
    print_pair_blocks(w, op, context, *staged, form);
  else
    print_part(w, op, context, {0, rows, 0, columns, block}, form, pairs);
  print_part(w, op, context, {0, rows, columns, op.columns, {block.rows, 1, block.terms}}, form,
             pairs);
  print_part(w, op, context, {rows, op.rows, 0, columns, {1, block.columns, block.terms}}, form,
             pairs);
  print_part(w, op, context, {rows, op.rows, columns, op.columns, {1, 1, block.terms}}, form,
             pairs);
}

// Stages the side that costs less. Returns nullopt if plain blocks cost less than either.
std::optional<LaneBlocks> lane_blocks(const MatMulOp& op) {
  const LaneBlocks by_side[] = {
      {left_of(op), right_of(op), "i", "j", op.rows, op.columns, op.depth},
      {right_of(op), left_of(op), "j", "i", op.columns, op.rows, op.depth}};
  std::optional<LaneBlocks> best;
  int64_t least = 3 * int64_t{op.rows} * op.columns * op.depth;
  for (const LaneBlocks& blocks : by_side)
    if (blocks.fit() && blocks.instructions() < least) {
      least = blocks.instructions();
      best = blocks;
    }
  return best;
}

// Prints blocks, then the remaining rows of the staged side.
void print_lane_blocks(CWriter& w, const MatMulOp& op, EmitContext& context,
                       const LaneBlocks& blocks, const std::optional<HighMultiply>& form) {
  const bool left_is_staged = blocks.staged_row == "i";
  blocks.print(
      w, [&] { print_target(w, op, context); },
      [&](int staged, int streamed, const std::string& sum) {
        const int row = left_is_staged ? staged : streamed;
        const int column = left_is_staged ? streamed : staged;
        store(w, op, context, form, element(op, row, column), sum);
      });
  const int rest = blocks.staged_rows - blocks.rows_in_blocks();
  if (rest == 0) return;
  for (const int streamed : {4, 1}) {  // rows of a block
    const int whole = blocks.streamed_rows / 4 * 4;
    const int first = streamed == 4 ? 0 : whole, end = streamed == 4 ? whole : blocks.streamed_rows;
    const Part part = left_is_staged
                          ? Part{op.rows - rest, op.rows, first, end, {rest, streamed, 2}}
                          : Part{first, end, op.columns - rest, op.columns, {streamed, rest, 2}};
    print_part(w, op, context, part, form, false);
  }
}

// Holds the left side, or else the right one; returns nullopt if neither fits.
std::optional<HeldProducts> held_products(const MatMulOp& op, const ElementPass& pass) {
  const DotSide left = side_of(op.left, "left"), right = side_of(op.right, "right");
  for (const HeldProducts& products :
       {HeldProducts{left, right, op.rows, op.columns, op.depth, pass},
        HeldProducts{right, left, op.columns, op.rows, op.depth, pass}})
    if (products.fit()) return products;
  return std::nullopt;
}

void print_held_products(CWriter& w, const MatMulOp& op, EmitContext& context,
                         const HeldProducts& products, const std::optional<HighMultiply>& form) {
  const bool left_is_held = products.held.from == "left";
  products.print(w, form,
                 [&](int held, const std::string& i, int64_t added, const std::string& sum,
                     const std::optional<HighMultiply>& rest) {
                   const int64_t step = left_is_held ? 1 : op.columns;
                   const int64_t first = int64_t{held} * (left_is_held ? op.columns : 1);
                   const std::string at = c_scaled(i, step, added * step + first);
                   store(w, op, context, rest, context.output() + "[" + at + "]", sum);
                 });
}

}  // namespace

std::string emit(const MatMulOp& op, EmitContext& context) {
  constexpr int kManyRows = 12;  // so that those beyond whole blocks of four are few
  const CoreFacts& core = context.core();
  const std::optional<HighMultiply> form = short_form(op, core);
  CWriter w(1);
  std::string left = context.input(0), right = context.input(1);
  int loops = 0;
  for (size_t axis = 0; axis < op.batches.size(); ++axis) {
    if (op.batches[axis] == 1) continue;
    const std::string n = "n" + std::to_string(axis);
    w.loop(n, op.batches[axis]);
    ++loops;
    left += " + " + times(n, op.left.batch_steps[axis]);
    right += " + " + times(n, op.right.batch_steps[axis]);
  }
  w.line("const int8_t *const left = " + left + ";");
  w.line("const int8_t *const right = " + right + ";");
  const auto staged = pair_blocks(op, core.in_order);
  if (staged || has_pairs(op)) {
    w.line(kIfPairs);
    const DotBlock block = staged ? block_of(op, *staged) : kPairBlock;
    print_product(w, op, context, form, block, has_pairs(op), staged);
    w.line("#else");
  }
  const bool large = core.is_rv32 && (op.rows % 4 == 0 || op.rows >= kManyRows);
  const auto lanes = core.is_rv32 ? lane_blocks(op) : std::nullopt;
  const auto held = core.is_rv32 ? held_products(op, core.element_pass()) : std::nullopt;
  if (lanes)
    print_lane_blocks(w, op, context, *lanes, form);
  else if (held)
    print_held_products(w, op, context, *held, form);
  else
    print_product(w, op, context, form, large ? kLargeElementBlock : kElementBlock, false);
  if (staged || has_pairs(op)) w.line("#endif");
  if (loops > 0)
    w.line(context.output() + " += " + std::to_string(int64_t{op.rows} * op.columns) + ";");
  for (int i = 0; i < loops; ++i) w.close();
  return w.text();
}

bool in_place(const MatMulOp&, int) { return false; }

}  // namespace tinytune::emitter
