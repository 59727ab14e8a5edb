// Elementwise operators on plain integers: REQUANT_SHIFT, tables, arithmetic, divisions.
#include "models/operators/plain/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/operands.h"
#include "models/operators/plain/operands.h"

namespace tinytune {
namespace {

constexpr size_t kBytes = 256;

Status require_int32(const OperatorView& view, const Tensor& tensor) {
  if (tensor.type == ElementType::kInt32) return ok_status();
  return view.unsupported(
      fmt::format("{} is {}, not int32", describe(tensor), name_of(tensor.type)));
}

// Reads the broadcast, the types and offsets, and the constants of two operands.
template <typename Op>
Status read_pair(const OperatorView& view, Op& op) {
  TT_TRY(require_int32(view, view.output()));
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view, 2));
  for (size_t i = 0; i < 2; ++i) {
    TT_TRY_ASSIGN(op.inputs[i], plain_operand(view, view.input(i)));
    op.constants[i] = view.input(i).data;
  }
  return ok_status();
}

PlainArithmeticOp::Function function_of(OperatorKind kind) {
  using Function = PlainArithmeticOp::Function;
  switch (kind) {
    case OperatorKind::kIntegerSub:
      return Function::kSubtract;
    case OperatorKind::kIntegerMul:
      return Function::kMultiply;
    case OperatorKind::kIntegerMax:
      return Function::kMaximum;
    case OperatorKind::kIntegerMin:
      return Function::kMinimum;
    default:
      return Function::kAdd;
  }
}

constexpr size_t kScaledPair = 2;  // first input of REQUANT_SHIFT's operands

// Returns the form of a product of bytes that scales its result.
Result<IntegerOp> scaled_product(const OperatorView& view) {
  MulOp op;
  const std::array<int32_t*, 2> offsets = {&op.input1_offset, &op.input2_offset};
  for (size_t i = 0; i < 2; ++i) {
    TT_TRY(view.require_int8(view.input(i)));
    TT_TRY_ASSIGN(const PlainOperand operand, plain_operand(view, view.input(i)));
    *offsets[i] = operand.offset;
  }
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view, 2));
  op.constants = constant_operands(view);
  op.elements = view.output().elements();
  TT_TRY_ASSIGN(const ByteScaling scaling, read_byte_scaling(view, kScaledPair));
  op.multiplier = scaling.multiplier;
  op.shift = scaling.shift;
  op.steps = scaling.steps;
  return IntegerOp(std::move(op));
}

}  // namespace

// Inputs: x, multiplier, addend, {shift, low, high}.
Result<IntegerOp> prepare_requant_shift(const OperatorView& view) {
  TT_TRY_ASSIGN(RequantShiftOp op, read_requant_shift(view, 1));
  TT_TRY_ASSIGN(op.input, plain_operand(view, view.input(0)));
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view, 3));
  TT_TRY(view.require_shape(view.output(), view.input(0).shape));
  return IntegerOp(std::move(op));
}

// Inputs: x, a table of 256.
Result<IntegerOp> prepare_integer_table(const OperatorView& view) {
  PlainTableOp op;
  TT_TRY(view.require_int8(view.input(0)));
  TT_TRY(require_int32(view, view.output()));
  TT_TRY(view.require_shape(view.output(), view.input(0).shape));
  TT_TRY_ASSIGN(op.table, int32_constant(view, view.input(1)));
  if (op.table.size() != kBytes) return view.invalid("its table");
  op.elements = view.output().elements();
  return IntegerOp(std::move(op));
}

// Inputs: a, b, two tables of 256, the table of the sums.
Result<IntegerOp> prepare_integer_sum_table(const OperatorView& view) {
  SumTableOp op;
  for (const Tensor* t : {&view.input(0), &view.input(1), &view.output()})
    TT_TRY(view.require_int8(*t));
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view, 2));
  op.constants = constant_operands(view);
  TT_TRY_ASSIGN(const auto terms, int32_constant(view, view.input(2)));
  TT_TRY_ASSIGN(const auto table, int32_constant(view, view.input(3)));
  if (terms.size() != 2 * kBytes) return view.invalid("its tables");
  int32_t largest = 0;
  for (size_t i = 0; i < 2; ++i) {
    const auto first = terms.begin() + static_cast<ptrdiff_t>(i * kBytes);
    const auto [least, most] = std::minmax_element(first, first + kBytes);
    if (*least < 0 || *most > INT16_MAX) return view.invalid("its tables");
    largest += *most;
    op.terms[i].assign(first, first + kBytes);
  }
  if (static_cast<size_t>(largest) >= table.size()) return view.invalid("its tables");
  for (const int32_t value : table) op.table.push_back(static_cast<int8_t>(value));
  return IntegerOp(std::move(op));
}

// Inputs: a and b; for INTEGER_MUL of bytes, REQUANT_SHIFT's operands may follow.
Result<IntegerOp> prepare_integer_arithmetic(const OperatorView& view) {
  if (view.op().kind == OperatorKind::kIntegerMul && view.inputs() > kScaledPair)
    return scaled_product(view);
  PlainArithmeticOp op;
  op.function = function_of(view.op().kind);
  TT_TRY(read_pair(view, op));
  return IntegerOp(std::move(op));
}

// Inputs: x, y, {Delta, eta, eps, whether it rounds to the nearest}.
Result<IntegerOp> prepare_integer_division(const OperatorView& view) {
  PlainDivideOp op;
  TT_TRY(read_pair(view, op));
  TT_TRY_ASSIGN(const auto numbers, int32_constant(view, view.input(2)));
  if (numbers.size() != 4) return view.invalid("its constants");
  op.numerator = int64_t{numbers[0]} * numbers[1];
  op.factor = numbers[1];
  op.summand = numbers[2];
  op.to_nearest = numbers[3] != 0;
  constexpr int64_t kMost = int64_t{1} << 31;  // so that no product leaves 64 bits
  if (std::abs(op.numerator) > 2 * kMost - 1 || std::abs(op.factor) > kMost)
    return view.unsupported("Delta times eta beyond 2^32");
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
