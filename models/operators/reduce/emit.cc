// MEAN, SUM and the other reductions: outer loops over kept axes, inner loops over reduced ones. If
// the innermost axis is kept, up to eight of its elements are reduced together, as in pooling.
// ARG_MAX and ARG_MIN.
#include <algorithm>
#include <functional>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/byte_steps.h"
#include "schedules/requantise.h"

namespace tinytune::emitter {
namespace {

struct Axis {
  int64_t extent, input_step, output_step;
};

struct Axes {
  std::vector<Axis> kept, reduced;
  int64_t block = 1;  // elements of the innermost kept axis that are reduced together
};

Axes axes_of(const std::array<int, 5>& extents, const std::array<int64_t, 5>& output_steps) {
  Axes axes;
  int64_t step = 1;
  bool innermost = true;
  for (size_t i = extents.size(); i-- > 0;) {
    const Axis axis{extents[i], step, output_steps[i]};
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

// The statements of a reduction on its accumulators.
struct Reducer {
  std::string type;   ///< of input and output elements
  std::string start;  ///< an accumulator's first value
  std::function<std::string(const std::string& accumulator, const std::string& tap)> step;
  std::function<void(CWriter& w, const std::string& accumulator, const std::string& out)> finish;
};

std::string print_reduction(const Axes& axes, EmitContext& context, const Reducer& reducer) {
  CWriter w(1);
  std::string from = context.input(0), to = context.output();
  for (size_t i = 0; i < axes.kept.size(); ++i) {
    const std::string k = "k" + std::to_string(i);
    const bool last = i + 1 == axes.kept.size();
    w.loop(k, axes.kept[i].extent, last ? axes.block : 1);
    from += " + " + k + " * " + std::to_string(axes.kept[i].input_step);
    to += " + " + k + " * " + std::to_string(axes.kept[i].output_step);
  }
  const auto accumulator = [](int64_t i) { return "s" + std::to_string(i); };
  const auto lane = [](const std::string& pointer, int64_t i) {
    return pointer + "[" + std::to_string(i) + "]";
  };
  for (int64_t i = 0; i < axes.block; ++i)
    w.line("int32_t " + accumulator(i) + " = " + reducer.start + ";");
  w.line("const " + reducer.type + " *const first = " + from + ";");
  std::string tap = "first";
  for (size_t i = 0; i < axes.reduced.size(); ++i) {
    const std::string r = "r" + std::to_string(i);
    w.loop(r, axes.reduced[i].extent);
    tap += " + " + r + " * " + std::to_string(axes.reduced[i].input_step);
  }
  w.line("const " + reducer.type + " *const tap = " + tap + ";");
  for (int64_t i = 0; i < axes.block; ++i) w.line(reducer.step(accumulator(i), lane("tap", i)));
  for (size_t i = 0; i < axes.reduced.size(); ++i) w.close();
  w.line(reducer.type + " *const to = " + to + ";");
  for (int64_t i = 0; i < axes.block; ++i) reducer.finish(w, accumulator(i), lane("to", i));
  for (size_t i = 0; i < axes.kept.size(); ++i) w.close();
  return w.text();
}

// Returns the steps of output bytes for sums up to 2^30 in magnitude: no mean of int8 exceeds it.
ByteSteps steps_of(const MeanOp& op) {
  constexpr int32_t kReach = 1 << 30;
  return find_byte_steps(-kReach, kReach, [&](int32_t sum) {
    return scale_half_to_even(sum, op.multiplier, op.shift) + op.output_zero_point;
  });
}

}  // namespace

std::string emit(const MeanOp& op, EmitContext& context) {
  const auto add = [&](const std::string& s, const std::string& tap) {
    if (op.wide) return s + " = (int32_t)((uint32_t)" + s + " + (uint32_t)" + tap + ");";
    return s + " += " + tap + ";";
  };
  ByteSteps steps;
  if (op.rounding == Rounding::kHalfToEven) steps = steps_of(op);
  const int low = op.wide ? -32768 : -128, high = op.wide ? 32767 : 127;
  const char* const type = op.wide ? "int16_t" : "int8_t";
  const auto finish = [&](CWriter& w, const std::string& s, const std::string& out) {
    if (!steps.empty()) {
      w.line(out + " = (int8_t)" + byte_steps_text(context, steps, s) + ";");
      return;
    }
    w.open("").line("int32_t v = " + s + ";");
    print_requantise(w, op.multiplier, op.shift);
    print_clamped_store(w, {out, low, high, op.output_zero_point, type});
    w.close();
  };
  return print_reduction(axes_of(op.extents, op.output_steps), context,
                         {type, c_int(op.bias), add, finish});
}

bool in_place(const MeanOp&, int) { return false; }

std::string emit(const ReduceOp& op, EmitContext& context) {
  const bool all = op.reduction == Reduction::kAll;
  const std::string type = all ? "uint8_t" : "int8_t";
  const std::string start = all ? "1" : op.reduction == Reduction::kMaximum ? "-128" : "127";
  const std::string relation = op.reduction == Reduction::kMaximum ? " > " : " < ";
  const auto step = [&](const std::string& s, const std::string& tap) {
    if (all) return "if (" + tap + " == 0) " + s + " = 0;";
    return "if (" + tap + relation + s + ") " + s + " = " + tap + ";";
  };
  const auto finish = [&](CWriter& w, const std::string& s, const std::string& out) {
    w.line(out + " = (" + type + ")" + s + ";");
  };
  return print_reduction(axes_of(op.extents, op.output_steps), context,
                         {type, start, step, finish});
}

bool in_place(const ReduceOp&, int) { return false; }

std::string emit(const ArgExtremumOp& op, EmitContext& context) {
  const std::string inner = std::to_string(op.inner);
  CWriter w(1);
  w.loop("outer", op.outer).loop("inner", op.inner);
  w.line("const int8_t *x = " + context.input(0) + " + outer * " +
         std::to_string(op.axis * op.inner) + " + inner;");
  w.line("int32_t best = *x, index = 0;");
  w.open("for (int32_t i = 1; i < " + std::to_string(op.axis) + "; ++i)")
      .line("x += " + inner + ";");
  w.open(std::string("if (*x ") + (op.maximum ? ">" : "<") + " best)");
  w.line("best = *x;").line("index = i;").close().close();
  w.line("*" + context.output() + "++ = index;").close().close();
  return w.text();
}

bool in_place(const ArgExtremumOp&, int) { return false; }

}  // namespace tinytune::emitter
