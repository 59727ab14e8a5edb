// Convolution windows over widened rows, for cores with the Arm DSP extension.
//
// smlad_nhwc.cc widens the inputs of every pixel anew: a 3x3 window does it nine times for each
// input. Here the rows that a few output rows read are widened to 16 bits once, with their border
// in place, and lie in scratch as they did in the input. A window's kernel row is then a run of
// neighbouring pairs, and a tile of pixels reads its runs at fixed distances from one pointer. What
// it asks: every run must start on a word, so steps between pixels must be even numbers of inputs.
#include <algorithm>

#include "templates/channel_loop.h"
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/pixel_tiles.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kStartWords = 1;  // of a channel: the bias

struct Plan {
  int oc, px, rows, step;  // a tile; output rows per filling; pairs between tests of the loop
  int64_t run, pairs;      // inputs of a kernel row, and their pairs rounded up to steps
  int64_t lead, used;      // inputs of a buffered row: border before it, then what is copied
  int64_t pixel_bytes, row_bytes;
  int buffered;  // rows

  Plan(const Workload& w, const Schedule& s)
      : oc(s.get_int("oc")), px(s.get_int("px")), rows(s.get_int("rows")), step(s.get_int("step")) {
    run = int64_t{w.kernel_w} * w.in_c;
    pairs = ((run + 1) / 2 + step - 1) / step * step;
    lead = int64_t{w.pad_left} * w.in_c;
    const int64_t width = int64_t{w.out_w - 1} * w.stride_w + w.kernel_w;
    used = std::min<int64_t>(w.in_w, width - w.pad_left) * w.in_c;
    pixel_bytes = int64_t{2} * w.stride_w * w.in_c;
    // Rounded-up runs read on behind the last pixel; their weights are zero.
    row_bytes = (2 * (width * w.in_c + 2 * pairs - run) + 3) / 4 * 4;
    buffered = (rows - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1;
  }

  int64_t tile_weights() const { return 4 * pairs * oc; }  // bytes of one kernel row
};

bool supports(const Workload& w, const Device& device) {
  return tiles_fit(w) && w.op == OpKind::kConv2d && device.target.can(Capability::kDsp) &&
         w.kernel_h * w.kernel_w > 1 && w.stride_w * w.in_c % 2 == 0 &&
         w.pad_left * w.in_c % 2 == 0 &&
         w.pad_left < int64_t{w.out_w - 1} * w.stride_w + w.kernel_w;
}

ConfigSpace space(const Workload& w, const Device&) {
  std::vector<int> channels;
  for (int c : {1, 2, 3, 4, 5, 6, 8})
    if (w.out_c % c == 0) channels.push_back(c);
  ConfigSpace::Family family{
      "smlad_rows",
      1,
      {int_knob("oc", channels), int_knob("px", {1, 2, 3, 4}), int_knob("rows", {1, 2, 4}),
       int_knob("step", {1, 2, 3, 4, 5, 6, 8}), scheduler_knob()}};
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) {
    const Plan plan(w, s);
    // A step that pads a run by more than one pair is another step's slower twin.
    return plan.px <= w.out_w && plan.rows <= w.out_h && plan.oc * plan.px <= 8 &&
           plan.pairs <= (plan.run + 1) / 2 + 1;
  });
  return result;
}

Schedule default_schedule(const Workload& w, const Device& device) {
  const ConfigSpace all = space(w, device);
  const char* channels = w.out_c % 3 == 0 ? "3" : w.out_c % 2 == 0 ? "2" : "1";
  const std::string pixels = w.out_w >= 2 ? "2" : "1";
  Schedule best;
  for (const char* step : {"1", "2", "3", "4", "5", "6"}) {
    const Schedule s(
        "smlad_rows", 1,
        {{"oc", channels}, {"px", pixels}, {"rows", "1"}, {"step", step}, {"sched", "pressure"}});
    if (all.find(s)) best = s;
  }
  return best;
}

int64_t scratch_bytes(const Workload& w, const Schedule& s) {
  const Plan plan(w, s);
  return plan.buffered * plan.row_bytes;
}

// [tile of channels][kernel row][pair][channel]
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  TT_TRY_ASSIGN(const PackedConstant params, pack_params(w, data));
  std::vector<int32_t> weights;
  for (int first = 0; first < w.out_c; first += plan.oc) {
    const auto tile = weights_of_tile(w, data, first, plan.oc);
    for (int row = 0; row < w.kernel_h; ++row)
      for (int64_t pair = 0; pair < plan.pairs; ++pair)
        for (const auto& channel : tile) {
          const auto half = [&](int64_t k) {
            return k < plan.run ? channel[static_cast<size_t>(row * plan.run + k)] : int8_t{0};
          };
          weights.push_back(halves(half(2 * pair), half(2 * pair + 1)));
        }
  }
  return std::vector<PackedConstant>{words_constant("weights", weights), params};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t blocks = (w.out_h + plan.rows - 1) / plan.rows;
  const int64_t tiles = (w.out_w + plan.px - 1) / plan.px;
  using Kind = Loop::Kind;
  const int param_bytes = 4 * (kStartWords + scaling_words(w.facts.requantise));
  NestBuilder build(4, 4, param_bytes);
  const int64_t pixels = int64_t{w.out_c} * plan.px;
  build.loop(
      {.name = "row_outer",
       .extent = blocks * plan.rows,
       .strides = {.input = w.stride_h * plan.row_bytes, .output = int64_t{w.out_w} * w.out_c}});
  build.loop({.name = "px_outer",
              .extent = tiles,
              .strides = {.input = plan.px * plan.pixel_bytes, .output = pixels}});
  build.loop({.name = "oc_outer",
              .extent = w.out_c / plan.oc,
              .strides = {.weights = w.kernel_h * plan.tile_weights(),
                          .output = plan.oc,
                          .params = param_bytes * plan.oc}});
  build.loop({.name = "kernel_row",
              .extent = w.kernel_h,
              .reduces = true,
              .strides = {.input = w.dilation_h * plan.row_bytes, .weights = plan.tile_weights()}});
  build.loop({.name = "reduction",
              .extent = plan.pairs / plan.step,
              .reduces = true,
              .strides = {.input = 4 * plan.step, .weights = int64_t{4} * plan.step * plan.oc}});
  build.loop({.name = "ku",
              .extent = plan.step,
              .kind = Kind::kUnrolled,
              .reduces = true,
              .strides = {.input = 4, .weights = 4 * plan.oc}});
  build.loop({.name = "pair",
              .extent = 2,
              .kind = Kind::kUnrolled,
              .reduces = true,
              .strides = {.input = 2, .weights = 2}});
  build.loop({.name = "px",
              .extent = plan.px,
              .kind = Kind::kUnrolled,
              .strides = {.input = plan.pixel_bytes, .output = w.out_c}});
  build.loop({.name = "oc",
              .extent = plan.oc,
              .kind = Kind::kUnrolled,
              .strides = {.weights = 4, .output = 1, .params = param_bytes}});
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.multiplies_per_mac = 0.5;
  nest.accumulators = plan.oc * plan.px;
  nest.outputs = blocks * plan.rows * tiles * pixels;
  nest.prologue_bytes = blocks * plan.buffered * plan.row_bytes;
  nest.unrolled_body = plan.oc * plan.px * plan.step;
  nest.switches.emplace_back("smlad", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w), plan_(plan), channels_(w, ir_, kStartWords) {}

  std::string write(const std::string& symbol) {
    ir_.fill(IrText::argument("scratch"), plan_.buffered * plan_.row_bytes / 4, zero_points());
    ir_.count_to((w_.out_h + plan_.rows - 1) / plan_.rows, [&](const Value& block) {
      const Value start = ir_.mul(block, n(plan_.rows));
      const Value first =
          w_.out_h % plan_.rows == 0 ? start : ir_.clamp(start, 0, w_.out_h - plan_.rows);
      widen_rows(ir_.sub(ir_.mul(first, n(w_.stride_h)), n(w_.pad_top)));
      ir_.count_to(plan_.rows, [&](const Value& row) { output_row(first, row); });
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  static Value n(int64_t v) { return IrText::number(v); }

  uint32_t zero_points() const { return 0x00010001u * static_cast<uint16_t>(w_.input_zero_point); }

  // The buffered rows from input row `top` on. Columns of the border keep their first filling.
  void widen_rows(const Value& top) {
    ir_.count_to(plan_.buffered, [&](const Value& r) {
      const Value target = ir_.at(ir_.at(IrText::argument("scratch"), 2 * plan_.lead),
                                  ir_.mul(r, n(plan_.row_bytes)));
      const Value y = ir_.add(top, r);
      const int64_t in_row = int64_t{w_.in_w} * w_.in_c;
      const Value source = ir_.at(IrText::argument("input"), ir_.mul(y, n(in_row)));
      // Each loop runs on its side of the test only.
      const Value inside = ir_.below(y, n(w_.in_h));
      const Value end = ir_.select(inside, n(plan_.used), n(0));
      if (in_row % 4 == 0 && plan_.used % 4 == 0)
        widen_words(source, target, end);
      else
        widen_bytes(source, target, end);
      const int64_t words = (plan_.used + 1) / 2;  // an odd last half is border anyway
      ir_.while_loop(
          {ir_.select(inside, n(words), n(0))},
          [&](const Values& v) { return ir_.below(v[0], n(words)); },
          [&](const Values& v) {
            ir_.store_word(n(static_cast<int32_t>(zero_points())),
                           ir_.at(target, ir_.shift_left(v[0], n(2))));
            return Values{ir_.add(v[0], n(1))};
          });
    });
  }

  // Bytes b0..b3: SXTB16 gives (b0, b2) and (b1, b3); PKHBT and PKHTB put neighbours together.
  void widen_words(const Value& source, const Value& target, const Value& end) {
    ir_.while_loop(
        {n(0)}, [&](const Values& v) { return ir_.differs(v[0], end); },
        [&](const Values& v) {
          const Value bytes = ir_.load_word(ir_.at(source, v[0]));
          const Value even = ir_.call("llvm.arm.sxtb16", {bytes});
          const Value odd = ir_.call("llvm.arm.sxtb16", {ir_.rotate_right(bytes, 8)});
          const Value to = ir_.at(target, ir_.shift_left(v[0], n(1)));
          ir_.store_word(ir_.bit_or(ir_.bit_and(even, n(0xffff)), ir_.shift_left(odd, n(16))), to);
          ir_.store_word(ir_.bit_or(ir_.bit_and(odd, n(-65536)),
                                    ir_.bit_and(ir_.shift_right(even, n(16)), n(0xffff))),
                         ir_.at(to, 4));
          return Values{ir_.add(v[0], n(4))};
        });
  }

  void widen_bytes(const Value& source, const Value& target, const Value& end) {
    ir_.while_loop(
        {n(0)}, [&](const Values& v) { return ir_.differs(v[0], end); },
        [&](const Values& v) {
          ir_.store_half(ir_.load_byte(ir_.at(source, v[0]), true),
                         ir_.at(target, ir_.shift_left(v[0], n(1))));
          return Values{ir_.add(v[0], n(1))};
        });
  }

  void output_row(const Value& first, const Value& row) {
    const Value buffer =
        ir_.at(IrText::argument("scratch"), ir_.mul(row, n(w_.stride_h * plan_.row_bytes)));
    const Value out = ir_.at(IrText::argument("output"),
                             ir_.mul(ir_.add(first, row), n(int64_t{w_.out_w} * w_.out_c)));
    const int tiles = (w_.out_w + plan_.px - 1) / plan_.px;
    ir_.count_to(tiles, [&](const Value& tile) {
      const Value start = ir_.mul(tile, n(plan_.px));
      const Value x = w_.out_w % plan_.px == 0 ? start : ir_.clamp(start, 0, w_.out_w - plan_.px);
      channels(ir_.at(buffer, ir_.mul(x, n(plan_.pixel_bytes))),
               ir_.at(out, ir_.mul(x, n(w_.out_c))));
    });
  }

  void channels(const Value& window, const Value& out) {
    channels_.run(plan_.oc, out,
                  [&](const Value& weights, const Value& params, const Value& output) {
                    return tile(window, weights, params, output);
                  });
  }

  // Returns the next tile's weights.
  Value tile(const Value& window, const Value& weights, const Value& params, const Value& out) {
    // Carried: weights, the window's row, sums.
    Values state = {weights, window};
    for (int i = 0; i < plan_.px; ++i)
      for (int c = 0; c < plan_.oc; ++c)
        state.push_back(ir_.load_word(ir_.at(params, channels_.param_bytes() * c)));
    const Value end = ir_.at(weights, w_.kernel_h * plan_.tile_weights());
    const int64_t row_step = w_.dilation_h * plan_.row_bytes;
    state = ir_.do_while(state, [&](const Values& v) {
      Values next = v;
      if (plan_.pairs == plan_.step) {
        next = products(v);
        next[1] = ir_.at(v[1], row_step);
      } else {
        const Value row_end = ir_.at(v[0], plan_.tile_weights());
        next = ir_.do_while(v, [&](const Values& inner) {
          Values stepped = products(inner);
          stepped.push_back(ir_.differs(stepped[0], row_end));
          return stepped;
        });
        next[1] = ir_.at(next[1], row_step - 4 * plan_.pairs);
      }
      next.push_back(ir_.differs(next[0], end));
      return next;
    });
    channels_.store({plan_.oc, plan_.px, w_.out_c}, params, out, [&](int pixel, int c) {
      return state[static_cast<size_t>(2 + pixel * plan_.oc + c)];
    });
    return state[0];
  }

  // `step` pairs of every pixel with every channel.
  Values products(const Values& v) {
    Values next = v;
    for (int u = 0; u < plan_.step; ++u) {
      Values inputs;
      for (int i = 0; i < plan_.px; ++i)
        inputs.push_back(ir_.load_word(ir_.at(v[1], i * plan_.pixel_bytes + 4 * u)));
      for (int c = 0; c < plan_.oc; ++c) {
        const Value weight = ir_.load_word(ir_.at(v[0], 4 * (u * plan_.oc + c)));
        for (int i = 0; i < plan_.px; ++i) {
          Value& sum = next[static_cast<size_t>(2 + i * plan_.oc + c)];
          sum = ir_.call("llvm.arm.smlad", {inputs[static_cast<size_t>(i)], weight, sum});
        }
      }
    }
    next[0] = ir_.at(v[0], 4 * plan_.step * plan_.oc);
    next[1] = ir_.at(v[1], 4 * plan_.step);
    return next;
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
  ChannelLoop channels_;
};

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target&,
              const std::string& symbol) {
  const Plan plan(w, schedule);
  return {nullptr, Writer(w, plan).write(symbol)};
}

}  // namespace

extern const KernelTemplate kSmladRows;
const KernelTemplate kSmladRows = {
    .name = "smlad_rows",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
