// 3x3 depthwise convolution in NHWC for cores with the Arm DSP extension.
//
// One channel at a time: the rows that a few output rows read are widened to 16 bits with their
// border in place, then smlad_columns.h walks them. A filling serves all channels in turn before
// the next rows come.
#include <algorithm>
#include <limits>

#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/smlad/smlad_columns.h"
#include "templates/switches.h"
#include "templates/tile/channel_loop.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr const char* kName = "smlad_depthwise";
constexpr int kVersion = 2;
constexpr int kStartWords = 1;    // of a channel: the bias
constexpr int kMostUnrolled = 8;  // inputs widened between two tests
// Fewer do not pay for the start of a channel.
constexpr int kFewestPixels = 16;
constexpr int kMostEqual = 6;  // fillings of as many rows each

/// Rows of each of so many fillings.
int rows_of_each(int rows, int fillings) { return (rows + fillings - 1) / fillings; }

struct Plan {
  int px, rows;       // of a tile; output rows per filling
  int64_t used;       // columns that are copied; the rest of a buffered row is border
  int64_t row_bytes;  // a word more than the windows, which the last tile may read
  int buffered;       // rows
  LoadOrder loads;

  Plan(const Workload& w, const Schedule& s)
      : px(s.get_int("px")), rows(s.get_int("rows")), loads(load_order(s.get("loads"))) {
    const int64_t width = int64_t{w.out_w - 1} * w.stride_w + w.kernel_w;
    used = std::min<int64_t>(w.in_w, width - w.pad_left);
    row_bytes = 2 * ((width + 1) / 2 * 2 + 2);
    buffered = (rows - 1) * w.stride_h + w.kernel_h;
  }

  bool legal(const Workload& w) const { return columns(w).fits(); }
  int64_t scratch_bytes(const Workload&) const { return buffered_bytes(); }
  int64_t buffered_bytes() const { return buffered * row_bytes; }
  SmladColumns columns(const Workload& w) const { return {w, row_bytes, rows, px, loads}; }
};

bool supports(const Workload& w, const Device& device) {
  return w.op == OpKind::kDepthwiseConv2d && w.layout == Layout::kNhwc && w.batch == 1 &&
         w.depth_multiplier == 1 && device.target.can(Capability::kDsp) &&
         SmladColumns::supports(w) && w.out_h * w.out_w >= kFewestPixels &&
         w.pad_left < w.kernel_w && int64_t{kMostUnrolled} * w.in_c <= 4095;
}

KnobTable knobs(const Workload& w, const Device& device) {
  std::vector<int> rows = {1, 2, 3, 4, 6, 8, 12, 16, 25, 32};
  for (int fillings = 1; fillings <= kMostEqual; ++fillings)
    rows.push_back(rows_of_each(w.out_h, fillings));
  std::erase_if(rows, [&](int r) { return r > w.out_h; });
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const bool paired = load_order(usual_loads(device)) == LoadOrder::kPaired;
  return {kName,
          kVersion,
          {{"px", {2, 4}, 4},
           int_knob("rows", rows),
           {scheduler_knob(device), usual_scheduler(device)},
           {Knob{"loads", {"grouped", "paired"}}, paired ? "paired" : "grouped"}}};
}

ConfigSpace space(const Workload& w, const Device& device) {
  return knobs(w, device).legal_space<Plan>(w);
}

// Within the little room that there is beside the tensors, the fewest rows to widen and to compute:
// two of each filling are widened for the second time, and the last moves back to fit.
Schedule default_schedule(const Workload& w, const Device& device) {
  const KnobTable table = knobs(w, device);
  const int64_t tensors = int64_t{w.in_h} * w.in_w * w.in_c + int64_t{w.out_h} * w.out_w * w.out_c;
  const int64_t room = std::max<int64_t>(tensors / 40, 512);
  Schedule best = space(w, device).schedule(0);
  int least = std::numeric_limits<int>::max();
  for (const std::string& rows : table.knobs[1].values) {
    const Schedule s = table.usual({{"rows", rows}});
    const Plan plan(w, s);
    const int work = (w.out_h + plan.rows - 1) / plan.rows * (plan.buffered + plan.rows);
    if (plan.legal(w) && plan.buffered_bytes() <= room && work < least) best = s, least = work;
  }
  return best;
}

// [channel][kernel row], two words a row: see smlad_columns.h.
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule&) {
  TT_TRY_ASSIGN(const PackedConstant params, pack_params(w, data));
  std::vector<int32_t> words;
  for (int c = 0; c < w.out_c; ++c) {
    const auto weight = [&, all = channel_weights(w, data, c)](int row, int column) {
      return int{all[static_cast<size_t>(row * w.kernel_w + column)]};
    };
    for (int row = 0; row < w.kernel_h; ++row) {
      words.push_back(halves(weight(row, 0), weight(row, 1)));
      words.push_back(halves(weight(row, 1), weight(row, 2)));
    }
  }
  return std::vector<PackedConstant>{words_constant("weights", words), params};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t blocks = (w.out_h + plan.rows - 1) / plan.rows;
  const int64_t tiles = (w.out_w + plan.px - 1) / plan.px;
  const int64_t out_row = int64_t{w.out_w} * w.out_c;
  NestBuilder build(w, 2, 4, kStartWords);
  build.loop("row_block", blocks, {.output = plan.rows * out_row});
  build.loop(
      "channel", w.out_c,
      {.weights = 4 * SmladColumns::kWeightWords, .output = 1, .params = build.params_bytes()});
  build.loop("row", plan.rows, {.input = w.stride_h * plan.row_bytes, .output = out_row});
  build.loop("px_outer", tiles,
             {.input = 2 * plan.px * w.stride_w, .output = int64_t{plan.px} * w.out_c});
  build.loop("kernel_rows", w.kernel_h, {.input = plan.row_bytes, .weights = 8},
             build.kReducesUnrolled);
  build.loop("kernel_columns", w.kernel_w, {.input = 2, .weights = 2}, build.kReducesUnrolled);
  build.loop("px", plan.px, {.input = 2 * w.stride_w, .output = w.out_c}, build.kUnrolled);
  LoopNest nest = build.finish(schedule);
  nest.multiplies_per_mac = 2.0 / 3;
  nest.accumulators = plan.px;
  nest.outputs = blocks * plan.rows * tiles * plan.px * w.out_c;
  nest.prologue_bytes = blocks * w.out_c * plan.buffered_bytes();
  nest.unrolled_body = plan.px * w.kernel_h * w.kernel_w;
  nest.switches.emplace_back("smlad", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w), plan_(plan), channels_(w, ir_, kStartWords) {}

  std::string write(const std::string& symbol) {
    const Value scratch = argument("scratch");
    const SmladColumns columns = plan_.columns(w_);
    ir_.fill(scratch, plan_.buffered_bytes() / 4, zero_points());
    ir_.tiles(w_.out_h, plan_.rows, [&](const Value& first) {
      const Value top = ir_.sub(ir_.mul(first, w_.stride_h), w_.pad_top);
      const Value output = ir_.at(argument("output"), first, int64_t{w_.out_w} * w_.out_c);
      ir_.count_to(w_.out_c, [&](const Value& channel) {
        widen_rows(top, channel);
        columns.write(
            {scratch, ir_.at(output, channel),
             ir_.at(argument("weights"), channel, 4 * SmladColumns::kWeightWords),
             ir_.at(argument("params"), channel, channels_.param_bytes()), channels_.end()},
            ir_);
      });
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  uint32_t zero_points() const { return 0x00010001u * static_cast<uint16_t>(w_.input_zero_point); }

  // The largest number of inputs in straight-line code that divides a row.
  int64_t unrolled() const {
    int64_t count = std::min<int64_t>(kMostUnrolled, plan_.used);
    while (plan_.used % count != 0) --count;
    return count;
  }

  // The buffered rows of a channel from input row `top` on. Columns of the border keep their first
  // filling, and rows do if there is but one; else others' inputs may be there.
  void widen_rows(const Value& top, const Value& channel) {
    const int64_t in_row = int64_t{w_.in_w} * w_.in_c;
    const Value buffer = ir_.at(argument("scratch"), int64_t{2} * w_.pad_left);
    const Value above = ir_.clamp(ir_.sub(0, top), 0, plan_.buffered);
    const Value below = ir_.clamp(ir_.sub(w_.in_h, top), 0, plan_.buffered);
    const auto row = [&](const Value& r) { return ir_.at(buffer, r, plan_.row_bytes); };
    if (plan_.rows < w_.out_h) {
      fill_rows(buffer, row(above));
      fill_rows(row(below), row(plan_.buffered));
    }
    const Value end = row(below);
    const Value first = ir_.mul(ir_.add(top, above), in_row);
    ir_.while_loop(
        {ir_.at(ir_.at(argument("input"), channel), first), row(above)},
        [&](const Values& v) { return ir_.differs(v[1], end); },
        [&](const Values& v) {
          widen_row(v[0], v[1]);
          return Values{ir_.at(v[0], in_row), ir_.at(v[1], plan_.row_bytes)};
        });
  }

  void widen_row(const Value& source, const Value& target) {
    const int64_t count = unrolled();
    const auto widen = [&](const Value& from, const Value& to) {
      Values loaded;
      for (int64_t i = 0; i < count; ++i)
        loaded.push_back(ir_.load_byte(ir_.at(from, i * w_.in_c), true));
      for (int64_t i = 0; i < count; ++i)
        ir_.store_half(loaded[static_cast<size_t>(i)], ir_.at(to, 2 * i));
    };
    if (count == plan_.used) return widen(source, target);
    const Value end = ir_.at(target, 2 * plan_.used);
    ir_.do_while({source, target}, [&](const Values& v) {
      widen(v[0], v[1]);
      const Value next = ir_.at(v[1], 2 * count);
      return Values{ir_.at(v[0], count * w_.in_c), next, ir_.differs(next, end)};
    });
  }

  // Whole rows of border, but for the columns that always are.
  void fill_rows(const Value& from, const Value& end) {
    ir_.while_loop(
        {from}, [&](const Values& v) { return ir_.differs(v[0], end); },
        [&](const Values& v) {
          ir_.advance(plan_.used, v, {2},
                      [&](const Values& at) { ir_.store_half(w_.input_zero_point, at[0]); });
          return Values{ir_.at(v[0], plan_.row_bytes)};
        });
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
  ChannelLoop channels_;
};

}  // namespace

const KernelTemplate kSmladDepthwise = {
    .name = kName,
    .version = kVersion,
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_of<Plan>,
    .lower = lower_as_text<Plan, Writer>,
};

}  // namespace tinytune
