// Register-blocked direct convolution, NHWC; also the matrix product of dense layers and of 1x1
// convolutions, which are the same loops with fewer of them.
//
// A tile of `oc` output channels by `px` neighbouring pixels is summed in registers, so a step of
// the reduction loads oc + px values for oc * px products. Weights are packed so that a tile's
// channels stand side by side in the order the reduction runs; the weights' pointer then only ever
// advances.
#include <Halide.h>

#include <algorithm>

#include "templates/channel_params.h"
#include "templates/halide/direct_rules.h"
#include "templates/halide/images.h"
#include "templates/halide/requantise_stage.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

constexpr const char* kName = "direct_nhwc";

// How the reduction is walked. "runs": kernel columns and channels as one contiguous run, where
// memory has them so. "taps": channels outside, kernel columns unrolled inside, so that
// neighbouring pixels share the inputs their windows have in common.
struct Reduction {
  int inner, outer;  // inner is what `ku` unrolls; outer is a loop between it and kernel rows
  bool taps;

  Reduction(const Workload& w, const DirectShape& s, const std::string& kind,
            const std::string& border)
      : taps(kind == "taps") {
    const bool contiguous = w.dilation_w == 1 && w.groups == 1 && border != "test";
    inner = taps ? s.channels : contiguous ? w.kernel_w * s.channels : s.channels;
    outer = taps ? w.kernel_w : contiguous ? 1 : w.kernel_w;
  }
};

struct Tile : DirectTile {
  int ku;
  bool unroll_rows, channels_outer;
  std::string reduce, border;

  explicit Tile(const Schedule& s)
      : DirectTile{s.get_int("oc"), s.get_int("px")},
        ku(s.get_int("ku")),
        unroll_rows(s.get("rows") == "unrolled"),
        channels_outer(s.get("order") == "channels_outer"),
        reduce(s.get("reduce")),
        border(s.get("border")) {}

  // Multiplies in the straight-line body.
  int body(const Workload& w) const {
    return oc * px * ku * (unroll_rows ? w.kernel_h : 1) * (reduce == "taps" ? w.kernel_w : 1);
  }
};

bool legal(const Workload& w, const Schedule& schedule) {
  const DirectShape shape(w);
  const Tile t(schedule);
  const Reduction r(w, shape, t.reduce, t.border);
  if (!direct_tile_fits(t, shape, t.body(w)) || r.inner % t.ku != 0) return false;
  if (t.unroll_rows && (w.kernel_h == 1 || t.ku * r.outer < std::min(r.inner, 4))) return false;
  // Halide 14 miscomputes the pieces of a serial loop over kernel columns when the tile of pixels
  // is shifted inwards at the same time (seen with dilation 2, 9 pixels in tiles of 4 and 6).
  return t.border != "test" || w.kernel_w == 1 || t.reduce == "taps";
}

ConfigSpace space(const Workload& w, const Device& device) {
  const DirectShape shape(w);
  std::vector<int> unrolls = divisors(shape.channels, 32);
  const Reduction runs(w, shape, "runs", border_knob(w).values[0]);
  for (int d : divisors(runs.inner, 48))
    if (std::find(unrolls.begin(), unrolls.end(), d) == unrolls.end()) unrolls.push_back(d);
  std::sort(unrolls.begin(), unrolls.end());
  Knob reduce{"reduce", {"runs"}}, rows{"rows", {"loop"}};
  if (w.kernel_w > 1) reduce.values.emplace_back("taps");
  if (w.kernel_h > 1) rows.values.emplace_back("unrolled");
  ConfigSpace result;
  result.add({kName,
              1,
              {direct_channels_knob(shape), direct_pixels_knob(shape), int_knob("ku", unrolls),
               reduce, rows, direct_order_knob(shape), direct_inside_knob(), border_knob(w),
               scheduler_knob(device)}},
             [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// The rule: the usual tile, then unroll the reduction to some 64 products a turn.
Schedule default_schedule(const Workload& w, const Device& device) {
  const DirectShape shape(w);
  const Reduction runs(w, shape, "runs", border_knob(w).values[0]);
  const DirectTile tile = usual_direct_tile(shape, device.target);
  const int ku = usual_unroll(divisors(runs.inner, 32), tile.oc * tile.px);
  return Schedule(kName, 1,
                  {{"oc", std::to_string(tile.oc)},
                   {"px", std::to_string(tile.px)},
                   {"ku", std::to_string(ku)},
                   {"reduce", "runs"},
                   {"rows", "loop"},
                   {"order", "channels_outer"},
                   {"inside", "tile"},
                   {"border", border_knob(w).values[0]},
                   {kSchedulerKnob, usual_scheduler(device)}});
}

int64_t scratch_bytes(const Workload& w, const Schedule& schedule) {
  return input_window(w, schedule.get("border")).bytes;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const DirectShape s(w);
  const Tile t(schedule);
  std::vector<int8_t> packed;
  packed.reserve(data.weights.size());
  const auto take = [&](int o, int ky, int kx, int c) {
    packed.push_back(data.weights[static_cast<size_t>(
        ((int64_t{o} * w.kernel_h + ky) * w.kernel_w + kx) * s.channels + c)]);
  };
  for (int tile = 0; tile < w.out_c; tile += t.oc)
    for (int ky = 0; ky < w.kernel_h; ++ky)
      for (int a = 0; a < (t.reduce == "taps" ? s.channels : w.kernel_w); ++a)
        for (int b = 0; b < (t.reduce == "taps" ? w.kernel_w : s.channels); ++b)
          for (int o = tile; o < tile + t.oc; ++o)
            t.reduce == "taps" ? take(o, ky, b, a) : take(o, ky, a, b);
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const DirectShape s(w);
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const Reduction r(w, s, t.reduce, t.border);
  const int64_t columns = (s.columns + t.px - 1) / t.px;
  const int64_t pixel = w.in_c, row = pixel * window.width;
  const int64_t taps = t.reduce == "taps" ? w.kernel_w : 1;
  const int64_t reduction = int64_t{w.kernel_h} * w.kernel_w * s.channels;
  using Kind = Loop::Kind;

  NestBuilder build(w, 1, 1, kBiasWords);
  const auto channel_tiles = [&] {
    build.loop(
        {.name = "oc_outer",
         .extent = w.out_c / t.oc,
         .strides = {
             .weights = reduction * t.oc, .output = t.oc, .params = build.params_bytes() * t.oc}});
  };
  if (t.channels_outer) channel_tiles();
  build.loop({.name = "rows",
              .extent = int64_t{s.images} * s.rows,
              .strides = {.input = row * w.stride_h, .output = int64_t{w.out_c} * s.columns}});
  build.loop({.name = "px_outer",
              .extent = columns,
              .strides = {.input = pixel * w.stride_w * t.px, .output = int64_t{w.out_c} * t.px}});
  if (!t.channels_outer) channel_tiles();
  build.loop({.name = "kernel_rows",
              .extent = w.kernel_h,
              .kind = t.unroll_rows ? Kind::kUnrolled : Kind::kSerial,
              .reduces = true,
              .strides = {.input = row * w.dilation_h,
                          .weights = int64_t{w.kernel_w} * s.channels * t.oc}});
  if (t.reduce != "taps")
    build.loop({.name = "kernel_columns",
                .extent = r.outer,
                .reduces = true,
                .strides = {.input = pixel * w.dilation_w, .weights = int64_t{r.inner} * t.oc}});
  build.loop({.name = "reduction",
              .extent = r.inner / t.ku,
              .reduces = true,
              .strides = {.input = t.ku, .weights = int64_t{t.ku} * t.oc * taps}});
  build.loop({.name = "ku",
              .extent = t.ku,
              .kind = Kind::kUnrolled,
              .reduces = true,
              .strides = {.input = 1, .weights = t.oc * taps}});
  if (t.reduce == "taps")
    build.loop({.name = "taps",
                .extent = taps,
                .kind = Kind::kUnrolled,
                .reduces = true,
                .strides = {.input = pixel * w.dilation_w, .weights = t.oc}});
  build.loop({.name = "px",
              .extent = t.px,
              .kind = Kind::kUnrolled,
              .strides = {.input = pixel * w.stride_w, .output = w.out_c}});
  build.loop({.name = "oc",
              .extent = t.oc,
              .kind = Kind::kUnrolled,
              .strides = {.weights = 1, .output = 1, .params = build.params_bytes()}});
  LoopNest nest = build.finish(schedule);
  describe_direct(w, schedule, s, t, t.body(w), nest);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const DirectShape s(w);
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const Reduction red(w, s, t.reduce, t.border);
  const int width = s.flat ? s.columns : window.width, height = s.flat ? 1 : window.height;

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 4, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_image(Layout::kNhwc, {w.in_c, width, height, s.images}, in);
  // [tile][kernel row][step of the reduction][channel of the tile]
  const int steps = w.kernel_w * s.channels;
  bound_image(Layout::kNhwc, {t.oc, steps, w.kernel_h, w.out_c / t.oc}, weights);
  bound_params(w, params);

  Var o("o"), x("x"), y("y"), n("n"), oo("oo"), oi("oi"), xo("xo"), xi("xi");
  RDom k(0, red.inner, 0, red.outer, 0, w.kernel_h, "k");
  Func sum("sum"), out("output");
  sum(o, x, y, n) = bias_of(w, params, o);
  // Where the run is contiguous, k.x walks across pixel borders: in(c, x) with c beyond the pixel
  // is the next pixel's, and the strides say so; the bounds must not.
  Expr channel = k.x, column = k.y, step = k.y * s.channels + k.x;
  if (red.taps) step = k.x * w.kernel_w + k.y;
  const bool runs_over = !red.taps && red.outer == 1 && w.kernel_w > 1;
  if (runs_over) {
    in.dim(0).set_bounds(0, steps);
    step = k.x, column = 0;
  }
  if (w.groups > 1) channel = channel + (o / s.outputs) * s.channels;
  const Expr a = window_value(w, window, in, channel, x * w.stride_w + column * w.dilation_w,
                              y * w.stride_h + k.z * w.dilation_h, n);
  const Expr b = weights(o % t.oc, step, k.z, o / t.oc);
  sum(o, x, y, n) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(o, x, y, n) = requantise(w, params, sum(o, x, y, n), o);

  bound_image(Layout::kNhwc, {w.out_c, s.columns, s.rows, s.images}, out.output_buffer());

  out.split(o, oo, oi, t.oc, TailStrategy::RoundUp)
      .split(x, xo, xi, t.px, TailStrategy::ShiftInwards);
  if (t.channels_outer)
    out.reorder(oi, xi, xo, y, n, oo);
  else
    out.reorder(oi, xi, oo, xo, y, n);
  out.unroll(oi).unroll(xi);
  sum.compute_at(out, t.channels_outer ? xo : oo).store_in(MemoryType::Register);
  sum.unroll(o).unroll(x);
  RVar ko("ko"), ki("ki");
  auto update = sum.update();
  update.split(k.x, ko, ki, t.ku);
  red.taps ? update.reorder(o, x, k.y, ki, ko, k.z, y, n)
           : update.reorder(o, x, ki, ko, k.y, k.z, y, n);
  update.unroll(o).unroll(x).unroll(ki);
  if (red.taps) update.unroll(k.y);
  if (t.unroll_rows) update.unroll(k.z);

  return padded_kernel(w, window, out, {in, weights, params}, target, symbol);
}

bool supports(const Workload& w, const Device&) {
  return w.op == OpKind::kDense || (w.op == OpKind::kConv2d && w.layout == Layout::kNhwc);
}

}  // namespace

extern const KernelTemplate kDirectNhwc;
const KernelTemplate kDirectNhwc = {
    .name = kName,
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
