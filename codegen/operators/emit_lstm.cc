// UNIDIRECTIONAL_SEQUENCE_LSTM, unit by unit: a unit's cell needs no other unit's, and the hidden
// state stays what it was until every unit of the step is in the output. Zero points of int8 are
// folded into biases, which wraps as the reference's sums do; sums of int16 have 64 bits, but where
// weights prove that their products need no more than 32.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/gate_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/reference/gate_functions.h"

namespace tinytune {
namespace {

const SharedFunction kDot = {
    "dot",
    "/* `sum` and the products of two rows, modulo 2^32. */",
    R"(int32_t @_dot(const int8_t *x, const int8_t *weights, int32_t count, int32_t sum))",
    R"(
  uint32_t total = (uint32_t)sum;
  for (int32_t i = 0; i < count; ++i) total += (uint32_t)(x[i] * weights[i]);
  return (int32_t)total;
)",
    {}};

// The products of a row of int16, in a sum of that type.
std::string wide_dot_body(const std::string& type) {
  return "\n  " + type + R"( total = 0;
  for (int32_t i = 0; i < count; ++i) total += x[i] * weights[i];
  return total;
)";
}

const std::string kWideDotBody = wide_dot_body("int32_t");
const std::string kLongDotBody = wide_dot_body("int64_t");

const SharedFunction kWideDot = {
    "wide_dot",
    "/* The products of two rows, whose sum fits 32 bits. */",
    "int32_t @_wide_dot(const int16_t *x, const int8_t *weights, int32_t count)",
    kWideDotBody.c_str(),
    {}};

const SharedFunction kLongDot = {
    "long_dot",
    "/* The products of two rows. */",
    "int64_t @_long_dot(const int16_t *x, const int8_t *weights, int32_t count)",
    kLongDotBody.c_str(),
    {}};

const SharedFunction kSaturate = {"saturate_16",
                                  "/* The nearest 16-bit value. */",
                                  "int32_t @_saturate_16(int32_t x)",
                                  R"(
  return x < -32768 ? -32768 : x > 32767 ? 32767 : x;
)",
                                  {}};

const SharedFunction kLogistic = {
    "logistic_16",
    "/* The logistic function, 15 fraction bits, of a value with 12. */",
    "int32_t @_logistic_16(const int16_t *table, int32_t x)",
    R"(
  const int32_t y = @_between_points(table, 3 * (x < 0 ? -x : x), 9);
  return 16384 + ((x < 0 ? 511 - y : y + 512) >> 10);
)",
    {&kBetweenPoints}};

/// Prints the operator's loops; each gate ends in a variable of its name.
class LstmPrinter {
 public:
  LstmPrinter(const LstmOp& op, EmitContext& context)
      : op_(op),
        context_(context),
        type_(op.wide ? "int16_t" : "int8_t"),
        saturate_(context.helper(kSaturate)),
        logistic_(context.helper(kLogistic)),
        tanh_(context.helper(kTanh)),
        table_(context.constant("logistic", CType::kInt16, little_endian_bytes(logistic_table()))) {
  }

  std::string print() {
    const std::string at = op_.time_major ? "(t * " + std::to_string(op_.batch) + " + b)"
                                          : "(b * " + std::to_string(op_.steps) + " + t)";
    const std::string units = std::to_string(op_.units);
    w_.loop("t", op_.steps).loop("b", op_.batch);
    w_.line("const " + type_ + " *const x = " + context_.input(0) + " + " + at + " * " +
            std::to_string(op_.inputs) + ";");
    w_.line(type_ + " *const hidden = " + context_.input(18) + " + b * " + units + ";");
    w_.line("int16_t *const cell = " + context_.input(19) + " + b * " + units + ";");
    w_.line(type_ + " *const y = " + context_.output() + " + " + at + " * " + units + ";");
    w_.loop("u", op_.units);
    print_unit();
    w_.close();
    w_.loop("u", op_.units).line("hidden[u] = y[u];").close();
    w_.close().close();
    return w_.text();
  }

 private:
  // A gate's dense layer of one unit.
  struct Dense {
    std::string name;  // of its biases
    std::string row, weights;
    const std::vector<int8_t>& values;  // of `weights`
    int32_t offset = 0;                 // of what `row` holds
    std::vector<int64_t> bias;          // empty: none
    LstmOp::Scaling by;
  };

  size_t length(const Dense& d) const { return d.values.size() / static_cast<size_t>(op_.units); }

  // What a sum begins with, by unit.
  std::string biases(const Dense& d) {
    std::vector<int32_t> sums;
    for (size_t u = 0; u < static_cast<size_t>(op_.units); ++u) {
      uint32_t sum = d.bias.empty() ? 0 : static_cast<uint32_t>(d.bias[u]);
      for (size_t i = u * length(d); i < (u + 1) * length(d); ++i)
        sum += static_cast<uint32_t>(d.values[i] * d.offset);
      sums.push_back(static_cast<int32_t>(sum));
    }
    return context_.constant(d.name, CType::kInt32, little_endian_bytes(sums));
  }

  bool products_fit_32_bits(const Dense& d) const {
    for (size_t u = 0; u < static_cast<size_t>(op_.units); ++u) {
      int64_t most = 0;
      for (size_t i = u * length(d); i < (u + 1) * length(d); ++i)
        most += int64_t{std::abs(d.values[i])} * 32768;
      if (most > INT32_MAX) return false;
    }
    return true;
  }

  // The scaled sum, in a variable `v`.
  void print_dense(const Dense& d) {
    const std::string n = std::to_string(length(d));
    const std::string rows = "(" + d.row + ", " + d.weights + " + u * " + n + ", " + n;
    if (op_.wide) {
      std::string sum = context_.helper(products_fit_32_bits(d) ? kWideDot : kLongDot) + rows + ")";
      if (!d.bias.empty())
        sum = "(int64_t)" + sum + " + " + long_constant(context_, d.name, d.bias, "u");
      w_.line("const int32_t v = " + scale_long_text(context_, sum, d.by.multiplier, d.by.shift) +
              ";");
      return;
    }
    w_.line("int32_t v = " + context_.helper(kDot) + rows + ", " + biases(d) + "[u]);");
    print_requantise(w_, d.by.multiplier, d.by.shift);
  }

  // `gate`'s sum before its function, in a variable `name`. `at` is its place among the gates.
  void print_gate(const std::string& name, const LstmOp::Gate& gate, size_t at) {
    w_.line("int32_t " + name + ";");
    w_.open("");
    print_dense({name + "_bias", "x", context_.input(1 + at), gate.input_weights, op_.input_offset,
                 gate.bias, gate.input});
    w_.line(name + " = " + saturate_ + "(v);").close();
    w_.open("");
    print_dense({name + "_recurrent",
                 "hidden",
                 context_.input(5 + at),
                 gate.recurrent_weights,
                 -op_.hidden_zero_point,
                 {},
                 gate.recurrent});
    w_.line(name + " = " + saturate_ + "(" + name + " + " + saturate_ + "(v));").close();
  }

  // `v` scaled, of a product of two 16-bit values.
  void print_product(const std::string& product, const LstmOp::Scaling& by) {
    w_.line("int32_t v = " + product + ";");
    print_requantise(w_, by.multiplier, by.shift);
  }

  std::string tanh_of(const std::string& x, TableStep step) const {
    std::string scaled = x + " * " + std::to_string(step.factor);
    if (step.shift > 0)
      scaled =
          "(" + scaled + " + " + std::to_string(step.half()) + ") >> " + std::to_string(step.shift);
    return tanh_ + "(" + table_ + ", " + scaled + ")";
  }
  std::string logistic_of(const std::string& x) const {
    return logistic_ + "(" + table_ + ", " + x + ")";
  }

  void print_unit() {
    print_gate("forget", op_.forget, 1);
    print_gate("input", op_.input, 0);
    print_gate("candidate", op_.cell, 2);
    print_gate("shown", op_.output, 3);
    w_.line("int32_t kept, state;");
    w_.open("");
    print_product(logistic_of("forget") + " * cell[u]", op_.forget_cell);
    w_.line("kept = " + saturate_ + "(v);").close();
    w_.open("");
    print_product(logistic_of("input") + " * " + tanh_of("candidate", table_step(-12)),
                  op_.input_cell);
    w_.line("state = " + saturate_ + "(kept + " + saturate_ + "(v));").close();
    if (op_.cell_clip > 0) {
      const std::string most = std::to_string(op_.cell_clip);
      w_.line("if (state > " + most + ") state = " + most + ";");
      w_.line("if (state < -" + most + ") state = -" + most + ";");
    }
    w_.line("cell[u] = (int16_t)state;");
    print_product(tanh_of("state", table_step(op_.cell_power)) + " * " + logistic_of("shown"),
                  op_.output_hidden);
    const int low = op_.wide ? -32768 : -128;
    print_clamped_store(w_, {"y[u]", low, -low - 1, op_.hidden_zero_point, type_.c_str()});
  }

  const LstmOp& op_;
  EmitContext& context_;
  const std::string type_, saturate_, logistic_, tanh_, table_;
  CWriter w_{1};
};

std::string emit(const IntegerOp& any, EmitContext& context) {
  return LstmPrinter(std::get<LstmOp>(any), context).print();
}

}  // namespace

extern const OperatorEmitter kLstmEmitter;
const OperatorEmitter kLstmEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<LstmOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
