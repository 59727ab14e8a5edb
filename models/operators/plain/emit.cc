// Elementwise operators on plain integers. Products have 64 bits, unless an operand's type and the
// constants prove that 32 suffice.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/little_endian.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/operators/plain/emit_text.h"

namespace tinytune::emitter {
namespace {

int64_t elements_of(const Broadcast& broadcast) {
  int64_t elements = 1;
  for (const int extent : broadcast.extents) elements *= extent;
  return elements;
}

// Prints lines that compute, clamp and store one element; `x` reads it.
void print_requant_shift(CWriter& w, const RequantShiftOp& op, const std::string& x,
                         const std::string& multiplier, const std::string& addend,
                         const std::string& output) {
  const __int128 reach =
      static_cast<__int128>(plain_reach(op.input)) * largest(op.multiplier) + largest(op.addend);
  const bool is_short = reach <= INT32_MAX, fits = (reach >> op.shift) <= INT32_MAX;
  const std::string shift = std::to_string(op.shift), cast = is_short ? "" : "(int64_t)";
  const std::string sum = cast + plain_value(op.input, x) + " * " + multiplier + " + " + addend;
  if (fits) {
    w.line("int32_t v = " + std::string(is_short ? "" : "(int32_t)") + "((" + sum + ") >> " +
           shift + ");");
  } else {
    w.line("const int64_t y = (" + sum + ") >> " + shift + ";");
    w.line("int32_t v = y < " + c_int(op.output.low) + " ? " + c_int(op.output.low) + " : y > " +
           c_int(op.output.high) + " ? " + c_int(op.output.high) + " : (int32_t)y;");
  }
  print_clamped_store(w, plain_store(output, op.output));
}

// Limits of inputs: numbers below `low` give the lowest result, those above `high` the highest.
struct InputEnds {
  int64_t low, high;
};

// Returns the limits, if there is one scale and its products and sums between them fit 32 bits.
std::optional<InputEnds> input_ends(const RequantShiftOp& op) {
  const __int128 multiplier = op.multiplier[0], addend = op.addend[0];
  if (multiplier < 1 || op.input.offset != 0) return std::nullopt;
  const auto scaled = [&](__int128 x) { return (x * multiplier + addend) >> op.shift; };
  const auto first_from = [&](int64_t result) {  // the least number that gives it
    const __int128 wanted = (static_cast<__int128>(result) << op.shift) - addend;
    return wanted / multiplier + (wanted % multiplier > 0 ? 1 : 0);
  };
  const __int128 low = first_from(op.output.low), high = first_from(op.output.high + 1LL) - 1;
  const auto is_short = [](__int128 x) { return x > INT32_MIN && x < INT32_MAX; };
  for (const __int128 end : {low, high})
    if (!is_short(end) || !is_short(end * multiplier) || !is_short(end * multiplier + addend))
      return std::nullopt;
  if (scaled(low) != op.output.low || scaled(high) != op.output.high) return std::nullopt;
  return InputEnds{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

// Clamps first, so that no product has 64 bits, which RV32 shifts by many instructions.
void print_clamped_first(CWriter& w, const RequantShiftOp& op, const InputEnds& ends,
                         const std::string& x, const std::string& output) {
  w.line("int32_t x = " + x + ";");
  w.line("if (x < " + c_int(ends.low) + ") x = " + c_int(ends.low) + ";");
  w.line("if (x > " + c_int(ends.high) + ") x = " + c_int(ends.high) + ";");
  const std::string sum = c_plus("x * " + c_int(op.multiplier[0]), op.addend[0]);
  w.line(output + " = (" + c_type_of(op.output.type) + ")(" +
         c_plus("((" + sum + ") >> " + std::to_string(op.shift) + ")", op.output.offset) + ");");
}

std::string long_number(int64_t value) {
  if (value == static_cast<int32_t>(value)) return c_int(value);
  return value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + std::to_string(value) + ")";
}

}  // namespace

std::string emit(const RequantShiftOp& op, EmitContext& context) {
  CWriter w(1);
  if (op.multiplier.size() == 1 && op.addend.size() == 1) {
    const bool is_long = op.input.type != ElementType::kInt8 && context.core().is_rv32;
    const auto ends = is_long ? input_ends(op) : std::nullopt;
    print_elementwise(w, elements_of(op.broadcast), unary_pointers(context),
                      [&](CWriter& e, const auto& x, const auto&, const auto& out) {
                        if (ends) return print_clamped_first(e, op, *ends, x, out);
                        print_requant_shift(e, op, x, c_int(op.multiplier[0]),
                                            long_number(op.addend[0]), out);
                      });
    return w.text();
  }
  const std::string multipliers =
      context.constant("multiplier", CType::kInt32, little_endian_bytes(op.multiplier));
  const int loops = open_broadcast_loops(w, op.broadcast);
  w.line("const int32_t c = " + broadcast_offset(op.broadcast, 2) + ";");
  print_requant_shift(w, op, context.input(0) + "[" + broadcast_offset(op.broadcast, 0) + "]",
                      multipliers + "[" + broadcast_offset(op.broadcast, 1) + "]",
                      long_constant(context, "addend", op.addend, "c"), "*" + context.output());
  w.line("++" + context.output() + ";");
  for (int i = 0; i < loops; ++i) w.close();
  return w.text();
}

bool in_place(const RequantShiftOp&, int) { return true; }

namespace {

// Returns whether all steps are equal, so that the table is a product.
bool is_linear(const std::vector<int32_t>& table) {
  const int64_t step = int64_t{table[1]} - table[0];
  if (std::abs(step) > INT16_MAX) return false;
  for (size_t i = 1; i < table.size(); ++i)
    if (int64_t{table[i]} - table[i - 1] != step) return false;
  return true;
}

}  // namespace

std::string emit(const PlainTableOp& op, EmitContext& context) {
  if (is_linear(op.table)) {
    CWriter w(1);
    print_elementwise(w, op.elements, unary_pointers(context),
                      [&](CWriter& e, const auto& x, const auto&, const auto& out) {
                        e.line(out + " = " +
                               c_plus(x + " * " + c_int(op.table[1] - op.table[0]), op.table[128]) +
                               ";");
                      });
    return w.text();
  }
  const std::string table = context.constant("table", CType::kInt32, little_endian_bytes(op.table));
  CWriter w(1);
  print_elementwise(w, op.elements, unary_pointers(context),
                    [&](CWriter& e, const auto& x, const auto&, const auto& out) {
                      e.line(out + " = " + table + "[" + x + " + 128];");
                    });
  return w.text();
}

bool in_place(const PlainTableOp&, int) { return true; }

namespace {

// Returns whether every byte's term is the byte plus 128.
bool is_identity(const std::vector<int16_t>& terms) {
  for (size_t i = 0; i < terms.size(); ++i)
    if (terms[i] != static_cast<int16_t>(i)) return false;
  return true;
}

// Stores the terms as bytes if they suffice, so that a core need not scale the index.
std::string terms_constant(EmitContext& context, const char* name,
                           const std::vector<int16_t>& terms) {
  if (*std::max_element(terms.begin(), terms.end()) > UINT8_MAX)
    return context.constant(name, CType::kInt16, little_endian_bytes(terms));
  return context.constant(name, CType::kUint8, std::vector<uint8_t>(terms.begin(), terms.end()));
}

// The innermost axis of several elements, if one operand is broadcast along it and the other is
// not. `repeated`: the index of the former.
struct RepeatedRow {
  size_t axis = 0, repeated = 0;
};
std::optional<RepeatedRow> repeated_row(const Broadcast& broadcast) {
  for (size_t axis = broadcast.extents.size(); axis-- > 0;) {
    if (broadcast.extents[axis] == 1) continue;
    for (size_t i = 0; i < 2; ++i)
      if (broadcast.steps[i][axis] == 0 && broadcast.steps[1 - i][axis] == 1)
        return RepeatedRow{axis, i};
    break;
  }
  return std::nullopt;
}

// Prints one look-up for each element of a row; the row's repeated element determines where its
// part of the table begins.
template <typename Term>
void print_rows_of_table(CWriter& w, const SumTableOp& op, const RepeatedRow& row,
                         const std::string& table, EmitContext& context, const Term& term) {
  Broadcast outer = op.broadcast;
  outer.extents[row.axis] = 1;
  const size_t along = 1 - row.repeated;
  const ElementPointers pointers = binary_pointers(context);
  const auto first = [&](size_t i) {
    return (i == 0 ? pointers.a : pointers.b) + "[" + broadcast_offset(outer, i) + "]";
  };
  const int loops = open_broadcast_loops(w, outer);
  w.open("");
  w.line("const int8_t *const part = " + table + " + (" + term(row.repeated, first(row.repeated)) +
         ");");
  w.line("const int8_t *const from = &" + first(along) + ";");
  const auto look_up = [&](const std::string& i, int64_t added) {
    const std::string at = "[" + c_plus(i, added) + "]";
    w.line(context.output() + at + " = part[" + term(along, "from" + at) + "];");
  };
  print_unrolled(w, op.broadcast.extents[row.axis], look_up, pointers.pass);
  w.close();
  w.line(context.output() + " += " + std::to_string(op.broadcast.extents[row.axis]) + ";");
  for (int i = 0; i < loops; ++i) w.close();
}

// Two axes of several elements, if one operand, `repeated`, has the inner one only, contiguous.
struct RepeatedRows {
  size_t outer = 0, inner = 0, repeated = 0;
};
std::optional<RepeatedRows> repeated_rows(const Broadcast& broadcast) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < broadcast.extents.size(); ++axis)
    if (broadcast.extents[axis] > 1) axes.push_back(axis);
  if (axes.size() != 2) return std::nullopt;
  for (size_t i = 0; i < 2; ++i)
    if (broadcast.steps[i][axes[0]] == 0 && broadcast.steps[i][axes[1]] == 1 &&
        broadcast.steps[1 - i][axes[0]] != 0)
      return RepeatedRows{axes[0], axes[1], i};
  return std::nullopt;
}

// Prints column by column: the column's element of the repeated row determines where its part of
// the table begins.
template <typename Term>
void print_columns_of_table(CWriter& w, const SumTableOp& op, const RepeatedRows& rows,
                            const std::string& table, EmitContext& context, const Term& term) {
  const size_t along = 1 - rows.repeated;
  const ElementPointers pointers = binary_pointers(context);
  const std::string inputs[] = {pointers.a, pointers.b};
  const auto at = [](const std::string& pointer, int64_t step, const std::string& i,
                     int64_t added) {
    return pointer + "[" + c_scaled(i, step, added * step) + "]";
  };
  const int columns = op.broadcast.extents[rows.inner];
  w.loop("c", columns);
  w.line("const int8_t *const part = " + table + " + (" +
         term(rows.repeated, inputs[rows.repeated] + "[c]") + ");");
  w.line("const int8_t *const from = " + inputs[along] + " + c * " +
         std::to_string(op.broadcast.steps[along][rows.inner]) + ";");
  w.line("int8_t *const to = (int8_t *)" + pointers.output + " + c;");  // or of uint8_t
  const auto look_up = [&](const std::string& i, int64_t added) {
    const std::string x = at("from", op.broadcast.steps[along][rows.outer], i, added);
    w.line(at("to", columns, i, added) + " = part[" + term(along, x) + "];");
  };
  print_unrolled(w, op.broadcast.extents[rows.outer], look_up, pointers.pass);
  w.close();
}

}  // namespace

std::string emit(const SumTableOp& op, EmitContext& context) {
  const std::string table = context.constant("table", CType::kInt8, bytes_of(op.table));
  const char* const names[] = {"first", "second"};
  std::array<std::string, 2> terms;
  for (size_t i = 0; i < 2; ++i)
    if (!is_identity(op.terms[i])) terms[i] = terms_constant(context, names[i], op.terms[i]);
  const auto term = [&](size_t i, const std::string& x) {
    return terms[i].empty() ? x + " + 128" : terms[i] + "[" + x + " + 128]";
  };
  CWriter w(1);
  if (const auto row = repeated_row(op.broadcast)) {
    print_rows_of_table(w, op, *row, table, context, term);
    return w.text();
  }
  if (const auto rows = repeated_rows(op.broadcast)) {
    print_columns_of_table(w, op, *rows, table, context, term);
    return w.text();
  }
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line(out + " = " + table + "[" + term(0, a) + " + " + term(1, b) + "];");
                    });
  return w.text();
}

bool in_place(const SumTableOp&, int) { return true; }

std::string emit(const PlainArithmeticOp& op, EmitContext& context) {
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line(out + " = " +
                             raw_expression(op.function, plain_value(op.inputs[0], a),
                                            plain_value(op.inputs[1], b)) +
                             ";");
                    });
  return w.text();
}

bool in_place(const PlainArithmeticOp&, int) { return true; }

namespace {

const SharedFunction kPlainQuotient = {
    "plain_quotient",
    "/* n / d, towards minus infinity or, where `nearest` is not 0, to the nearest with halves "
    "away\n"
    " * from zero; 0 by 0. */",
    "int32_t @_plain_quotient(int64_t n, int64_t d, int32_t nearest)",
    R"(
  if (d == 0) return 0;
  if (nearest != 0) n += n >= 0 ? d >> 1 : -(d >> 1);
  /* Cores divide 32 bits by an instruction, 64 by a call. */
  if (n > INT32_MIN && n <= INT32_MAX && d >= INT32_MIN && d <= INT32_MAX) {
    const int32_t a = (int32_t)n, b = (int32_t)d, whole = a / b;
    return nearest == 0 && a % b != 0 && (a < 0) != (b < 0) ? whole - 1 : whole;
  }
  const int64_t quotient = n / d;
  const int64_t above = nearest == 0 && n % d != 0 && (n < 0) != (d < 0) ? 1 : 0;
  return (int32_t)(uint32_t)(uint64_t)(quotient - above);
)",
    {}};

}  // namespace

std::string emit(const PlainDivideOp& op, EmitContext& context) {
  const std::string quotient = context.helper(kPlainQuotient);
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line(out + " = " + quotient + "(INT64_C(" + std::to_string(op.numerator) +
                             ") * " + plain_value(op.inputs[0], a) + ", INT64_C(" +
                             std::to_string(op.factor) + ") * " + plain_value(op.inputs[1], b) +
                             " + " + std::to_string(op.summand) + ", " +
                             (op.to_nearest ? "1" : "0") + ");");
                    });
  return w.text();
}

bool in_place(const PlainDivideOp&, int) { return true; }

}  // namespace tinytune::emitter
