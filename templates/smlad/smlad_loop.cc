#include "templates/smlad/smlad_loop.h"

#include "templates/isa/thumb2_dsp.h"

namespace tinytune {

using Value = IrText::Value;
using Values = IrText::Values;

void SmladLoop::all(const Value& inputs, const Value& output) {
  if (!tiles_.fits()) {
    channels_.run(tile_.channels, output,
                  [&](const Value& weights, const Value& params, const Value& out) {
                    return one(weights, inputs, params, out);
                  });
    return;
  }
  const Value weights = IrText::argument("weights"), params = IrText::argument("params");
  const int64_t whole = w_.out_c / tile_.channels * tiles_.tile_bytes();
  if (w_.out_c % tile_.channels == 0) {
    tiles_.write({weights, ir_.at(weights, whole), inputs, params, output, shared()}, ir_);
    return;
  }
  // The last tile moves back to fit.
  const int back = w_.out_c - tile_.channels;
  ir_.count_to(2, [&](const Value& i) {
    const Value first = ir_.mul(i, n(back));
    const Value tiles = ir_.at(weights, ir_.mul(i, n(whole)));
    const Value bytes = ir_.select(ir_.below(i, n(1)), n(whole), n(tiles_.tile_bytes()));
    tiles_.write({tiles, ir_.at(tiles, bytes), inputs,
                  ir_.at(params, ir_.mul(first, n(channels_.param_bytes()))), ir_.at(output, first),
                  shared()},
                 ir_);
  });
}

Value SmladLoop::shared() {
  return shape_.scaled == Scaled::kByLayer ? IrText::argument("params") : channels_.end();
}

Value SmladLoop::one(const Value& weights, const Value& inputs, const Value& params,
                     const Value& output) {
  const Value end = ir_.at(weights, tiles_.tile_bytes());
  if (tiles_.fits()) {
    tiles_.write({weights, end, inputs, params, output, shared()}, ir_);
    return end;
  }
  Values carried = start(weights, inputs, params);
  if (runs_.count == 1) {
    carried = run(carried, end);
  } else {
    carried = ir_.do_while(carried, [&](const Values& v) {
      Values next = run(v, ir_.at(v[0], run_bytes()));
      next[1] = ir_.at(next[1], runs_.gap_bytes);
      next.push_back(ir_.differs(next[0], end));
      return next;
    });
  }
  const Values sums = finish(params, carried);
  channels_.store({tile_.channels, tile_.pixels, w_.out_c}, params, output,
                  [&](int pixel, int c) { return sums[index(pixel, c)]; });
  return carried[0];
}

Values SmladLoop::start(const Value& weights, const Value& inputs, const Value& params) {
  // The second of two joined channels sums both: it starts as the first does.
  const int step = tile_.form == WeightForm::kJoined ? 2 : 1;
  Values carried = {weights, inputs};
  for (int i = 0; i < tile_.pixels; ++i)
    for (int c = 0; c < tile_.channels; ++c)
      carried.push_back(ir_.load_word(ir_.at(params, channels_.param_bytes() * (c / step * step))));
  return carried;
}

Values SmladLoop::run(const Values& carried, const Value& weights_end) {
  const SmladStep step = smlad_step(tile_, shape_.inputs, runs_.step, shape_.loads);
  const size_t end = carried.size();
  Values all = carried;
  all.push_back(weights_end);
  const Reg end_reg{static_cast<int>(end)};
  Assembly code;
  if (step.end_on_stack) code.emit("str {}, [sp, #-4]!", end_reg);
  code.emit("1:");
  code.append(step.code);
  Thumb2Dsp(code).repeat_until(Reg{0}, end_reg, 1);
  if (step.end_on_stack) code.emit("add sp, #4");
  all = ir_.assembly(code.text(), all, {}, step.temporaries);
  all.pop_back();
  return all;
}

Values SmladLoop::finish(const Value& params, const Values& carried) {
  Values sums(carried.begin() + SmladStep::kCursors, carried.end());
  if (tile_.form != WeightForm::kJoined) return sums;
  for (int c = 1; c < tile_.channels; c += 2) {
    const Value bias = ir_.load_word(ir_.at(params, channels_.param_bytes() * c));
    for (int i = 0; i < tile_.pixels; ++i) {
      Value& both = sums[index(i, c)];
      both =
          ir_.add(bias, ir_.shift_right(ir_.sub(both, sums[index(i, c - 1)]), IrText::number(8)));
    }
  }
  return sums;
}

}  // namespace tinytune
