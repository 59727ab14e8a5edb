// Operators with bools: comparisons, LOGICAL_AND, LOGICAL_OR, SELECT_V2; and CAST.
#include "models/operators/predicates/form.h"

#include <fmt/format.h>

#include "models/operators/operands.h"

namespace tinytune {
namespace {

// TFLite compares int8 by scaling each side to a fixed point of its own scale, which must be
// below 1. Rounding may make values equal that are not.
constexpr int kCompareShift = 8;

Result<IntegerOp> prepare_relation(const OperatorView& view, Relation relation) {
  const Tensor &a = view.input(0), &b = view.input(1), &output = view.output();
  CompareOp op;
  op.relation = relation;
  op.type = a.type;
  if (a.type != b.type)
    return view.invalid(fmt::format("{} and {} differ in type", describe(a), describe(b)));
  if (output.type != ElementType::kBool)
    return view.unsupported(
        fmt::format("{} is {}, not bool", describe(output), name_of(output.type)));
  const bool logical = relation == Relation::kAnd || relation == Relation::kOr;
  const bool equality = relation == Relation::kEqual || relation == Relation::kNotEqual;
  const bool takes = logical ? a.type == ElementType::kBool
                             : a.type == ElementType::kInt8 || a.type == ElementType::kInt32 ||
                                   (equality && a.type == ElementType::kBool);
  if (!takes) return view.unsupported(fmt::format("{} is {}", describe(a), name_of(a.type)));
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view));
  op.elements = output.elements();
  for (size_t i = 0; i < 2; ++i) {
    const Tensor& t = view.input(i);
    op.constants[i] = t.data;
    if (a.type != ElementType::kInt8) continue;
    TT_TRY(view.require_int8(t));
    const QuantizedMultiplier m = quantize_multiplier(double{t.quantization.scales[0]});
    if (!(t.quantization.scales[0] < 1) || m.shift > 0)
      return view.unsupported(
          fmt::format("{} has a scale of 1 or more, which TFLite refuses", describe(t)));
    op.terms[i] = scaled_terms(t.quantization.zero_points[0], kCompareShift, m);
  }
  return IntegerOp(std::move(op));
}

bool is_integer(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kInt32 || type == ElementType::kInt16;
}

}  // namespace

Result<IntegerOp> prepare_equal(const OperatorView& view) {
  return prepare_relation(view, Relation::kEqual);
}
Result<IntegerOp> prepare_not_equal(const OperatorView& view) {
  return prepare_relation(view, Relation::kNotEqual);
}
Result<IntegerOp> prepare_greater(const OperatorView& view) {
  return prepare_relation(view, Relation::kGreater);
}
Result<IntegerOp> prepare_greater_equal(const OperatorView& view) {
  return prepare_relation(view, Relation::kGreaterEqual);
}
Result<IntegerOp> prepare_less(const OperatorView& view) {
  return prepare_relation(view, Relation::kLess);
}
Result<IntegerOp> prepare_less_equal(const OperatorView& view) {
  return prepare_relation(view, Relation::kLessEqual);
}
Result<IntegerOp> prepare_logical_and(const OperatorView& view) {
  return prepare_relation(view, Relation::kAnd);
}
Result<IntegerOp> prepare_logical_or(const OperatorView& view) {
  return prepare_relation(view, Relation::kOr);
}

Result<IntegerOp> prepare_select(const OperatorView& view) {
  const Tensor &condition = view.input(0), &x = view.input(1), &y = view.input(2);
  if (condition.type != ElementType::kBool)
    return view.unsupported(
        fmt::format("{} is {}, not bool", describe(condition), name_of(condition.type)));
  if (x.type != y.type || x.type != view.output().type)
    return view.invalid(fmt::format("{}, {} and {} differ in type", describe(x), describe(y),
                                    describe(view.output())));
  SelectOp op;
  op.element_bytes = static_cast<int>(size_of(x.type));
  if (op.element_bytes != 1 && op.element_bytes != 2 && op.element_bytes != 4)
    return view.unsupported(fmt::format("{} is {}", describe(x), name_of(x.type)));
  TT_TRY_ASSIGN(op.broadcast, broadcast_shapes(view));
  op.elements = view.output().elements();
  for (size_t i = 0; i < 3; ++i) op.constants[i] = view.input(i).data;
  return IntegerOp(std::move(op));
}

Result<IntegerOp> prepare_cast(const OperatorView& view) {
  const Tensor &input = view.input(0), &output = view.output();
  TT_TRY(view.require_shape(output, input.shape));
  if ((!is_integer(input.type) && input.type != ElementType::kBool) || !is_integer(output.type))
    return view.unsupported(
        fmt::format("from {} to {}", name_of(input.type), name_of(output.type)));
  return IntegerOp(CastOp{output.elements(), input.type, output.type});
}

}  // namespace tinytune
