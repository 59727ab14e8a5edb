// Convolution windows over widened rows, for cores with the Arm DSP extension.
//
// smlad_nhwc.cc widens the inputs of every pixel anew: a 3x3 window does it nine times for each
// input. Here the rows that a few output rows read are widened to 16 bits once, with their border
// in place, and lie in scratch as they did in the input. A window's kernel row is then a run of
// neighbouring pairs, and a tile of pixels reads its runs at fixed distances from one pointer. What
// it asks: every run must start on a word, so steps between pixels must be even numbers of inputs.
#include <algorithm>

#include "schedules/requantise.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/pixel_tiles.h"
#include "templates/requantise_stage.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kParamWords = 3;  // bias, multiplier, offset or shift

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
  return tiles_fit(w) && w.op == OpKind::kConv2d && device.target.isa == "armv7e-m" &&
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
  TT_TRY_ASSIGN(const RequantiseWords words, requantise_words(w, data));
  std::vector<int32_t> weights, params;
  for (int first = 0; first < w.out_c; first += plan.oc) {
    std::vector<std::vector<int8_t>> tile;
    for (int c = first; c < first + plan.oc; ++c) {
      tile.push_back(channel_weights(w, data, c));
      const auto at = static_cast<size_t>(c);
      params.insert(params.end(), {folded_bias(w, data, c), words.multiplier[at], words.last[at]});
    }
    for (int row = 0; row < w.kernel_h; ++row)
      for (int64_t pair = 0; pair < plan.pairs; ++pair)
        for (const auto& channel : tile) {
          const auto half = [&](int64_t k) {
            const int8_t v =
                k < plan.run ? channel[static_cast<size_t>(row * plan.run + k)] : int8_t{0};
            return static_cast<uint32_t>(static_cast<uint16_t>(v));
          };
          weights.push_back(static_cast<int32_t>(half(2 * pair) | half(2 * pair + 1) << 16));
        }
  }
  params.insert(params.end(), words.shared.begin(), words.shared.end());
  return std::vector<PackedConstant>{words_constant("weights", weights),
                                     words_constant("params", params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t blocks = (w.out_h + plan.rows - 1) / plan.rows;
  const int64_t tiles = (w.out_w + plan.px - 1) / plan.px;
  using Kind = Loop::Kind;
  NestBuilder build(4, 4, 12);
  const int64_t pixels = int64_t{w.out_c} * plan.px;
  build.loop("row_outer", blocks * plan.rows, Kind::kSerial, false, w.stride_h * plan.row_bytes, 0,
             int64_t{w.out_w} * w.out_c, 0);
  build.loop("px_outer", tiles, Kind::kSerial, false, plan.px * plan.pixel_bytes, 0, pixels, 0);
  build.loop("oc_outer", w.out_c / plan.oc, Kind::kSerial, false, 0,
             w.kernel_h * plan.tile_weights(), plan.oc, 12 * plan.oc);
  build.loop("kernel_row", w.kernel_h, Kind::kSerial, true, w.dilation_h * plan.row_bytes,
             plan.tile_weights(), 0, 0);
  build.loop("reduction", plan.pairs / plan.step, Kind::kSerial, true, 4 * plan.step,
             int64_t{4} * plan.step * plan.oc, 0, 0);
  build.loop("ku", plan.step, Kind::kUnrolled, true, 4, 4 * plan.oc, 0, 0);
  build.loop("pair", 2, Kind::kUnrolled, true, 2, 2, 0, 0);
  build.loop("px", plan.px, Kind::kUnrolled, false, plan.pixel_bytes, 0, w.out_c, 0);
  build.loop("oc", plan.oc, Kind::kUnrolled, false, 0, 4, 1, 12);
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
      : w_(w), plan_(plan), tiles_(w, 1, "none"), ir_(tiles_.ir()) {}

  std::string write(const std::string& symbol) {
    fill(IrText::argument("scratch"), plan_.buffered * plan_.row_bytes / 4);
    tiles_.count_to((w_.out_h + plan_.rows - 1) / plan_.rows, [&](const Value& block) {
      const Value start = ir_.mul(block, n(plan_.rows));
      const Value first =
          w_.out_h % plan_.rows == 0 ? start : ir_.clamp(start, 0, w_.out_h - plan_.rows);
      widen_rows(ir_.sub(ir_.mul(first, n(w_.stride_h)), n(w_.pad_top)));
      tiles_.count_to(plan_.rows, [&](const Value& row) { output_row(first, row); });
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  static Value n(int64_t v) { return IrText::number(v); }

  Value zero_points() const {
    const auto border = static_cast<uint32_t>(static_cast<uint16_t>(w_.input_zero_point));
    return n(static_cast<int32_t>(border * 0x00010001u));
  }

  void fill(const Value& target, int64_t words) {
    tiles_.count_to(words, [&](const Value& i) {
      ir_.store_word(zero_points(), ir_.at(target, ir_.shift_left(i, n(2))));
    });
  }

  // The buffered rows from input row `top` on. Columns of the border keep their first filling.
  void widen_rows(const Value& top) {
    tiles_.count_to(plan_.buffered, [&](const Value& r) {
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
            ir_.store_word(zero_points(), ir_.at(target, ir_.shift_left(v[0], n(2))));
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
    tiles_.count_to(tiles, [&](const Value& tile) {
      const Value start = ir_.mul(tile, n(plan_.px));
      const Value x = w_.out_w % plan_.px == 0 ? start : ir_.clamp(start, 0, w_.out_w - plan_.px);
      channels(ir_.at(buffer, ir_.mul(x, n(plan_.pixel_bytes))),
               ir_.at(out, ir_.mul(x, n(w_.out_c))));
    });
  }

  Value params_end() { return ir_.at(IrText::argument("params"), 4 * kParamWords * w_.out_c); }

  void channels(const Value& window, const Value& out) {
    const Value end = params_end();
    ir_.do_while({IrText::argument("weights"), IrText::argument("params"), out},
                 [&](const Values& v) {
                   Values next = tile(window, v[0], v[1], v[2]);
                   next.push_back(ir_.differs(next[1], end));
                   return next;
                 });
  }

  Values tile(const Value& window, const Value& weights, const Value& params, const Value& out) {
    // Carried: weights, the window's row, sums.
    Values state = {weights, window};
    for (int i = 0; i < plan_.px; ++i)
      for (int c = 0; c < plan_.oc; ++c)
        state.push_back(ir_.load_word(ir_.at(params, 4 * c * kParamWords)));
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
    const Value shared = params_end();
    for (int c = 0; c < plan_.oc; ++c) {
      const Value channel = ir_.at(params, 4 * c * kParamWords);
      const Value multiplier = ir_.load_word(ir_.at(channel, 4));
      const Value last = ir_.load_word(ir_.at(channel, 8));
      for (int i = 0; i < plan_.px; ++i)
        ir_.store_byte(tiles_.requantise(state[static_cast<size_t>(2 + i * plan_.oc + c)],
                                         multiplier, last, shared),
                       ir_.at(out, int64_t{i} * w_.out_c + c));
    }
    return {state[0], ir_.at(params, 4 * kParamWords * plan_.oc), ir_.at(out, plan_.oc)};
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
  PixelTiles tiles_;
  IrText& ir_;
};

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target&,
              const std::string& symbol) {
  const Plan plan(w, schedule);
  return {nullptr, Writer(w, plan).write(symbol)};
}

}  // namespace

extern const KernelTemplate kSmladRows;
const KernelTemplate kSmladRows = {
    "smlad_rows", 1,    {"weights", "params"}, supports, space, default_schedule,
    describe,     pack, scratch_bytes,         lower};

}  // namespace tinytune
