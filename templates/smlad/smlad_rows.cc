// Convolution windows over widened rows, for cores with the Arm DSP extension.
//
// smlad_nhwc.cc widens the inputs of every pixel anew: with a 3x3 window, each input nine times.
// Here the rows that a few output rows read (a filling) are widened to 16 bits once, with their
// border, into scratch in the layout of the input. A window's kernel row is then a run of
// contiguous pairs, and a tile of pixels reads its runs at fixed distances from one pointer. Every
// run must start on a word, so the step between pixels must be an even number of inputs.
//
// Channels may be the outer loop of a filling: then a tile's weights are copied to scratch for all
// pixels of the filling, and are read from flash once per filling.
#include <algorithm>

#include "templates/smlad/smlad_template.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {
namespace {

struct Plan {
  int oc, px, rows, step;  // a tile; output rows per filling; pairs between tests of the loop
  SmladTile tile;
  LoadOrder loads;
  bool multiple;  // see SmladInputs
  int right;      // see SmladShape
  bool channels_outer;
  int64_t run, pairs;  // inputs of a kernel row, and their pairs rounded up to steps
  int64_t lead, used;  // inputs of a buffered row: border before it, then copied ones
  int64_t pixel_bytes, row_bytes, kernel_row_bytes;
  int buffered;  // rows
  int kernel_h;

  Plan(const Workload& w, const Schedule& s)
      : oc(s.get_int("oc")),
        px(s.get_int("px")),
        rows(s.get_int("rows")),
        step(s.get_int("step")),
        tile{weight_form(s.get("weights")), oc, px},
        loads(smlad_load_order(s.get("loads"))),
        multiple(s.get("loads") == "multiple"),
        right(s.get_int("right")),
        channels_outer(s.get("order") == "channels_outer") {
    run = int64_t{w.kernel_w} * w.in_c;
    pairs = ((run + 1) / 2 + step - 1) / step * step;
    lead = int64_t{w.pad_left} * w.in_c;
    const int64_t width = int64_t{w.out_w - 1} * w.stride_w + w.kernel_w;
    used = std::min<int64_t>(w.in_w, width - w.pad_left) * w.in_c;
    pixel_bytes = int64_t{2} * w.stride_w * w.in_c;
    // Runs that are rounded up read beyond the last pixel; their weights are zero there.
    row_bytes = (2 * (width * w.in_c + 2 * pairs - run) + 3) / 4 * 4;
    buffered = (rows - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1;
    kernel_row_bytes = w.dilation_h * row_bytes;
    kernel_h = w.kernel_h;
  }

  // Returns whether a step is a whole kernel row, so that the inner loop walks rows.
  bool steps_are_rows() const { return pairs == step; }
  SmladInputs inputs() const {
    const int64_t bytes = steps_are_rows() ? kernel_row_bytes : int64_t{4} * step;
    return {.pair_bytes = 4, .pixel_bytes = pixel_bytes, .step_bytes = bytes, .multiple = multiple};
  }
  SmladRuns runs() const {
    if (steps_are_rows()) return {.pairs = kernel_h * pairs, .step = step};
    return {
        .count = kernel_h, .pairs = pairs, .step = step, .gap_bytes = kernel_row_bytes - 4 * pairs};
  }
  int64_t row_weights() const { return tile.weight_bytes(pairs); }  // per kernel row
  SmladShape shape() const { return {tile, inputs(), runs(), loads, Scaled::kByChannel, right}; }
  // Weights are [tile of channels][kernel row][pair][channel].
  int64_t input_of(int64_t half) const {
    const int64_t row = half / (2 * pairs), in_row = half % (2 * pairs);
    return in_row < run ? row * run + in_row : kernel_h * run;
  }
  // A step that pads a run by more than one pair is a slower duplicate of another step.
  bool legal(const Workload& w) const {
    return smlad_step_fits(tile, inputs(), step) && px <= w.out_w && rows <= w.out_h &&
           pairs <= (run + 1) / 2 + 1 && SmladTiles(w, shape()).permits_right() &&
           SmladTiles(w, shape()).permits_loads();
  }
  int64_t buffered_bytes() const { return buffered * row_bytes; }
  int64_t scratch_bytes(const Workload& w) const {
    return buffered_bytes() + (channels_outer ? SmladTiles(w, shape()).tile_bytes() : 0);
  }
};

bool supports(const Workload& w, const Device& device) {
  return tiles_fit(w) && w.op == OpKind::kConv2d && device.target.can(Capability::kDsp) &&
         w.kernel_h * w.kernel_w > 1 && w.dilation_w == 1 && w.stride_w * w.in_c % 2 == 0 &&
         w.pad_left * w.in_c % 2 == 0 &&
         w.pad_left < int64_t{w.out_w - 1} * w.stride_w + w.kernel_w;
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t blocks = (w.out_h + plan.rows - 1) / plan.rows;
  const int64_t tiles = (w.out_w + plan.px - 1) / plan.px;
  NestBuilder build(w, 4, plan.tile.is_joined() ? 2 : 4, 1);
  const int64_t pixels = int64_t{w.out_c} * plan.px;
  build.loop("row_outer", blocks * plan.rows,
             {.input = w.stride_h * plan.row_bytes, .output = int64_t{w.out_w} * w.out_c});
  build.loop("px_outer", tiles, {.input = plan.px * plan.pixel_bytes, .output = pixels});
  build.channel_tiles(w, plan.oc, w.kernel_h * plan.row_weights());
  build.loop("kernel_row", w.kernel_h,
             {.input = plan.kernel_row_bytes, .weights = plan.row_weights()}, build.kReduces);
  LoopNest nest = describe_tile(w, plan.shape(), plan.pairs, build, schedule);
  nest.prologue_bytes = blocks * plan.buffered * plan.row_bytes;
  nest.switches.emplace_back("channels_outer", plan.channels_outer ? 1.0 : 0.0);
  nest.switches.emplace_back("widened", 2.0 * static_cast<int>(plan.tile.form));
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan) : w_(w), plan_(plan), smlad_(w, plan.shape()) {}

  std::string write(const std::string& symbol) {
    ir_.fill(argument("scratch"), plan_.buffered_bytes() / 4, zero_points());
    ir_.tiles(w_.out_h, plan_.rows, [&](const Value& first) {
      widen_rows(ir_.sub(ir_.mul(first, w_.stride_h), w_.pad_top));
      if (plan_.channels_outer)
        channels_outside(first);
      else
        ir_.count_to(plan_.rows, [&](const Value& row) { output_row(first, row); });
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  uint32_t zero_points() const { return 0x00010001u * static_cast<uint16_t>(w_.input_zero_point); }

  // Widens the buffered rows from input row `top` on. Border columns keep their initial fill.
  void widen_rows(const Value& top) {
    ir_.count_to(plan_.buffered, [&](const Value& r) {
      const Value target =
          ir_.at(ir_.at(argument("scratch"), 2 * plan_.lead), ir_.mul(r, plan_.row_bytes));
      const Value y = ir_.add(top, r);
      const int64_t in_row = int64_t{w_.in_w} * w_.in_c;
      const Value source = ir_.at(argument("input"), y, in_row);
      // Rows inside the input run the first loop only, rows outside the second.
      const Value inside = ir_.below(y, w_.in_h);
      const Value end = ir_.select(inside, plan_.used, 0);
      if (in_row % 4 == 0 && plan_.used % 4 == 0)
        widen_words(source, target, end);
      else
        widen_bytes(source, target, end);
      const int64_t words = (plan_.used + 1) / 2;  // an odd last half is border anyway
      ir_.while_loop(
          {ir_.select(inside, words, 0)}, [&](const Values& v) { return ir_.below(v[0], words); },
          [&](const Values& v) {
            ir_.store_word(static_cast<int32_t>(zero_points()),
                           ir_.at(target, ir_.shift_left(v[0], 2)));
            return Values{ir_.add(v[0], 1)};
          });
    });
  }

  // Bytes b0..b3: SXTB16 gives (b0, b2) and (b1, b3); PKHBT and PKHTB put neighbours together.
  void widen_words(const Value& source, const Value& target, const Value& end) {
    ir_.while_loop(
        {0}, [&](const Values& v) { return ir_.differs(v[0], end); },
        [&](const Values& v) {
          const Value bytes = ir_.load_word(ir_.at(source, v[0]));
          const Value even = ir_.call("llvm.arm.sxtb16", {bytes});
          const Value odd = ir_.call("llvm.arm.sxtb16", {ir_.rotate_right(bytes, 8)});
          const Value to = ir_.at(target, ir_.shift_left(v[0], 1));
          ir_.store_word(ir_.bit_or(ir_.bit_and(even, 0xffff), ir_.shift_left(odd, 16)), to);
          ir_.store_word(
              ir_.bit_or(ir_.bit_and(odd, -65536), ir_.bit_and(ir_.shift_right(even, 16), 0xffff)),
              ir_.at(to, 4));
          return Values{ir_.add(v[0], 4)};
        });
  }

  void widen_bytes(const Value& source, const Value& target, const Value& end) {
    ir_.while_loop(
        {0}, [&](const Values& v) { return ir_.differs(v[0], end); },
        [&](const Values& v) {
          ir_.store_half(ir_.load_byte(ir_.at(source, v[0]), true),
                         ir_.at(target, ir_.shift_left(v[0], 1)));
          return Values{ir_.add(v[0], 1)};
        });
  }

  void output_row(const Value& first, const Value& row) {
    for_each_tile(row, [&](const Value& window, const Value& pixel) {
      const Value out = ir_.at(output_of(first), ir_.mul(pixel, w_.out_c));
      smlad_.all(window, out, ir_);
    });
  }

  void channels_outside(const Value& first) {
    const Value held = ir_.at(argument("scratch"), plan_.buffered_bytes());
    smlad_.channels(ir_).run(plan_.oc, output_of(first),
                             [&](const Value& weights, const Value& params, const Value& output) {
                               ir_.copy(weights, held, smlad_.tile_bytes() / 4);
                               ir_.count_to(plan_.rows, [&](const Value& row) {
                                 for_each_tile(row, [&](const Value& window, const Value& pixel) {
                                   smlad_.one(held, window, params, ir_.at(output, pixel, w_.out_c),
                                              ir_);
                                 });
                               });
                               return ir_.at(weights, smlad_.tile_bytes());
                             });
  }

  Value output_of(const Value& row) {
    return ir_.at(argument("output"), row, int64_t{w_.out_w} * w_.out_c);
  }

  // Calls `body` for each tile of a row of the filling: with the tile's window, and its first pixel
  // counted from the filling's first row.
  void for_each_tile(const Value& row,
                     const std::function<void(const Value& window, const Value& pixel)>& body) {
    const Value buffer = ir_.at(argument("scratch"), row, w_.stride_h * plan_.row_bytes);
    ir_.tiles(w_.out_w, plan_.px, [&](const Value& x) {
      body(ir_.at(buffer, x, plan_.pixel_bytes), ir_.add(ir_.mul(row, w_.out_w), x));
    });
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
  const SmladTiles smlad_;
};

struct Row {
  static constexpr const char* kName = "smlad_rows";
  static constexpr bool kNarrowsPixels = true;

  static std::vector<UsualKnob> knobs(const Workload& w, const Device& device) {
    const bool wait = weights_wait(device);  // then weights are worth a copy
    return {{"rows", {1, 2, 4}, wait && w.out_h >= 2 ? 2 : 1},
            int_knob("step", {1, 2, 3, 4, 5, 6, 8}),
            {scheduler_knob(device), usual_scheduler(device)},
            weights_knob(),
            {smlad_loads_knob(), usual_loads(device)},
            {Knob{"order", {"pixels_outer", "channels_outer"}},
             wait ? "channels_outer" : "pixels_outer"}};
  }
  // If the timing model counts instructions, tries LDM for one pixel first.
  static std::vector<FirstTile> first_tiles(const Workload& w, const Device& device) {
    const std::string loads = usual_loads(device);
    const FirstTile last = {std::min(w.out_c, 2), std::min(w.out_w, 3), loads};
    if (loads != "paired" || w.out_c < 4) return {last};
    const bool joined = usual_weights(w, device) == "joined";
    return {{usual_tile_channels(w.out_c, 4, joined), 1, "multiple"}, {4, 1, "multiple"}, last};
  }
};

}  // namespace

const KernelTemplate kSmladRows = SmladTemplate<Row, Plan, Writer>::row(supports, describe);

}  // namespace tinytune
