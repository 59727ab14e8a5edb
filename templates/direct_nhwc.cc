// Register-blocked direct convolution, NHWC; also the matrix product of dense layers and of 1x1
// convolutions, which are the same loops with fewer of them.
//
// A tile of `oc` output channels by `px` neighbouring pixels is summed in registers, so a step of
// the reduction loads oc + px values for oc * px products. Weights are packed so that a tile's
// channels stand side by side in the order the reduction runs; the weights' pointer then only ever
// advances.
#include <Halide.h>

#include <algorithm>

#include "templates/input_window.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/requantise_stage.h"
#include "templates/stages.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

constexpr int kMostAccumulators = 20;
// Multiplies in straight-line code. Beyond it builds take half a second and spill more than they
// save.
constexpr int kLargestBody = 256;

// The loops' view of a workload. Pixels of a 1x1 convolution without padding are one long row.
struct Shape {
  int batch, rows, columns;  // of the output
  int kernel_h, kernel_w;
  int channels, outputs;  // per group
  bool flat;

  explicit Shape(const Workload& w)
      : batch(w.batch),
        rows(w.out_h),
        columns(w.out_w),
        kernel_h(w.kernel_h),
        kernel_w(w.kernel_w),
        channels(w.in_c / w.groups),
        outputs(w.out_c / w.groups),
        flat(w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
             !needs_border(w) && w.out_h == w.in_h && w.out_w == w.in_w) {
    if (!flat) return;
    columns *= rows * batch;
    rows = batch = 1;
  }
};

// How the reduction is walked. "runs": kernel columns and channels as one contiguous run, where
// memory has them so. "taps": channels outside, kernel columns unrolled inside, so that
// neighbouring pixels share the inputs their windows have in common.
struct Reduction {
  int inner, outer;  // inner is what `ku` unrolls; outer is a loop between it and kernel rows
  bool taps;

  Reduction(const Workload& w, const Shape& s, const std::string& kind, const std::string& border)
      : taps(kind == "taps") {
    const bool contiguous = w.dilation_w == 1 && w.groups == 1 && border != "test";
    inner = taps ? s.channels : contiguous ? s.kernel_w * s.channels : s.channels;
    outer = taps ? s.kernel_w : contiguous ? 1 : s.kernel_w;
  }
};

struct Tile {
  int oc, px, ku;
  bool unroll_rows, tile_inside, channels_outer;
  std::string reduce, border;

  explicit Tile(const Schedule& s)
      : oc(s.get_int("oc")),
        px(s.get_int("px")),
        ku(s.get_int("ku")),
        unroll_rows(s.get("rows") == "unrolled"),
        tile_inside(s.get("inside") == "tile"),
        channels_outer(s.get("order") == "channels_outer"),
        reduce(s.get("reduce")),
        border(s.get("border")) {}

  // Multiplies in the straight-line body.
  int body(const Shape& s) const {
    return oc * px * ku * (unroll_rows ? s.kernel_h : 1) * (reduce == "taps" ? s.kernel_w : 1);
  }
};

bool legal(const Workload& w, const Schedule& schedule) {
  const Shape shape(w);
  const Tile t(schedule);
  const Reduction r(w, shape, t.reduce, t.border);
  if (t.oc * t.px > kMostAccumulators || t.px > shape.columns) return false;
  if (r.inner % t.ku != 0 || t.body(shape) > kLargestBody) return false;
  if (t.unroll_rows && (shape.kernel_h == 1 || t.ku * r.outer < std::min(r.inner, 4))) return false;
  // Halide 14 miscomputes the pieces of a serial loop over kernel columns when the tile of pixels
  // is shifted inwards at the same time (seen with dilation 2, 9 pixels in tiles of 4 and 6).
  if (t.border == "test" && shape.kernel_w > 1 && t.reduce != "taps") return false;
  if (!t.tile_inside && (t.ku == 1 || t.oc * t.px == 1)) return false;  // the same code
  return true;
}

ConfigSpace space(const Workload& w, const Device&) {
  const Shape shape(w);
  std::vector<int> unrolls = divisors(shape.channels, 32);
  const Reduction runs(w, shape, "runs", border_knob(w).values[0]);
  for (int d : divisors(runs.inner, 48))
    if (std::find(unrolls.begin(), unrolls.end(), d) == unrolls.end()) unrolls.push_back(d);
  std::sort(unrolls.begin(), unrolls.end());
  std::vector<int> pixels;
  for (int p = 1; p <= std::min(shape.columns, 8); ++p) pixels.push_back(p);

  ConfigSpace::Family family{"direct_nhwc",
                             1,
                             {int_knob("oc", divisors(shape.outputs, 16)),
                              int_knob("px", pixels),
                              int_knob("ku", unrolls),
                              {"reduce", {"runs"}},
                              {"rows", {"loop"}},
                              {"order", {"channels_outer", "pixels_outer"}},
                              {"inside", {"tile", "reduction"}},
                              border_knob(w),
                              scheduler_knob()}};
  if (shape.kernel_w > 1) family.knobs[3].values.push_back("taps");
  if (shape.kernel_h > 1) family.knobs[4].values.push_back("unrolled");
  if (shape.columns == 1 && shape.rows == 1) family.knobs[5].values.pop_back();
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// The rule: the squarest tile of at most 16 accumulators (they, their operands and the pointers
// fill the registers of RV32), then unroll the reduction to some 64 products a turn.
Schedule default_schedule(const Workload& w, const Device&) {
  const Shape shape(w);
  const Reduction runs(w, shape, "runs", border_knob(w).values[0]);
  int oc = 1, px = 1;
  double best = 1e9;
  for (int o : divisors(shape.outputs, 8))
    for (int p = 1; p <= std::min(shape.columns, 8); ++p) {
      if (o * p > 16) continue;
      const int tiles = (shape.columns + p - 1) / p;
      const double waste = static_cast<double>(tiles * p) / shape.columns;
      const double cost = waste * (2.0 + static_cast<double>(o + p) / (o * p));
      if (cost < best) best = cost, oc = o, px = p;
    }
  int ku = 1;
  for (int d : divisors(runs.inner, 16))
    if (oc * px * d <= 64) ku = d;
  const auto number = [](int v) { return std::to_string(v); };
  return Schedule("direct_nhwc", 1,
                  {{"oc", number(oc)},
                   {"px", number(px)},
                   {"ku", number(ku)},
                   {"reduce", "runs"},
                   {"rows", "loop"},
                   {"order", "channels_outer"},
                   {"inside", "tile"},
                   {"border", border_knob(w).values[0]},
                   {"sched", "source"}});
}

int64_t scratch_bytes(const Workload& w, const Schedule& schedule) {
  return input_window(w, schedule.get("border")).bytes;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Shape s(w);
  const Tile t(schedule);
  std::vector<int8_t> packed;
  packed.reserve(data.weights.size());
  const auto take = [&](int o, int ky, int kx, int c) {
    packed.push_back(data.weights[static_cast<size_t>(
        ((int64_t{o} * s.kernel_h + ky) * s.kernel_w + kx) * s.channels + c)]);
  };
  for (int tile = 0; tile < w.out_c; tile += t.oc)
    for (int ky = 0; ky < s.kernel_h; ++ky)
      for (int a = 0; a < (t.reduce == "taps" ? s.channels : s.kernel_w); ++a)
        for (int b = 0; b < (t.reduce == "taps" ? s.kernel_w : s.channels); ++b)
          for (int o = tile; o < tile + t.oc; ++o)
            t.reduce == "taps" ? take(o, ky, b, a) : take(o, ky, a, b);
  TT_TRY_ASSIGN(PackedConstant params, pack_requantise(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Shape s(w);
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const Reduction r(w, s, t.reduce, t.border);
  const int64_t columns = (s.columns + t.px - 1) / t.px;
  const int64_t pixel = w.in_c, row = pixel * window.width;
  const int64_t taps = t.reduce == "taps" ? s.kernel_w : 1;
  const int64_t reduction = int64_t{s.kernel_h} * s.kernel_w * s.channels;
  using Kind = Loop::Kind;

  NestBuilder build(1, 1, 12);
  const auto channel_tiles = [&] {
    build.loop("oc_outer", w.out_c / t.oc, Kind::kSerial, false, 0, reduction * t.oc, t.oc,
               12 * t.oc);
  };
  if (t.channels_outer) channel_tiles();
  build.loop("rows", int64_t{s.batch} * s.rows, Kind::kSerial, false, row * w.stride_h, 0,
             int64_t{w.out_c} * s.columns, 0);
  build.loop("px_outer", columns, Kind::kSerial, false, pixel * w.stride_w * t.px, 0,
             int64_t{w.out_c} * t.px, 0);
  if (!t.channels_outer) channel_tiles();
  build.loop("kernel_rows", s.kernel_h, t.unroll_rows ? Kind::kUnrolled : Kind::kSerial, true,
             row * w.dilation_h, int64_t{s.kernel_w} * s.channels * t.oc, 0, 0);
  if (t.reduce != "taps")
    build.loop("kernel_columns", r.outer, Kind::kSerial, true, pixel * w.dilation_w,
               int64_t{r.inner} * t.oc, 0, 0);
  build.loop("reduction", r.inner / t.ku, Kind::kSerial, true, t.ku, int64_t{t.ku} * t.oc * taps, 0,
             0);
  build.loop("ku", t.ku, Kind::kUnrolled, true, 1, t.oc * taps, 0, 0);
  if (t.reduce == "taps")
    build.loop("taps", taps, Kind::kUnrolled, true, pixel * w.dilation_w, t.oc, 0, 0);
  build.loop("px", t.px, Kind::kUnrolled, false, pixel * w.stride_w, 0, w.out_c, 0);
  build.loop("oc", t.oc, Kind::kUnrolled, false, 0, 1, 1, 12);
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.accumulators = t.oc * t.px;
  nest.outputs = int64_t{s.batch} * s.rows * columns * t.px * w.out_c;
  nest.prologue_bytes = window.bytes;
  nest.unrolled_body = t.body(s);
  nest.switches.emplace_back("tile_inside", t.tile_inside ? 1.0 : 0.0);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const Shape s(w);
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const Reduction red(w, s, t.reduce, t.border);
  const int width = s.flat ? s.columns : window.width, height = s.flat ? 1 : window.height;

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 4, "weights");
  ImageParam params(Int(32), 1, "params");
  in.dim(0).set_bounds(0, w.in_c).set_stride(1);
  in.dim(1).set_bounds(0, width).set_stride(w.in_c);
  in.dim(2).set_bounds(0, height).set_stride(w.in_c * width);
  in.dim(3).set_bounds(0, s.batch).set_stride(w.in_c * width * height);
  // [tile][kernel row][step of the reduction][channel of the tile]
  const int steps = s.kernel_w * s.channels;
  weights.dim(0).set_bounds(0, t.oc).set_stride(1);
  weights.dim(1).set_bounds(0, steps).set_stride(t.oc);
  weights.dim(2).set_bounds(0, s.kernel_h).set_stride(t.oc * steps);
  weights.dim(3).set_bounds(0, w.out_c / t.oc).set_stride(t.oc * steps * s.kernel_h);
  bound_params(w, params);

  Var o("o"), x("x"), y("y"), n("n"), oo("oo"), oi("oi"), xo("xo"), xi("xi");
  RDom k(0, red.inner, 0, red.outer, 0, s.kernel_h, "k");
  Func sum("sum"), out("output");
  sum(o, x, y, n) = bias_of(w, params, o);
  // Where the run is contiguous, k.x walks across pixel borders: in(c, x) with c beyond the pixel
  // is the next pixel's, and the strides say so; the bounds must not.
  Expr channel = k.x, column = k.y, step = k.y * s.channels + k.x;
  if (red.taps) step = k.x * s.kernel_w + k.y;
  const bool runs_over = !red.taps && red.outer == 1 && s.kernel_w > 1;
  if (runs_over) {
    in.dim(0).set_bounds(0, steps);
    step = k.x, column = 0;
  }
  if (w.groups > 1) channel = channel + (o / s.outputs) * s.channels;
  const Expr a = window_value(
      w, window, in,
      {channel, x * w.stride_w + column * w.dilation_w, y * w.stride_h + k.z * w.dilation_h, n});
  const Expr b = weights(o % t.oc, step, k.z, o / t.oc);
  sum(o, x, y, n) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(o, x, y, n) = requantise(w, params, sum(o, x, y, n), o);

  auto buffer = out.output_buffer();
  buffer.dim(0).set_bounds(0, w.out_c).set_stride(1);
  buffer.dim(1).set_bounds(0, s.columns).set_stride(w.out_c);
  buffer.dim(2).set_bounds(0, s.rows).set_stride(w.out_c * s.columns);
  buffer.dim(3).set_bounds(0, s.batch).set_stride(w.out_c * s.columns * s.rows);

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
  if (t.tile_inside)
    red.taps ? update.reorder(o, x, k.y, ki, ko, k.z, y, n)
             : update.reorder(o, x, ki, ko, k.y, k.z, y, n);
  else
    red.taps ? update.reorder(k.y, ki, o, x, ko, k.z, y, n)
             : update.reorder(ki, o, x, ko, k.y, k.z, y, n);
  update.unroll(o).unroll(x).unroll(ki);
  if (red.taps) update.unroll(k.y);
  if (t.unroll_rows) update.unroll(k.z);

  auto module = std::make_shared<Module>(symbol, target);
  append_padding(*module, w, window, symbol + "_pad");
  append_stage(*module, out, {in, weights, params}, symbol + "_main");
  return {module, ""};
}

bool supports(const Workload& w, const Device&) {
  return w.op == OpKind::kDense || (w.op == OpKind::kConv2d && w.layout == Layout::kNhwc);
}

}  // namespace

extern const KernelTemplate kDirectNhwc;
const KernelTemplate kDirectNhwc = {
    "direct_nhwc", 1,    {"weights", "params"}, supports, space, default_schedule,
    describe,      pack, scratch_bytes,         lower};

}  // namespace tinytune
