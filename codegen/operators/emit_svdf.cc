// SVDF: the state moves up by one value, takes in the newest features, and is weighted over time.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

void print_features(CWriter& w, const SvdfOp& op, EmitContext& context, const std::string& type) {
  const int low = op.wide ? INT16_MIN : INT8_MIN, high = op.wide ? INT16_MAX : INT8_MAX;
  w.loop("b", op.batch);
  w.line("const int8_t *const x = " + context.input(0) + " + b * " + std::to_string(op.inputs) +
         ";");
  w.line("const int8_t *weights = " + context.input(1) + ";");
  w.loop("f", op.filters).line("uint32_t sum = 0;");
  w.loop("i", op.inputs);
  w.line("sum += (uint32_t)(*weights++ * (" + c_plus("x[i]", op.input_offset) + "));").close();
  w.line("int32_t v = (int32_t)sum;");
  print_requantise(w, op.feature_multiplier, op.feature_shift);
  const std::string least = c_int(low), most = c_int(high);
  w.line("if (v < " + least + ") v = " + least + ";");
  w.line("if (v > " + most + ") v = " + most + ";");
  w.line(context.input(4) + "[(b * " + std::to_string(op.filters) + " + f + 1) * " +
         std::to_string(op.memory) + " - 1] = (" + type + ")(" + c_plus("v", op.state_zero_point) +
         ");");
  w.close().close();
}

std::string emit(const IntegerOp& any, EmitContext& context) {
  const SvdfOp& op = std::get<SvdfOp>(any);
  const std::string type = op.wide ? "int16_t" : "int8_t";
  const std::string state = context.input(4);
  const int64_t row = int64_t{op.filters} * op.memory;
  CWriter w(1);
  w.loop("i", op.batch * row - 1).line(state + "[i] = " + state + "[i + 1];").close();
  print_features(w, op, context, type);
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

}  // namespace

extern const OperatorEmitter kSvdfEmitter;
const OperatorEmitter kSvdfEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<SvdfOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
