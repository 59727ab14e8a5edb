// BATCH_MATMUL of two computed matrices: four columns at a time share each element of a row.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

constexpr int kBlock = 4;

std::string times(const std::string& variable, int64_t step) {
  return variable + " * " + std::to_string(step);
}

// The columns from `first` on, to `end`, `block` at a time, of row i.
void print_columns(CWriter& w, const MatMulOp& op, EmitContext& context, int first, int end,
                   int block) {
  const auto sum = [](int k) { return "s" + std::to_string(k); };
  w.open("for (int32_t j = " + std::to_string(first) + "; j < " + std::to_string(end) +
         "; j += " + std::to_string(block) + ")");
  w.line("const int8_t *x = left + " + times("i", op.left.step) + ";");
  w.line("const int8_t *y = right + " + times("j", op.right.step) + ";");
  for (int k = 0; k < block; ++k) w.line("int32_t " + sum(k) + " = 0;");
  w.loop("d", op.depth);
  w.line("const int32_t u = " + c_plus("*x", op.left.offset) + ";");
  for (int k = 0; k < block; ++k)
    w.line(sum(k) + " += u * (" +
           c_plus("y[" + std::to_string(k * op.right.step) + "]", op.right.offset) + ");");
  w.line("x += " + std::to_string(op.left.depth_step) + ";");
  w.line("y += " + std::to_string(op.right.depth_step) + ";").close();
  for (int k = 0; k < block; ++k) {
    if (!op.steps.empty()) {
      w.line("*" + context.output() + "++ = (int8_t)" +
             byte_steps_text(context, op.steps, sum(k)) + ";");
      continue;
    }
    w.open("").line("int32_t v = " + sum(k) + ";");
    print_requantise(w, op.multiplier, op.shift);
    print_clamped_store(w, {"*" + context.output() + "++", -128, 127, op.output_offset});
    w.close();
  }
  w.close();
}

std::string emit(const IntegerOp& any, EmitContext& context) {
  const MatMulOp& op = std::get<MatMulOp>(any);
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
  w.loop("i", op.rows);
  const int whole = op.columns / kBlock * kBlock;
  if (whole > 0) print_columns(w, op, context, 0, whole, kBlock);
  if (whole < op.columns) print_columns(w, op, context, whole, op.columns, 1);
  w.close();
  for (int i = 0; i < loops; ++i) w.close();
  return w.text();
}

}  // namespace

extern const OperatorEmitter kMatMulEmitter;
const OperatorEmitter kMatMulEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<MatMulOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
