// Softmax and norms of rows of plain integers, reductions, and products with an int32 side.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/little_endian.h"
#include "codegen/operators/constant_pool.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/operators/plain/emit_text.h"

namespace tinytune::emitter {
namespace {

// Prints code for each element of a row; `print` gets the index, "[i + 1]". Unrolled, except where
// elements have 64 bits: their code is long.
void print_row(CWriter& w, int depth, const CoreFacts& core,
               const std::function<void(const std::string& at)>& print, bool is_wide = false) {
  const auto element = [&](const std::string& i, int64_t added) {
    print("[" + c_plus(i, added) + "]");
  };
  if (!is_wide) return print_unrolled(w, depth, element, core.element_pass());
  w.loop("i", depth);
  element("i", 0);
  w.close();
}

// Returns whether a short row's terms are kept on the stack: looking one up again takes more
// instructions on cores that scale an index by a separate instruction.
bool keeps_terms(const PlainSoftmaxOp& op, bool is_wide, const CoreFacts& core) {
  constexpr int kShort = 64;
  return core.is_rv32 && !is_wide && op.shifts.empty() && op.depth <= kShort;
}

}  // namespace

// Scales the table of terms in advance where 32 bits suffice: a row's sum is divided by the scale
// once, without a remainder, instead of multiplying each element. The table is reversed, so that an
// element indexes it without a subtraction.
std::string emit(const PlainSoftmaxOp& op, EmitContext& context) {
  const uint64_t most = *std::max_element(op.terms.begin(), op.terms.end());
  const auto depth = static_cast<uint64_t>(op.depth);
  const bool by_shifts = !op.shifts.empty();
  const bool is_scaled = !by_shifts && op.scale > 0 && most <= UINT32_MAX / op.scale / depth;
  const bool is_wide = most * depth > UINT32_MAX || (!by_shifts && most * op.scale > UINT32_MAX);
  const std::string type = is_wide ? "uint64_t" : "uint32_t",
                    scale = std::to_string(op.scale) + "u";
  std::vector<uint32_t> terms(op.terms.rbegin(), op.terms.rend());
  for (uint32_t& term : terms) term *= is_scaled ? op.scale : 1;
  const auto from_largest = [&](const char* name, CType type_of, std::vector<uint8_t> bytes) {
    return context.constant(name, type_of, std::move(bytes)) + " + (127 - most);";
  };
  const std::string x = context.input(0), y = context.output();
  CWriter w(1);
  const auto each = [&](const std::function<void(const std::string& at)>& print) {
    print_row(w, op.depth, context.core(), print);
  };
  w.loop("row", op.rows);
  w.line("int32_t most = " + x + "[0];");
  each([&](const std::string& at) { w.line("if (" + x + at + " > most) most = " + x + at + ";"); });
  w.line("const uint32_t *const of = " +
         from_largest("terms", CType::kUint32, little_endian_bytes(terms)));
  w.line(type + " sum = 0;");
  const bool keeps = keeps_terms(op, is_wide, context.core());
  if (keeps) w.line("uint32_t kept[" + std::to_string(op.depth) + "];");
  each([&](const std::string& at) {
    w.line("sum += " + (keeps ? "kept" + at + " = " : "") + "of[" + x + at + " + 128];");
  });
  if (is_scaled) w.line("sum /= " + scale + ";");
  if (by_shifts) {
    const std::vector<uint8_t> shifts(op.shifts.rbegin(), op.shifts.rend());
    w.line("const " + type + " whole = " + scale + " / sum;");
    w.line("const uint8_t *const shifts = " + from_largest("shifts", CType::kUint8, shifts));
  }
  const std::string results =
      op.results.empty() ? "" : context.constant("results", CType::kInt8, bytes_of(op.results));
  each([&](const std::string& at) {
    const std::string d = "[" + x + at + " + 128]";
    const std::string term = keeps ? "kept" + at : "of" + d;
    const std::string share = by_shifts   ? "whole >> shifts" + d
                              : is_scaled ? term + " / sum"
                                          : "(" + type + ")" + term + " * " + scale + " / sum";
    w.line(y + at + " = " +
           (results.empty()
                ? "(int8_t)(" + c_plus("(int32_t)(" + share + ")", op.output_offset) + ")"
                : results + "[" + share + "]") +
           ";");
  });
  w.line(x + " += " + std::to_string(op.depth) + ";");
  w.line(y + " += " + std::to_string(op.depth) + ";");
  w.close();
  return w.text();
}

bool in_place(const PlainSoftmaxOp&, int) { return true; }

namespace {

constexpr const char* kRootSays = "/* The largest integer whose square is at most x. */";

std::string root_body(const std::string& type, const std::string& highest_bit) {
  return "\n  " + type + " root = 0;\n  for (" + type + " bit = " + highest_bit +
         R"(; bit > 0u; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return root;
)";
}

const std::string kRootBody = root_body("uint32_t", "UINT32_C(1) << 30");
const std::string kLongRootBody = "\n  if (x <= UINT32_MAX) return @_plain_root((uint32_t)x);" +
                                  root_body("uint64_t", "UINT64_C(1) << 62");
const SharedFunction kPlainRoot = {
    "plain_root", kRootSays, "uint32_t @_plain_root(uint32_t x)", kRootBody.c_str(), {}, true};
const SharedFunction kPlainRootLong = {
    "plain_root_long",     kRootSays,     "uint64_t @_plain_root_long(uint64_t x)",
    kLongRootBody.c_str(), {&kPlainRoot}, true};

// Cores divide 32 bits by an instruction, 64 by a call.
const SharedFunction kPlainShare = {"plain_share",
                                    "/* n / d towards zero, d above 0. */",
                                    "int64_t @_plain_share(int64_t n, int64_t d)",
                                    R"(
  if (n == (int32_t)n && d <= INT32_MAX) return (int32_t)n / (int32_t)d;
  return n / d;
)",
                                    {},
                                    true};

void print_normed(CWriter& w, const PlainNormOp& op, const std::string& y) {
  if (op.wraps)
    w.line(y + " = (int8_t)(uint8_t)t;");
  else
    w.line(y + " = (int8_t)(t < -128 ? -128 : t > 127 ? 127 : t);");
}

}  // namespace

std::string emit(const PlainNormOp& op, EmitContext& context) {
  // Less its row's mean, an element is at most twice as large as the largest.
  const int64_t reach = plain_reach(op.input) * (op.is_centred ? 2 : 1);
  const bool is_wide = op.input.type != ElementType::kInt8 ||
                       reach * reach * op.depth + 1 > UINT32_MAX ||
                       reach * largest(op.weights) + largest(op.bias) > INT32_MAX;
  const std::string type = is_wide ? "int64_t" : "int32_t", depth = std::to_string(op.depth);
  const std::string squares = is_wide ? "uint64_t" : "uint32_t";
  const bool one_weight = std::all_of(op.weights.begin(), op.weights.end(),
                                      [&](int32_t v) { return v == op.weights[0]; });
  const std::string weights =
      one_weight ? "" : context.constant("weights", CType::kInt32, little_endian_bytes(op.weights));
  const auto weight = [&](const std::string& at) {
    return one_weight ? c_int(op.weights[0]) : weights + at;
  };
  const std::string root = context.helper(is_wide ? kPlainRootLong : kPlainRoot);
  const std::string x = context.input(0), y = context.output();
  const auto element = [&](const std::string& at) {
    return "(" + type + ")" + plain_value(op.input, x + at) + (op.is_centred ? " - mean" : "");
  };
  CWriter w(1);
  const auto each = [&](const std::function<void(const std::string& at)>& print) {
    print_row(w, op.depth, context.core(), print, is_wide);
  };
  w.loop("row", op.rows);
  if (op.is_centred) {
    w.line(type + " mean = 0;");
    each([&](const std::string& at) { w.line("mean += " + plain_value(op.input, x + at) + ";"); });
    w.line("mean /= " + depth + ";");
  }
  // Products fit 32 bits if no element is larger than this.
  const int64_t most = INT32_MAX / std::max<int64_t>(largest(op.weights), 1);
  const bool may_be_short = is_wide && op.bias.empty() && most > 0;
  w.line(squares + " squares = 0;");
  if (may_be_short) w.line("uint64_t reach = 0;");
  each([&](const std::string& at) {
    w.open("");
    w.line("const " + type + " d = " + element(at) + ";");
    w.line("squares += (" + squares + ")d * (" + squares + ")d;");
    if (may_be_short) w.line("reach |= (uint64_t)(d < 0 ? -d : d);");
    w.close();
  });
  w.line("const " + type + " root = (" + type + ")" + root + "(squares / " + depth + "u + 1u);");
  const std::string shift = ") >> " + std::to_string(op.shift) + ";";
  if (may_be_short) {
    w.open("if (reach <= " + std::to_string(most) + "u)");
    w.line("const int32_t by = (int32_t)root;");
    each([&](const std::string& at) {
      w.line("const int32_t d = (int32_t)(" + element(at) + ");");
      w.line("const int32_t t = (d * " + weight(at) + " / by" + shift);
      print_normed(w, op, y + at);
    });
    w.close().open("else");
  }
  const std::string bias =
      op.bias.empty() ? "" : context.constant("bias", CType::kInt32, little_endian_bytes(op.bias));
  const std::string by = is_wide ? context.helper(kPlainShare) : "";
  each([&](const std::string& at) {
    const std::string product = "d * " + weight(at);
    w.open("");
    w.line("const " + type + " d = " + element(at) + ";");
    w.line("const " + type + " t = (" +
           (is_wide ? by + "(" + product + ", root)" : product + " / root") +
           (bias.empty() ? "" : " + " + bias + at) + shift);
    print_normed(w, op, y + at);
    w.close();
  });
  if (may_be_short) w.close();
  w.line(x + " += " + depth + ";");
  w.line(y + " += " + depth + ";");
  w.close();
  return w.text();
}

bool in_place(const PlainNormOp&, int) { return true; }

namespace {

// Opens loops over the kept axes, or over the reduced ones; returns their number.
int open_axes(CWriter& w, const PlainReduceOp& op, bool kept) {
  int depth = 0;
  for (size_t axis = 0; axis < op.extents.size(); ++axis)
    if (op.extents[axis] != 1 && (op.output_steps[axis] != 0) == kept) {
      w.loop("i" + std::to_string(axis), op.extents[axis]);
      ++depth;
    }
  return depth;
}

// Returns the index of the element at the loops' counters, or of the first one along `along`.
std::string place_of(const PlainReduceOp& op, std::optional<size_t> along = std::nullopt) {
  std::string place;
  int64_t step = 1;
  for (size_t axis = op.extents.size(); axis-- > 0; step *= op.extents[axis])
    if (op.extents[axis] != 1 && axis != along)
      place += (place.empty() ? "i" : " + i") + std::to_string(axis) + " * " + std::to_string(step);
  return place.empty() ? "0" : place;
}

// Returns the innermost axis of several elements if only it is reduced: rows are then contiguous.
std::optional<size_t> row_axis(const PlainReduceOp& op) {
  std::optional<size_t> innermost;
  for (size_t axis = op.extents.size(); axis-- > 0;) {
    if (op.extents[axis] == 1) continue;
    if (innermost && op.output_steps[axis] == 0) return std::nullopt;
    if (!innermost && op.output_steps[axis] != 0) return std::nullopt;
    if (!innermost) innermost = axis;
  }
  return innermost;
}

}  // namespace

std::string emit(const PlainReduceOp& op, EmitContext& context) {
  using Function = PlainReduceOp::Function;
  const bool is_mean = op.function == Function::kMean, is_sum = op.function == Function::kSum;
  const bool is_wide = is_mean && plain_reach(op.input) * op.count > INT32_MAX / 4;
  const std::string type = is_wide ? "int64_t" : "int32_t";
  const auto row = row_axis(op);
  CWriter w(1);
  int kept = open_axes(w, op, true);
  const bool takes_any = is_mean || is_sum;
  w.line((is_sum ? "uint32_t" : type) + " sum = " +
         (takes_any ? "0" : c_int(op.function == Function::kMaximum ? INT32_MIN : INT32_MAX)) +
         ";");
  const auto take = [&](const std::string& stored) {
    w.line("const int32_t x = " + plain_value(op.input, stored) + ";");
    if (takes_any)
      w.line(std::string("sum += ") + (is_sum ? "(uint32_t)" : "") + "x;");
    else
      w.line(std::string("if (x ") + (op.function == Function::kMaximum ? ">" : "<") +
             " sum) sum = x;");
  };
  if (row) {
    w.line(std::string(op.input.type == ElementType::kInt8 ? "const int8_t" : "const int32_t") +
           " *const row = " + context.input(0) + " + " + place_of(op, row) + ";");
    print_unrolled(w, op.extents[*row], [&](const std::string& i, int64_t added) {
      w.open("");
      take("row[" + c_plus(i, added) + "]");
      w.close();
    });
  } else {
    int reduced = open_axes(w, op, false);
    take(context.input(0) + "[" + place_of(op) + "]");
    for (; reduced > 0; --reduced) w.close();
  }
  w.open("");
  if (is_mean) {  // halves up
    const std::string whole = std::to_string(2 * op.count);
    w.line("const " + type + " twice = 2 * sum + " + std::to_string(op.count) + ";");
    w.line("int32_t v = (int32_t)(twice / " + whole + ") - (twice % " + whole + " < 0 ? 1 : 0);");
  } else {
    w.line("int32_t v = (int32_t)sum;");
  }
  print_clamped_store(w, plain_store("*" + context.output(), op.output));
  w.close();
  w.line("++" + context.output() + ";");
  for (; kept > 0; --kept) w.close();
  return w.text();
}

bool in_place(const PlainReduceOp&, int) { return false; }

std::string emit(const PlainMatMulOp& op, EmitContext& context) {
  const auto place = [&](const PlainMatMulOp::Side& side, const char* across) {
    std::string sum;
    for (size_t axis = 0; axis < op.batches.size(); ++axis)
      if (op.batches[axis] != 1)
        sum += "n" + std::to_string(axis) + " * " + std::to_string(side.batch_steps[axis]) + " + ";
    return sum + across + " * " + std::to_string(side.step) + " + d * " +
           std::to_string(side.depth_step);
  };
  CWriter w(1);
  int loops = 2;
  for (size_t axis = 0; axis < op.batches.size(); ++axis)
    if (op.batches[axis] != 1) {
      w.loop("n" + std::to_string(axis), op.batches[axis]);
      ++loops;
    }
  w.loop("i", op.rows).loop("j", op.columns);
  w.line("uint32_t sum = 0;");
  w.loop("d", op.depth);
  w.line("sum += (uint32_t)" +
         plain_value(op.left.operand, context.input(0) + "[" + place(op.left, "i") + "]") +
         " * (uint32_t)" +
         plain_value(op.right.operand, context.input(1) + "[" + place(op.right, "j") + "]") + ";");
  w.close();
  w.line("*" + context.output() + "++ = (int32_t)sum;");
  for (; loops > 0; --loops) w.close();
  return w.text();
}

bool in_place(const PlainMatMulOp&, int) { return false; }

}  // namespace tinytune::emitter
