// 3x3 convolution of stride 1 by Winograd's F(2x2, 3x3): 16 products for 36, exactly.
//
// The output is walked in strips of `tiles` 2x2 squares side by side. A strip's input patch is
// transformed into scratch once, [channel][point][tile] in 16 bits; then, for every block of `oc`
// channels, each of the 16 points is a small matrix product over the input channels, held in
// tiles * oc registers; their sums (words, [point][channel][tile]) go through the output's
// transform and the requantisation. Weights are transformed when they are packed, and take 32/9 of
// their bytes: this trades flash, not accuracy, for a little over half of the instructions.
//
// Exact: the transforms are integer and yield four times the sum over the inputs as they are (the
// zero point is in the bias). That fits a word for up to 3640 channels, so a shift gives the sum.
//
// A gathered patch (winograd_strips.h) has the room that sums take later.

#include "templates/tile/channel_loop.h"
#include "templates/tile/text_kernel.h"
#include "templates/winograd/winograd_plan.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kStartWords = 1;  // of a channel: the bias

int64_t scratch_bytes(const Workload& w, const Schedule& s) {
  const WinogradPlan plan(w, s);
  return plan.input_bytes + plan.shared_bytes + plan.strips.border_bytes;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const WinogradPlan plan(w, schedule);
  const auto channel = [&](int64_t term, int half) { return plan.channel(w, term, half); };
  return plan.pack(w, data, {winograd_weights, channel, nullptr});
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const WinogradPlan plan(w, schedule);
  const int element = plan.element_bytes();
  const int64_t block = plan.terms * plan.oc * element;  // bytes of weights, one point
  NestBuilder build(w, element, element, kStartWords);
  build.loop({.name = "rows",
              .extent = plan.strips.rows,
              .strides = {.output = int64_t{2} * w.out_w * w.out_c}});
  build.loop({.name = "strips",
              .extent = plan.strips.strips,
              .strides = {.output = int64_t{2} * plan.tiles * w.out_c}});
  build.channel_tiles(plan.blocks, plan.oc, plan.points * block);
  build.loop({.name = "point",
              .extent = plan.points,
              .strides = {.input = plan.point_bytes, .weights = block}});
  return plan.describe(build, w, schedule);
}

class Writer {
 public:
  Writer(const Workload& w, const WinogradPlan& plan)
      : w_(w), plan_(plan), channels_(w, ir_, kStartWords) {}

  std::string write(const std::string& symbol) {
    WinogradWalk walk(w_, plan_.strips, ir_, shared(), ir_.at(shared(), plan_.shared_bytes));
    walk.groups(0, [&](const WinogradWalk::Group& group) {
      walk.each(group, [&](const Value&, const WinogradWalk::Strip& strip) {
        transform_inputs(walk.patch(strip));
        all_channels(walk.output(strip));
      });
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  static Value n(int64_t v) { return IrText::number(v); }
  static Value transformed() { return IrText::argument("scratch"); }
  // The patch while it is transformed, the sums afterwards.
  Value shared() { return ir_.at(transformed(), plan_.input_bytes); }

  void transform_inputs(const Value& patch) {
    const bool words = plan_.by_words(w_);
    // Channels of one turn of the loop, and the terms they fill.
    const int channels = words ? 4 : plan_.smlad ? 2 : 1;
    const int terms = words ? 2 : 1;
    Values cursors = {patch, transformed()};
    if (w_.in_c >= channels) {
      const Value end = ir_.at(patch, w_.in_c / channels * channels);
      cursors = ir_.do_while(cursors, [&](const Values& v) {
        for (int part = 0; part < (words ? terms : channels); ++part)
          transform(v[0], v[1], part, words);
        const Value next = ir_.at(v[0], channels);
        return Values{next, ir_.at(v[1], terms * plan_.term_bytes), ir_.differs(next, end)};
      });
    }
    // An odd last channel: the other half of its pair meets weights of zero.
    if (w_.in_c % channels != 0) transform(cursors[0], cursors[1], 0, words);
  }

  // One term of words, or channel `part` of the term.
  void transform(const Value& source, const Value& target, int part, bool words) {
    const int64_t element = plan_.smlad ? 4 : 2;
    const auto place = [&](int tile, int point) { return element * (point * plan_.tiles + tile); };
    winograd_inputs(
        ir_, words ? WinogradLanes::kTwo : WinogradLanes::kOne, plan_.tiles,
        [&](int row, int column) {
          const Value at = ir_.at(source, row * plan_.strips.row_bytes + int64_t{column} * w_.in_c);
          if (!words) return ir_.load_byte(ir_.at(at, part), true);
          const Value bytes = ir_.load_word(at);
          return ir_.call("llvm.arm.sxtb16", {part == 0 ? bytes : ir_.rotate_right(bytes, 8)});
        },
        [&](const Value& value, int tile, int point) {
          if (words)
            ir_.store_word(value, ir_.at(target, part * plan_.term_bytes + place(tile, point)));
          else
            ir_.store_half(value, ir_.at(target, 2 * part + place(tile, point)));
        });
  }

  void all_channels(const Value& out) {
    const Value end = channels_.end();
    ir_.do_while(
        {IrText::argument("weights"), IrText::argument("params"), out, n(0)}, [&](const Values& v) {
          const Value weights = plan_.write(v[0], transformed(), shared(), ir_);
          const Value full = ir_.add(v[3], n(plan_.oc));
          const Value limit = w_.out_c % plan_.oc == 0 ? full : ir_.clamp(full, 0, w_.out_c);
          const Values reached = outputs(v[1], v[2], ir_.sub(limit, v[3]));
          return Values{weights, reached[0], reached[1], limit, ir_.differs(reached[0], end)};
        });
  }

  // Finishes `count` channels of the block. Returns {params, output} of the next block.
  Values outputs(const Value& params, const Value& out, const Value& count) {
    const int64_t point = int64_t{4} * plan_.oc * plan_.tiles;
    const int64_t right = w_.out_c, below = int64_t{w_.out_w} * w_.out_c;
    const Value shared_words = channels_.end(), end = ir_.at(out, count);
    const Values reached = ir_.do_while({params, out, shared()}, [&](const Values& v) {
      const Value bias = ir_.load_word(v[0]);
      const ChannelLoop::Scaling scaling = channels_.scaling(ir_.at(v[0], 4 * kStartWords));
      const Value sums_end = ir_.at(v[2], int64_t{4} * plan_.tiles);
      ir_.do_while({v[2], v[1]}, [&](const Values& tile) {
        const auto four =
            winograd_outputs(ir_, [&](int p) { return ir_.load_word(ir_.at(tile[0], p * point)); });
        // Stores come last: LLVM takes them for writes to what the scaling reads.
        Values results;
        for (const Value& sum : four)
          results.push_back(channels_.requantise(ir_.add(ir_.shift_right(sum, n(2)), bias), scaling,
                                                 shared_words));
        for (size_t i = 0; i < 4; ++i)
          ir_.store_byte(results[i],
                         ir_.at(tile[1], (i / 2 != 0 ? below : 0) + (i % 2 != 0 ? right : 0)));
        const Value next = ir_.opaque(ir_.at(tile[0], 4));
        return Values{next, ir_.opaque(ir_.at(tile[1], 2 * right)), ir_.differs(next, sums_end)};
      });
      const Value next = ir_.at(v[1], 1);
      return Values{ir_.at(v[0], channels_.param_bytes()), next, ir_.opaque(sums_end),
                    ir_.differs(next, end)};
    });
    return {reached[0], reached[1]};
  }

  const Workload& w_;
  const WinogradPlan& plan_;
  IrText ir_;
  ChannelLoop channels_;
};

}  // namespace

extern const KernelTemplate kWinogradNhwc;
const KernelTemplate kWinogradNhwc = {
    .name = "winograd_nhwc",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = winograd_supports,
    .space = winograd_space,
    .default_schedule = winograd_default,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower_as_text<WinogradPlan, Writer>,
};

}  // namespace tinytune
