// Depthwise convolution, both layouts: every channel is its own small filter.
//
// Nothing is shared between channels, so the reuse is in space: a tile of `px` by `py` neighbouring
// outputs of one channel shares the inputs where their windows overlap. In NHWC, with channels
// outermost, a channel's filter stays in registers for the whole image. In NCHW a plane and its
// filter are each one contiguous piece and nothing but the plane's own pointer moves between
// channels; there, `ch` channels a tile only pay where several share a plane (a multiplier).
#include <Halide.h>

#include <algorithm>

#include "templates/channel_params.h"
#include "templates/halide/images.h"
#include "templates/halide/requantise_stage.h"
#include "templates/halide/stages.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

constexpr int kMostAccumulators = 16;
constexpr int kLargestBody = 200;

bool is_nhwc(const Workload& w) { return w.layout == Layout::kNhwc; }
const char* name_for(const Workload& w) { return is_nhwc(w) ? "depthwise_nhwc" : "depthwise_nchw"; }

// How tiles follow each other: with NHWC whether channels are the outermost loop or the innermost,
// with NCHW whether tiles run along rows or down columns. The first value is the usual one.
Knob walk_knob(const Workload& w) {
  if (is_nhwc(w)) return {"order", {"channels_outer", "pixels_outer"}};
  if (w.out_h == 1 || w.out_w == 1) return {"walk", {"rows"}};
  return {"walk", {"rows", "columns"}};
}

// Which taps are straight-line code. A loop over all of them ("none") only where a row of taps is
// a single one or too long: elsewhere it never won.
Knob taps_knob(const Workload& w) {
  Knob knob{"taps", {}};
  if (w.kernel_w == 1 || w.kernel_w > kLargestBody) knob.values.emplace_back("none");
  if (w.kernel_w > 1) knob.values.emplace_back("columns");
  if (w.kernel_h > 1) knob.values.emplace_back("all");
  return knob;
}

struct Tile {
  int ch, px, py;
  bool unroll_rows, unroll_columns, tile_inside, usual_walk;

  Tile(const Workload& w, const Schedule& s)
      : ch(s.get_int("ch")),
        px(s.get_int("px")),
        py(s.get_int("py")),
        unroll_rows(s.get("taps") == "all"),
        unroll_columns(s.get("taps") != "none"),
        tile_inside(s.get("inside") == "tile"),
        usual_walk(s.get(walk_knob(w).name) == walk_knob(w).values[0]) {}

  int outputs() const { return ch * px * py; }
  // Multiplies in the straight-line body.
  int body(const Workload& w) const {
    return outputs() * (unroll_columns ? w.kernel_w : 1) * (unroll_rows ? w.kernel_h : 1);
  }
};

bool legal(const Workload& w, const Schedule& schedule) {
  const Tile t(w, schedule);
  if (t.outputs() > kMostAccumulators || t.body(w) > kLargestBody) return false;
  if (t.px > w.out_w || t.py > w.out_h) return false;
  // As in direct_plan.cc: no serial loop over taps where tiles shift inwards and borders are
  // tested.
  if (schedule.get("border") == "test" &&
      ((!t.unroll_columns && w.kernel_w > 1 && w.out_w % t.px != 0) ||
       (!t.unroll_rows && w.kernel_h > 1 && w.out_h % t.py != 0)))
    return false;
  return t.tile_inside || (t.unroll_columns && t.outputs() > 1);
}

ConfigSpace space(const Workload& w, const Device& device) {
  std::vector<int> channels;
  for (int c : {1, 2, 4, 8})
    if (w.out_c % c == 0 && (c < 8 || is_nhwc(w))) channels.push_back(c);
  ConfigSpace result;
  result.add({name_for(w),
              1,
              {int_knob("ch", channels),
               int_knob("px", up_to(std::min(w.out_w, 8))),
               int_knob("py", up_to(std::min(w.out_h, 4))),
               taps_knob(w),
               walk_knob(w),
               {"inside", {"tile", "filter"}},
               border_knob(w),
               scheduler_knob(device)}},
             [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// The rule: one channel, the widest row of pixels that leaves registers for the filter, and as much
// of the filter in straight-line code as stays small.
Schedule default_schedule(const Workload& w, const Device& device) {
  int px = 1;
  for (int p = 1; p <= std::min(w.out_w, 6); ++p)
    if ((w.out_w + p - 1) / p * p <= w.out_w + w.out_w / 8) px = p;
  const std::vector<std::string> values = taps_knob(w).values;
  const bool small = w.kernel_h * w.kernel_w <= 12;
  const std::string taps = small ? values.back() : values.front();
  while (px > 1 && taps == "columns" && px * w.kernel_w > kLargestBody) --px;
  const auto with_border = [&](const std::string& border) {
    return Schedule(name_for(w), 1,
                    {{"ch", "1"},
                     {"px", std::to_string(px)},
                     {"py", "1"},
                     {"taps", taps},
                     {walk_knob(w).name, walk_knob(w).values[0]},
                     {"inside", "tile"},
                     {"border", border},
                     {kSchedulerKnob, usual_scheduler(device)}});
  };
  const Schedule lean = with_border(border_knob(w).values.back());
  return legal(w, lean) ? lean : with_border(border_knob(w).values.front());
}

int64_t scratch_bytes(const Workload& w, const Schedule& schedule) {
  return input_window(w, schedule.get("border")).bytes;
}

// [tile][kernel row][kernel column][channel of the tile]
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Tile t(w, schedule);
  const int taps = w.kernel_h * w.kernel_w;
  std::vector<int8_t> packed;
  packed.reserve(data.weights.size());
  for (int tile = 0; tile < w.out_c; tile += t.ch)
    for (int tap = 0; tap < taps; ++tap)
      for (int c = tile; c < tile + t.ch; ++c)
        packed.push_back(data.weights[static_cast<size_t>(int64_t{tap} * w.out_c + c)]);
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  using Kind = Loop::Kind;
  using Step = NestBuilder::Step;
  const Tile t(w, schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const int64_t columns = (w.out_w + t.px - 1) / t.px, rows = (w.out_h + t.py - 1) / t.py;
  const int64_t taps = int64_t{w.kernel_h} * w.kernel_w;
  // Bytes from pixel to pixel and from channel to channel.
  const int64_t in_pixel = is_nhwc(w) ? w.in_c : 1, out_pixel = is_nhwc(w) ? w.out_c : 1;
  const int64_t in_row = in_pixel * window.width, out_row = out_pixel * w.out_w;
  const int64_t in_channel = is_nhwc(w) ? 1 : in_row * window.height;
  const int64_t out_channel = is_nhwc(w) ? 1 : out_row * w.out_h;

  NestBuilder build(w, 1, 1, kBiasWords);
  const Step channel_tiles = {.name = "ch_outer",
                              .extent = w.out_c / t.ch,
                              .strides = {.input = in_channel * t.ch / w.depth_multiplier,
                                          .weights = taps * t.ch,
                                          .output = out_channel * t.ch,
                                          .params = build.params_bytes() * t.ch}};
  const Step row_tiles = {
      .name = "py_outer",
      .extent = is_nhwc(w) ? rows * w.batch : rows,
      .strides = {.input = in_row * w.stride_h * t.py, .output = out_row * t.py}};
  const Step column_tiles = {
      .name = "px_outer",
      .extent = columns,
      .strides = {.input = in_pixel * w.stride_w * t.px, .output = out_pixel * t.px}};
  const Step channel_of_tile = {
      .name = "ch",
      .extent = t.ch,
      .kind = Kind::kUnrolled,
      .strides = {.input = is_nhwc(w) || w.depth_multiplier == 1 ? in_channel : 0,
                  .weights = 1,
                  .output = out_channel,
                  .params = build.params_bytes()}};
  const Step column_of_tile = {.name = "px",
                               .extent = t.px,
                               .kind = Kind::kUnrolled,
                               .strides = {.input = in_pixel * w.stride_w, .output = out_pixel}};

  if (!is_nhwc(w))
    build.loop({.name = "batch",
                .extent = w.batch,
                .strides = {.input = in_channel * w.in_c, .output = out_channel * w.out_c}});
  std::vector<Step> walk = {channel_tiles, row_tiles, column_tiles};
  if (!t.usual_walk) {
    if (is_nhwc(w)) walk = {row_tiles, column_tiles, channel_tiles};
    if (!is_nhwc(w)) walk = {channel_tiles, column_tiles, row_tiles};
  }
  for (const Step& step : walk) build.loop(step);
  build.loop({.name = "kernel_rows",
              .extent = w.kernel_h,
              .kind = t.unroll_rows ? Kind::kUnrolled : Kind::kSerial,
              .reduces = true,
              .strides = {.input = in_row * w.dilation_h, .weights = int64_t{w.kernel_w} * t.ch}});
  build.loop({.name = "kernel_columns",
              .extent = w.kernel_w,
              .kind = t.unroll_columns ? Kind::kUnrolled : Kind::kSerial,
              .reduces = true,
              .strides = {.input = in_pixel * w.dilation_w, .weights = t.ch}});
  build.loop({.name = "py",
              .extent = t.py,
              .kind = Kind::kUnrolled,
              .strides = {.input = in_row * w.stride_h, .output = out_row}});
  build.loop(is_nhwc(w) ? column_of_tile : channel_of_tile);
  build.loop(is_nhwc(w) ? channel_of_tile : column_of_tile);
  LoopNest nest = build.finish(schedule);
  nest.accumulators = t.outputs();
  nest.outputs = int64_t{w.batch} * rows * t.py * columns * t.px * w.out_c;
  nest.prologue_bytes = window.bytes;
  nest.unrolled_body = t.body(w);
  nest.switches.emplace_back("tile_inside", t.tile_inside ? 1.0 : 0.0);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const Tile t(w, schedule);
  const InputWindow window = input_window(w, schedule.get("border"));

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 4, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_image(w.layout, {w.in_c, window.width, window.height, w.batch}, in);
  // [tile][kernel row][kernel column][channel of the tile]
  bound_image(Layout::kNhwc, {t.ch, w.kernel_w, w.kernel_h, w.out_c / t.ch}, weights);
  bound_params(w, params);

  Var c("c"), x("x"), y("y"), n("n"), co("co"), ci("ci"), xo("xo"), xi("xi"), yo("yo"), yi("yi");
  const std::vector<Var> place = in_storage_order(w.layout, c, x, y, n);
  RDom k(0, w.kernel_w, 0, w.kernel_h, "k");
  Func sum("sum"), out("output");
  sum(place) = bias_of(w, params, c);
  const Expr a =
      window_value(w, window, in, w.depth_multiplier == 1 ? Expr(c) : c / w.depth_multiplier,
                   x * w.stride_w + k.x * w.dilation_w, y * w.stride_h + k.y * w.dilation_h, n);
  const Expr b = weights(c % t.ch, k.x, k.y, c / t.ch);
  sum(place) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(place) = requantise(w, params, sum(place), c);
  bound_image(w.layout, {w.out_c, w.out_w, w.out_h, w.batch}, out.output_buffer());

  out.split(c, co, ci, t.ch, TailStrategy::RoundUp)
      .split(x, xo, xi, t.px, TailStrategy::ShiftInwards)
      .split(y, yo, yi, t.py, TailStrategy::ShiftInwards);
  std::vector<VarOrRVar> order = {xi, ci, yi};
  std::vector<Var> walk = {xo, yo, co, n};
  if (is_nhwc(w)) {
    order = {ci, xi, yi};
    walk = t.usual_walk ? std::vector<Var>{xo, yo, n, co} : std::vector<Var>{co, xo, yo, n};
  } else if (!t.usual_walk) {
    walk = {yo, xo, co, n};
  }
  for (const VarOrRVar& tile : order) out.unroll(tile);
  order.insert(order.end(), walk.begin(), walk.end());
  out.reorder(order);
  sum.compute_at(out, walk[0]).store_in(MemoryType::Register);
  auto update = sum.update();
  std::vector<VarOrRVar> tile = {x, c, y};
  if (is_nhwc(w)) tile = {c, x, y};
  order = tile;
  order.insert(t.tile_inside ? order.end() : order.begin(), k.x);
  order.insert(order.end(), {k.y, n});
  update.reorder(order);
  for (const VarOrRVar& v : tile) {
    sum.unroll(v);
    update.unroll(v);
  }
  if (t.unroll_columns) update.unroll(k.x);
  if (t.unroll_rows) update.unroll(k.y);
  return padded_kernel(w, window, out, {in, weights, params}, target, symbol);
}

bool supports_nhwc(const Workload& w, const Device&) {
  return w.op == OpKind::kDepthwiseConv2d && is_nhwc(w);
}

bool supports_nchw(const Workload& w, const Device&) {
  return w.op == OpKind::kDepthwiseConv2d && !is_nhwc(w);
}

}  // namespace

extern const KernelTemplate kDepthwiseNhwc;
const KernelTemplate kDepthwiseNhwc = {
    .name = "depthwise_nhwc",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = supports_nhwc,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

// The same loops on the other layout; a row of its own because its knobs differ.
extern const KernelTemplate kDepthwiseNchw;
const KernelTemplate kDepthwiseNchw = {
    .name = "depthwise_nchw",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = supports_nchw,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
