// 3x3 depthwise convolution in NHWC for cores with the Arm DSP extension.
//
// The rows that a few output rows read (a filling) are widened to 16 bits with their border, for
// one channel or for four, which a word of inputs holds; then smlad_columns.h computes the outputs.
// All channels are computed in turn before the next rows.
//
// Two pixels of four channels are two words. PKHBT and PKHTB combine the same two channels of both;
// SXTB16 then extracts one channel of both: ten instructions for eight inputs.
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/smlad/smlad_columns.h"
#include "templates/switches.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr const char* kName = "smlad_depthwise";
constexpr int kVersion = 3;
constexpr int kLanes = 4;         // channels in a word of inputs
constexpr int kMostUnrolled = 8;  // inputs widened between two tests
// Fewer do not repay the start of a channel.
constexpr int kFewestPixels = 16;
constexpr int kMostEqual = 6;  // most fillings with equally many rows
// Right shifts of the requantisation as constants of the code. Twelve suits scales from 1/2^12 to
// 1/32, nine those up to 1/4; 0: the layer's shifts are read for every channel.
constexpr const char* kRightShifts[] = {"12", "9", "0"};

/// Returns the rows per filling for `fillings` fillings.
int rows_of_each(int rows, int fillings) { return (rows + fillings - 1) / fillings; }

struct Plan {
  int px, rows;                   // pixels per tile; output rows per filling
  int channels;                   // per filling
  int right;                      // shift of the requantisation; see kRightShifts
  int64_t used;                   // columns that are copied; the rest of a buffered row is border
  int64_t line_bytes, row_bytes;  // bytes of a channel's row of words; from row to row
  int buffered;                   // rows per filling
  LoadOrder loads;

  Plan(const Workload& w, const Schedule& s)
      : px(s.get_int("px")),
        rows(s.get_int("rows")),
        channels(s.get_int("channels")),
        right(s.get_int("right")),
        loads(load_order(s.get("loads"))) {
    const int64_t width = int64_t{w.out_w - 1} * w.stride_w + w.kernel_w;
    used = std::min<int64_t>(w.in_w, width - w.pad_left);
    line_bytes = 4 * ((width + 1) / 2);
    row_bytes = channels * line_bytes;
    buffered = (rows - 1) * w.stride_h + w.kernel_h;
  }

  bool legal(const Workload& w) const { return w.in_c % channels == 0 && columns(w).fits(); }
  int64_t scratch_bytes(const Workload&) const { return buffered_bytes(); }
  int64_t buffered_bytes() const { return buffered * row_bytes; }
  SmladColumns columns(const Workload& w) const {
    return {w, line_bytes, channels, rows, px, loads, right};
  }
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
           {Knob{"channels", {"1", "4"}}, w.in_c % kLanes == 0 ? "4" : "1"},
           Knob{"right", {std::begin(kRightShifts), std::end(kRightShifts)}},
           {scheduler_knob(device), usual_scheduler(device)},
           {Knob{"loads", {"grouped", "paired"}}, paired ? "paired" : "grouped"}}};
}

ConfigSpace space(const Workload& w, const Device& device) {
  return knobs(w, device).legal_space<Plan>(w);
}

// Chooses the fewest rows to widen and to compute within the little RAM that is left beside the
// tensors: each filling widens two rows again, and the last one moves back to fit.
Schedule with_right(const Workload& w, const Device& device, const char* right) {
  const KnobTable table = knobs(w, device);
  const int64_t tensors = int64_t{w.in_h} * w.in_w * w.in_c + int64_t{w.out_h} * w.out_w * w.out_c;
  const int64_t room = std::max<int64_t>(tensors / 12, 512);
  Schedule best;
  int least = std::numeric_limits<int>::max();
  for (const char* channels : {"4", "1"}) {
    for (const std::string& rows : table.knobs[1].values) {
      const Schedule s = table.usual({{"rows", rows}, {"channels", channels}, {"right", right}});
      const Plan plan(w, s);
      const int work = (w.out_h + plan.rows - 1) / plan.rows * (plan.buffered + plan.rows);
      if (plan.legal(w) && plan.buffered_bytes() <= room && work < least) best = s, least = work;
    }
    if (least < std::numeric_limits<int>::max()) return best;
  }
  return space(w, device).schedule(0);
}

Schedule default_schedule(const Workload& w, const Device& device) {
  return with_right(w, device, kRightShifts[0]);
}

std::vector<Schedule> fallback_schedules(const Workload& w, const Device& device) {
  return {with_right(w, device, kRightShifts[1]), with_right(w, device, kRightShifts[2])};
}

// Runs the proof itself for each shift.
std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
  return may_shift_right(kRightShifts, [&](int right) {
    return right == 0 || fuse_into_weights(w, data, right).has_value();
  });
}

// Packs what SmladColumns::words() lists, with two words of weights per kernel row.
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const int right = Plan(w, schedule).right;
  TT_TRY_ASSIGN(const ChannelParams params, ChannelParams::create(w, data));
  const auto fused = right > 0 ? fuse_into_weights(w, data, right) : std::nullopt;
  if (right > 0 && !fused)
    return Error(ErrorCode::kUnsupported,
                 "no shifted weights are exact for a channel of this layer");
  std::vector<int32_t> words;
  for (int c = 0; c < w.out_c; ++c) {
    const auto i = static_cast<size_t>(c);
    const int left = fused ? fused->left[i] : 0;
    const auto weight = [&, all = channel_weights(w, data, c)](int row, int column) {
      return int{all[static_cast<size_t>(row * w.kernel_w + column)]} * (1 << left);
    };
    for (int row = 0; row < w.kernel_h; ++row) {
      words.push_back(halves(weight(row, 0), weight(row, 1)));
      words.push_back(halves(weight(row, 1), weight(row, 2)));
    }
    const auto scaling =
        fused ? std::vector{fused->multiplier[i], fused->offset[i]} : params.scaling(c);
    words.insert(words.end(), scaling.begin(), scaling.end());
    words.push_back(static_cast<int32_t>(static_cast<uint32_t>(folded_bias(w, data, c)) << left));
    if (!fused) words.insert(words.end(), params.shared().begin(), params.shared().end());
  }
  return std::vector<PackedConstant>{words_constant("weights", words)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t blocks = (w.out_h + plan.rows - 1) / plan.rows;
  const int64_t tiles = (w.out_w + plan.px - 1) / plan.px;
  const int64_t out_row = int64_t{w.out_w} * w.out_c;
  const int64_t constants = int64_t{4} * plan.columns(w).words();
  constexpr int kWordsOfRow = 2;  // words of weights, and of inputs that an output reads
  const int pairs = plan.px / 2, stride = w.stride_w;
  NestBuilder build(w, 4, 4, 1);
  build.loop("row_block", blocks, {.output = plan.rows * out_row});
  build.loop("channel", w.out_c, {.weights = constants, .output = 1, .params = constants});
  build.loop("row", plan.rows, {.input = w.stride_h * plan.row_bytes, .output = out_row});
  build.loop("px_outer", tiles,
             {.input = 2 * plan.px * w.stride_w, .output = int64_t{plan.px} * w.out_c});
  build.loop("kernel_rows", w.kernel_h, {.input = plan.row_bytes, .weights = 8},
             build.kReducesUnrolled);
  build.loop("kernel_words", kWordsOfRow, {.input = 4, .weights = 4}, build.kReducesUnrolled);
  build.loop("px_pair", pairs, {.input = 4 * stride, .output = int64_t{2} * w.out_c},
             build.kUnrolled, build.share(w.out_w, tiles * plan.px));
  // Neighbouring pixels share words if the window moves by half a word.
  build.loop("px", 2, {.input = stride == 2 ? 4 : 0, .output = w.out_c}, build.kUnrolled);
  const int64_t whole = w.out_w / plan.px, left_over = w.out_w % plan.px;
  const int64_t words = whole * plan.columns(w).words_of_row(plan.px) +
                        (left_over > 0 ? plan.columns(w).words_of_row(left_over) : 0);
  build.input_loads(build.share(4 * w.kernel_h * words, tiles));
  LoopNest nest = build.finish(schedule);
  nest.macs_per_step = build.share(w.kernel_w, kWordsOfRow);
  nest.multiplies_per_mac = build.share(kWordsOfRow, w.kernel_w);
  nest.accumulators = plan.px;
  nest.prologue_bytes = blocks * w.out_c / plan.channels * plan.buffered_bytes();
  nest.unrolled_body = plan.px * w.kernel_h * w.kernel_w;
  nest.switches.emplace_back("smlad", 1.0);
  nest.switches.emplace_back("channels", plan.channels);
  nest.switches.emplace_back("shifted", plan.right > 0 ? 1.0 : 0.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan) : w_(w), plan_(plan) {}

  std::string write(const std::string& symbol) {
    const Value scratch = argument("scratch");
    const SmladColumns columns = plan_.columns(w_);
    const int channels = plan_.channels;
    ir_.fill(scratch, plan_.buffered_bytes() / 4, zero_points());
    ir_.tiles(w_.out_h, plan_.rows, [&](const Value& first) {
      const Value top = ir_.sub(ir_.mul(first, w_.stride_h), w_.pad_top);
      const Value output = ir_.at(argument("output"), first, int64_t{w_.out_w} * w_.out_c);
      ir_.count_to(w_.out_c / channels, [&](const Value& group) {
        widen_rows(top, ir_.mul(group, channels));
        columns.write({scratch, ir_.at(output, group, channels),
                       ir_.at(argument("weights"), group, int64_t{4} * channels * columns.words())},
                      ir_);
      });
    });
    return ir_.function(symbol, {"input", "weights", "scratch", "output"});
  }

 private:
  uint32_t zero_points() const { return 0x00010001u * static_cast<uint16_t>(w_.input_zero_point); }

  // Returns the largest number of inputs in straight-line code that divides a row.
  int64_t unrolled() const {
    int64_t count = std::min<int64_t>(kMostUnrolled, plan_.used);
    while (plan_.used % count != 0) --count;
    return count;
  }

  // Widens the buffered rows of channels from input row `top` on. Border columns keep their initial
  // fill, and so do border rows if there is a single filling; else inputs may have replaced it.
  void widen_rows(const Value& top, const Value& channel) {
    const int64_t in_row = int64_t{w_.in_w} * w_.in_c;
    const Value above = ir_.clamp(ir_.sub(0, top), 0, plan_.buffered);
    const Value below = ir_.clamp(ir_.sub(w_.in_h, top), 0, plan_.buffered);
    const auto row = [&](const Value& r) {
      return ir_.at(argument("scratch"), r, plan_.row_bytes);
    };
    if (plan_.rows < w_.out_h) {
      fill_rows(argument("scratch"), row(above));
      fill_rows(row(below), row(plan_.buffered));
    }
    const Value end = row(below);
    const Value first = ir_.mul(ir_.add(top, above), in_row);
    ir_.while_loop(
        {ir_.at(ir_.at(argument("input"), channel), first), row(above)},
        [&](const Values& v) { return ir_.differs(v[1], end); },
        [&](const Values& v) {
          const Value inside = ir_.at(v[1], int64_t{2} * w_.pad_left);
          if (plan_.channels == kLanes)
            widen_lanes(v[0], inside);
          else
            widen_row(v[0], inside);
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

  // The same for four channels: single columns where the word is not shared, else pairs, two a
  // turn.
  void widen_lanes(const Value& source, const Value& target) {
    constexpr int64_t kStep = 4;  // columns per turn
    const int64_t lone = w_.pad_left % 2, turns = (plan_.used - lone) / kStep;
    const auto from = [&](const Value& at, int64_t column) { return ir_.at(at, column * w_.in_c); };
    if (lone > 0) widen_lone(source, target);
    const Values begin = {from(source, lone), ir_.at(target, 2 * lone)};
    const auto turn = [&](const Values& v) {
      for (const int64_t column : {0, 2}) widen_pair(from(v[0], column), ir_.at(v[1], 2 * column));
    };
    const Values end = turns * kStep <= kMostUnrolled
                           ? unrolled_turns(turns, kStep, begin, turn)
                           : ir_.advance(turns, begin, {kStep * w_.in_c, 2 * kStep}, turn);
    int64_t column = 0;
    const int64_t rest = plan_.used - lone - turns * kStep;
    for (; column + 2 <= rest; column += 2)
      widen_pair(from(end[0], column), ir_.at(end[1], 2 * column));
    if (column < rest) widen_lone(from(end[0], column), ir_.at(end[1], 2 * column));
  }

  Values unrolled_turns(int64_t turns, int64_t step, Values at,
                        const std::function<void(const Values&)>& turn) {
    for (int64_t i = 0; i < turns; ++i) {
      turn(at);
      at = {ir_.at(at[0], step * w_.in_c), ir_.at(at[1], 2 * step)};
    }
    return at;
  }

  void widen_lone(const Value& from, const Value& to) {
    for (int c = 0; c < kLanes; ++c)
      ir_.store_half(ir_.load_byte(ir_.at(from, c), true), ir_.at(to, c * plan_.line_bytes));
  }

  void widen_pair(const Value& from, const Value& to) {
    const Value first = ir_.load_word(from), second = ir_.load_word(ir_.at(from, w_.in_c));
    // Opaque, because LLVM would split either again.
    const Value lower =
        ir_.opaque(ir_.bit_or(ir_.bit_and(first, 0xffff), ir_.shift_left(second, 16)));
    const Value upper =
        ir_.opaque(ir_.bit_or(ir_.shift_right_unsigned(first, 16), ir_.bit_and(second, -0x10000)));
    int c = 0;
    for (const Value& two : {lower, upper})
      for (const Value& of_channel : {two, ir_.rotate_right(two, 8)})
        ir_.store_word(ir_.call("llvm.arm.sxtb16", {of_channel}),
                       ir_.at(to, c++ * plan_.line_bytes));
  }

  // Fills whole border rows.
  void fill_rows(const Value& from, const Value& end) {
    ir_.while_loop(
        {from}, [&](const Values& v) { return ir_.differs(v[0], end); },
        [&](const Values& v) {
          for (int c = 0; c < plan_.channels; ++c)
            ir_.store_word(static_cast<int32_t>(zero_points()), ir_.at(v[0], 4 * c));
          return Values{ir_.at(v[0], 4 * plan_.channels)};
        });
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
};

}  // namespace

const KernelTemplate kSmladDepthwise = {
    .name = kName,
    .version = kVersion,
    .constants = {"weights"},
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .fallback_schedules = fallback_schedules,
    .describe = describe,
    .pack = pack,
    .may_pack = may_pack,
    .scratch_bytes = scratch_of<Plan>,
    .lower = lower_as_text<Plan, Writer>,
};

}  // namespace tinytune
