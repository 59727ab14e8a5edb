// Comparisons, logic, SELECT_V2 and CAST.
//
// int8 operands are compared in fixed point, by tables. If both have the same table and different
// values stay different in it, the stored values compare the same without tables.
#include <algorithm>

#include "base/little_endian.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

const char* symbol_of(Relation relation) {
  switch (relation) {
    case Relation::kEqual:
      return " == ";
    case Relation::kNotEqual:
      return " != ";
    case Relation::kGreater:
      return " > ";
    case Relation::kGreaterEqual:
      return " >= ";
    case Relation::kLess:
      return " < ";
    case Relation::kLessEqual:
      return " <= ";
    case Relation::kAnd:
      return " && ";
    case Relation::kOr:
      break;
  }
  return " || ";
}

bool compares_raw(const CompareOp& op) {
  return op.terms[0] == op.terms[1] &&
         std::adjacent_find(op.terms[0].begin(), op.terms[0].end(),
                            [](int32_t a, int32_t b) { return a >= b; }) == op.terms[0].end();
}

}  // namespace

std::string emit(const CompareOp& op, EmitContext& context) {
  std::array<std::string, 2> tables;
  const char* const names[] = {"first", "second"};
  for (size_t i = 0; i < 2; ++i)
    if (!compares_raw(op))
      tables[i] = context.constant(names[i], CType::kInt32, little_endian_bytes(op.terms[i]));
  const auto value = [&](size_t operand, const std::string& x) {
    if (op.type == ElementType::kBool) return "(" + x + " != 0)";
    return tables[operand].empty() ? x : tables[operand] + "[" + x + " + 128]";
  };
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line(out + " = " + value(0, a) + symbol_of(op.relation) + value(1, b) + " ? 1 : 0;");
      });
  return w.text();
}

// Not for int32: a broadcast operand of words may have as many bytes as the result.
bool in_place(const CompareOp& op, int) { return size_of(op.type) == 1; }

// Copies elements as unsigned integers: the operands may have any type of that size.
std::string emit(const SelectOp& op, EmitContext& context) {
  const std::string type = "uint" + std::to_string(8 * op.element_bytes) + "_t";
  CWriter w(1);
  w.line("const " + type + " *a = (const " + type + " *)" + context.input(1) + ";");
  w.line("const " + type + " *b = (const " + type + " *)" + context.input(2) + ";");
  w.line(type + " *to = (" + type + " *)" + context.output() + ";");
  const std::string condition = context.input(0);
  if (op.broadcast.equal_shapes) {
    print_unrolled(w, op.elements, [&](const std::string& variable, int64_t added) {
      const std::string at = "[" + c_plus(variable, added) + "]";
      w.line("to" + at + " = " + condition + at + " != 0 ? a" + at + " : b" + at + ";");
    });
    return w.text();
  }
  const int loops = open_broadcast_loops(w, op.broadcast);
  w.line("*to++ = " + condition + "[" + broadcast_offset(op.broadcast, 0) + "] != 0 ? a[" +
         broadcast_offset(op.broadcast, 1) + "] : b[" + broadcast_offset(op.broadcast, 2) + "];");
  for (int i = 0; i < loops; ++i) w.close();
  return w.text();
}

bool in_place(const SelectOp&, int) { return true; }

std::string emit(const CastOp& op, EmitContext& context) {
  // Converts through the unsigned type, in which a number that does not fit wraps.
  const std::string type = c_type_of(op.to);
  CWriter w(1);
  print_elementwise(w, op.elements, unary_pointers(context),
                    [&](CWriter& e, const auto& from, const auto&, const auto& to) {
                      const std::string x =
                          op.from == ElementType::kBool ? "(" + from + " != 0 ? 1 : 0)" : from;
                      e.line(to + " = (" + type + ")(u" + type + ")" + x + ";");
                    });
  return w.text();
}

bool in_place(const CastOp&, int) { return false; }

}  // namespace tinytune::emitter
