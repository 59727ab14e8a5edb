// UNIDIRECTIONAL_SEQUENCE_LSTM, unit by unit: a unit's cell depends on no other unit's, and the
// hidden state is updated after all units of a step are in the output. Zero points of int8 are
// folded into biases, which wrap as the reference's sums do, and a unit's four gates share their
// inputs. Sums of int16 have 64 bits, except products that the weights prove to fit 32.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/gate_text.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"
#include "models/reference/gate_functions.h"

namespace tinytune::emitter {
namespace {

constexpr int kGates = 4, kWord = 4;

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

// Weights of the four gates are interleaved, [unit][input][gate] or, if rows are whole words,
// [unit][four inputs][gate][input]: one pointer reads them all, so the sums stay in registers.
std::string dots_body(bool in_words) {
  CWriter w(1);
  for (int i = 0; i < kGates; ++i)
    w.line("uint32_t " + numbered("s", i) + " = (uint32_t)starts[" + std::to_string(i) + "];");
  w.line("const int8_t *const end = x + count;");
  const int inputs = in_words ? kWord : 1;
  const std::string next = "for (; x != end; x += " + std::to_string(inputs) +
                           ", weights += " + std::to_string(kGates * inputs) + ")";
  if (in_words) {
    w.line(kIfPairs);
    w.open(next);
    print_widened(w, {"u", "*(const uint32_t *)x", 0});
    for (int i = 0; i < kGates; ++i) {
      const std::string v = numbered("v", i);
      print_widened(w, {v, "((const uint32_t *)weights)[" + std::to_string(i) + "]", 0});
      print_pair_products(w, "u", v, numbered("s", i));
    }
    w.close().line("#endif");
  }
  w.open(next);
  for (int k = 0; k < inputs; ++k) {
    const std::string u = numbered("u", k);
    w.line("const int32_t " + u + " = x[" + std::to_string(k) + "];");
    for (int i = 0; i < kGates; ++i)
      w.line(numbered("s", i) + " += (uint32_t)(" + u + " * weights[" +
             std::to_string(inputs * i + k) + "]);");
  }
  w.close();
  for (int i = 0; i < kGates; ++i)
    w.line("sums[" + std::to_string(i) + "] = (int32_t)" + numbered("s", i) + ";");
  return "\n" + w.text();
}

const std::string kDotsBody = dots_body(false), kWordDotsBody = dots_body(true);

const SharedFunction kDots = {
    "dots",
    "/* `starts` and the products of a row with four others that lie side by side, modulo 2^32. */",
    "void @_dots(const int8_t *x, const int8_t *weights, int32_t count, const int32_t *starts,\n"
    "            int32_t *sums)",
    kDotsBody.c_str(),
    {}};

const SharedFunction kWordDots = {
    "word_dots",
    "/* The same for rows of whole words, of which one of each lies beside the others'. */",
    "void @_word_dots(const int8_t *x, const int8_t *weights, int32_t count,\n"
    "                 const int32_t *starts, int32_t *sums)",
    kWordDotsBody.c_str(),
    {}};

// Returns the body of a dot product with int16 in a sum of this type.
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
    std::string name;                   // of its biases
    std::string row, weights;           // names; `weights`: only for int16
    const std::vector<int8_t>& values;  // of the weights
    int32_t offset = 0;                 // input offset of `row`
    std::vector<int64_t> bias;          // empty: none
    LstmOp::Scaling by;
  };

  size_t length(const Dense& d) const { return d.values.size() / static_cast<size_t>(op_.units); }

  // Returns the start of a unit's sum: its bias and the weights' products with the input offset.
  int32_t start(const Dense& d, size_t unit) const {
    uint32_t sum = d.bias.empty() ? 0 : static_cast<uint32_t>(d.bias[unit]);
    for (size_t i = unit * length(d); i < (unit + 1) * length(d); ++i)
      sum += static_cast<uint32_t>(d.values[i] * d.offset);
    return static_cast<int32_t>(sum);
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

  // Returns the largest magnitude of any unit's sum, bias included.
  int64_t reach_of_bytes(const Dense& d) const {
    int64_t most = 0;
    for (size_t u = 0; u < static_cast<size_t>(op_.units); ++u) {
      int64_t sum = d.bias.empty() ? 0 : std::abs(d.bias[u]);
      for (size_t i = u * length(d); i < (u + 1) * length(d); ++i)
        sum += int64_t{std::abs(d.values[i])} * 256;
      most = std::max(most, sum);
    }
    return most;
  }

  // Prints the scaled sum as a variable `v`. `at`: the gate's index, for int8 also in `row`_sums.
  void print_dense(const Dense& d, size_t at) {
    if (op_.wide) {
      const std::string n = std::to_string(length(d));
      const std::string rows = "(" + d.row + ", " + d.weights + " + u * " + n + ", " + n;
      std::string sum = context_.helper(products_fit_32_bits(d) ? kWideDot : kLongDot) + rows + ")";
      if (!d.bias.empty())
        sum = "(int64_t)" + sum + " + " + long_constant(context_, d.name, d.bias, "u");
      w_.line("const int32_t v = " + scale_long_text(context_, sum, d.by.multiplier, d.by.shift) +
              ";");
      return;
    }
    w_.line("int32_t v = " + d.row + "_sums[" + std::to_string(at) + "];");
    print_requantise(w_, d.by.multiplier, d.by.shift, reach_of_bytes(d));
  }

  struct NamedGate {
    std::string name;          // of the variable that holds its result
    const LstmOp::Gate& gate;  // of `op_`
  };
  // Returns the gates in the order of the operator's weights.
  std::array<NamedGate, kGates> gates() const {
    return {{{"input", op_.input},
             {"forget", op_.forget},
             {"candidate", op_.cell},
             {"shown", op_.output}}};
  }

  // Returns the name of int16's weights; int8's are interleaved instead.
  std::string weights(size_t input) { return op_.wide ? context_.input(input) : std::string(); }

  Dense of_input(size_t at) {
    const auto [name, gate] = gates()[at];
    return {name + "_bias",   "x",       weights(1 + at), gate.input_weights,
            op_.input_offset, gate.bias, gate.input};
  }
  Dense of_hidden(size_t at) {
    const auto [name, gate] = gates()[at];
    return {name + "_recurrent",    "hidden", weights(5 + at), gate.recurrent_weights,
            -op_.hidden_zero_point, {},       gate.recurrent};
  }

  // Prints the sums of all gates from one row, as an array `row`_sums.
  void print_sums_of_bytes(const std::array<Dense, kGates>& all) {
    const std::string& row = all[0].row;
    const size_t count = length(all[0]), word = kWord;
    const bool in_words = count % word == 0;
    const size_t run = in_words ? word : 1;
    std::vector<int32_t> starts;  // [unit][gate]
    std::vector<int8_t> weights;  // in the order of dots_body()
    for (size_t u = 0; u < static_cast<size_t>(op_.units); ++u) {
      for (const Dense& d : all) starts.push_back(start(d, u));
      for (size_t i = u * count; i < (u + 1) * count; i += run)
        for (const Dense& d : all)
          for (size_t k = i; k < i + run; ++k) weights.push_back(d.values[k]);
    }
    w_.line("int32_t " + row + "_sums[4];");
    w_.line(context_.helper(in_words ? kWordDots : kDots) + "(" + row + ", " +
            context_.constant(row + "_weights", CType::kInt8, bytes_of(weights)) + " + u * " +
            std::to_string(kGates * count) + ", " + std::to_string(count) + ", " +
            context_.constant(row + "_starts", CType::kInt32, little_endian_bytes(starts)) +
            " + 4 * u, " + row + "_sums);");
  }

  // Prints a gate's sum before its function, as a variable of the gate's name.
  void print_gate(size_t at) {
    const std::string name = gates()[at].name;
    w_.line("int32_t " + name + ";");
    w_.open("");
    print_dense(of_input(at), at);
    w_.line(name + " = " + saturate_ + "(v);").close();
    w_.open("");
    print_dense(of_hidden(at), at);
    w_.line(name + " = " + saturate_ + "(" + name + " + " + saturate_ + "(v));").close();
  }

  // Prints `v`, a scaled product of a 16-bit value and a table's value, which is above -32768.
  void print_product(const std::string& product, const LstmOp::Scaling& by) {
    w_.line("int32_t v = " + product + ";");
    print_requantise(w_, by.multiplier, by.shift, 32767 * 32768);
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
    if (!op_.wide) {
      print_sums_of_bytes({of_input(0), of_input(1), of_input(2), of_input(3)});
      print_sums_of_bytes({of_hidden(0), of_hidden(1), of_hidden(2), of_hidden(3)});
    }
    for (size_t at = 0; at < kGates; ++at) print_gate(at);
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

}  // namespace

std::string emit(const LstmOp& op, EmitContext& context) {
  return LstmPrinter(op, context).print();
}

bool in_place(const LstmOp&, int) { return false; }

}  // namespace tinytune::emitter
