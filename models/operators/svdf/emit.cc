// SVDF: shifts the state by one value, stores the newest features, and weights it over time.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"

namespace tinytune::emitter {
namespace {

// Prints filters [first, end), `at_once` at a time.
void print_filters(CWriter& w, const SvdfOp& op, EmitContext& context, int first, int end,
                   int at_once, bool pairs) {
  if (first >= end) return;
  w.open("for (int32_t f = " + std::to_string(first) + "; f < " + std::to_string(end) +
         "; f += " + std::to_string(at_once) + ")");
  const DotBlock block{1, at_once};
  const std::string inputs = std::to_string(op.inputs), memory = std::to_string(op.memory);
  print_sums(w, block);
  w.open("");
  print_dot_products(w,
                     {DotSide{context.input(0) + " + b * " + inputs, 0, 1, op.input_offset},
                      DotSide{context.input(1) + " + f * " + inputs, op.inputs, 1, 0}},
                     op.inputs, block, pairs);
  w.close();
  const int low = op.wide ? INT16_MIN : INT8_MIN, high = op.wide ? INT16_MAX : INT8_MAX;
  for (int i = 0; i < at_once; ++i) {
    w.open("").line("int32_t v = (int32_t)" + dot_sum(0, i) + ";");
    print_requantise(w, op.feature_multiplier, op.feature_shift);
    const std::string least = c_int(low), most = c_int(high);
    w.line("if (v < " + least + ") v = " + least + ";");
    w.line("if (v > " + most + ") v = " + most + ";");
    w.line(context.input(4) + "[(b * " + std::to_string(op.filters) + " + f + " +
           std::to_string(i + 1) + ") * " + memory + " - 1] = (" +
           (op.wide ? "int16_t" : "int8_t") + ")(" + c_plus("v", op.state_zero_point) + ");");
    w.close();
  }
  w.close();
}

void print_features(CWriter& w, const SvdfOp& op, EmitContext& context) {
  const int whole = op.filters / kElementBlock.columns * kElementBlock.columns;
  const auto print_all = [&](bool pairs) {
    print_filters(w, op, context, 0, whole, kElementBlock.columns, pairs);
    print_filters(w, op, context, whole, op.filters, 1, pairs);
  };
  const bool has_pairs = op.inputs % 4 == 0;
  w.loop("b", op.batch);
  if (has_pairs) {
    w.line(kIfPairs);
    print_all(true);
    w.line("#else");
  }
  print_all(false);
  if (has_pairs) w.line("#endif");
  w.close();
}

}  // namespace

std::string emit(const SvdfOp& op, EmitContext& context) {
  const std::string type = op.wide ? "int16_t" : "int8_t";
  const std::string state = context.input(4);
  const int64_t row = int64_t{op.filters} * op.memory;
  CWriter w(1);
  w.loop("i", op.batch * row - 1).line(state + "[i] = " + state + "[i + 1];").close();
  print_features(w, op, context);
  w.loop("b", op.batch);
  w.line("const " + type + " *features = " + state + " + b * " + std::to_string(row) + ";");
  w.line("const " + type + " *weights = " + context.input(2) + ";");
  w.loop("u", op.units()).line("uint32_t sum = (uint32_t)" + context.input(3) + "[u];");
  w.loop("i", int64_t{op.rank} * op.memory);
  w.line("sum += (uint32_t)(*weights++ * (" + c_plus("*features++", -op.state_zero_point) + "));");
  w.close().line("int32_t v = (int32_t)sum;");
  print_requantise(w, op.time_multiplier, op.time_shift);
  print_clamped_store(w, {"*" + context.output() + "++", -128, 127, op.output_offset});
  w.close().close();
  return w.text();
}

bool in_place(const SvdfOp&, int) { return false; }

}  // namespace tinytune::emitter
