// MEAN: kept axes outside, reduced axes inside. Where the innermost axis is kept, eight of its
// elements are summed at once, as in pooling.
#include <algorithm>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune {
namespace {

struct Axis {
  int64_t extent, input_step, output_step;
};

struct Axes {
  std::vector<Axis> kept, reduced;
  int64_t block = 1;  // elements of the innermost kept axis that are summed together
};

Axes axes_of(const MeanOp& op) {
  Axes axes;
  int64_t step = 1;
  bool innermost = true;
  for (size_t i = op.extents.size(); i-- > 0;) {
    const Axis axis{op.extents[i], step, op.output_steps[i]};
    step *= axis.extent;
    if (axis.extent == 1) continue;
    const bool kept = axis.output_step != 0;
    if (innermost && kept)
      for (const int64_t block : {8, 4, 2})
        if (axes.block == 1 && axis.extent % block == 0) axes.block = block;
    innermost = false;
    std::vector<Axis>& list = kept ? axes.kept : axes.reduced;
    list.insert(list.begin(), axis);
  }
  return axes;
}

std::string emit(const IntegerOp& any, EmitContext& context) {
  const MeanOp& op = std::get<MeanOp>(any);
  const Axes axes = axes_of(op);
  CWriter w(1);
  std::string from = context.input(0), to = context.output();
  for (size_t i = 0; i < axes.kept.size(); ++i) {
    const std::string k = "k" + std::to_string(i);
    const bool last = i + 1 == axes.kept.size();
    w.loop(k, axes.kept[i].extent, last ? axes.block : 1);
    from += " + " + k + " * " + std::to_string(axes.kept[i].input_step);
    to += " + " + k + " * " + std::to_string(axes.kept[i].output_step);
  }
  const auto sum = [](int64_t i) { return "s" + std::to_string(i); };
  for (int64_t i = 0; i < axes.block; ++i)
    w.line("int32_t " + sum(i) + " = " + c_int(op.bias) + ";");
  w.line("const int8_t *const first = " + from + ";");
  std::string tap = "first";
  for (size_t i = 0; i < axes.reduced.size(); ++i) {
    const std::string r = "r" + std::to_string(i);
    w.loop(r, axes.reduced[i].extent);
    tap += " + " + r + " * " + std::to_string(axes.reduced[i].input_step);
  }
  w.line("const int8_t *const tap = " + tap + ";");
  for (int64_t i = 0; i < axes.block; ++i) w.line(sum(i) + " += tap[" + std::to_string(i) + "];");
  for (size_t i = 0; i < axes.reduced.size(); ++i) w.close();
  w.line("int8_t *const to = " + to + ";");
  for (int64_t i = 0; i < axes.block; ++i) {
    w.open("").line("int32_t v = " + sum(i) + ";");
    print_requantise(w, op.multiplier, op.shift);
    print_clamped_store(w, {"to[" + std::to_string(i) + "]", -128, 127, op.output_zero_point});
    w.close();
  }
  for (size_t i = 0; i < axes.kept.size(); ++i) w.close();
  return w.text();
}

}  // namespace

extern const OperatorEmitter kMeanEmitter;
const OperatorEmitter kMeanEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<MeanOp>(op); },
    [](const IntegerOp&, int) { return false; }, emit};

}  // namespace tinytune
