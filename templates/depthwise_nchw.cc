// Depthwise convolution, NCHW: a plane at a time.
//
// A channel's plane and its filter are each one contiguous piece, so a tile of `px` by `py`
// neighbouring outputs reads short runs, and nothing but the plane's own pointer moves between
// channels. `ch` channels a tile only pays where several share an input plane (a multiplier).
#include <Halide.h>

#include <algorithm>

#include "templates/input_window.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/planes.h"
#include "templates/requantise_stage.h"
#include "templates/stages.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

constexpr int kMostAccumulators = 16;
constexpr int kLargestBody = 200;

struct Tile {
  int ch, px, py;
  bool unroll_rows, unroll_columns, tile_inside, rows_outer;

  explicit Tile(const Schedule& s)
      : ch(s.get_int("ch")),
        px(s.get_int("px")),
        py(s.get_int("py")),
        unroll_rows(s.get("taps") == "all"),
        unroll_columns(s.get("taps") != "none"),
        tile_inside(s.get("inside") == "tile"),
        rows_outer(s.get("walk") == "rows") {}

  int body(const Workload& w) const {
    return ch * px * py * (unroll_columns ? w.kernel_w : 1) * (unroll_rows ? w.kernel_h : 1);
  }
};

bool legal(const Workload& w, const Schedule& schedule) {
  const Tile t(schedule);
  if (t.ch * t.px * t.py > kMostAccumulators || t.body(w) > kLargestBody) return false;
  if (t.px > w.out_w || t.py > w.out_h) return false;
  // As in direct_nhwc.cc: no serial loop over taps where tiles shift inwards and borders are
  // tested.
  if (schedule.get("border") == "test" &&
      ((!t.unroll_columns && w.kernel_w > 1 && w.out_w % t.px != 0) ||
       (!t.unroll_rows && w.kernel_h > 1 && w.out_h % t.py != 0)))
    return false;
  return t.tile_inside || (t.unroll_columns && t.ch * t.px * t.py > 1);
}

ConfigSpace space(const Workload& w, const Device&) {
  const auto upto = [](int most) {
    std::vector<int> all;
    for (int v = 1; v <= most; ++v) all.push_back(v);
    return all;
  };
  std::vector<int> channels;
  for (int c : {1, 2, 4})
    if (w.out_c % c == 0) channels.push_back(c);
  ConfigSpace::Family family{"depthwise_nchw",
                             1,
                             {int_knob("ch", channels),
                              int_knob("px", upto(std::min(w.out_w, 8))),
                              int_knob("py", upto(std::min(w.out_h, 4))),
                              {"taps", {"none", "columns", "all"}},
                              {"walk", {"rows", "columns"}},
                              {"inside", {"tile", "filter"}},
                              border_knob(w),
                              scheduler_knob()}};
  if (w.kernel_w == 1) family.knobs[3].values = {"none", "all"};
  if (w.kernel_h == 1) family.knobs[3].values = {"none", "columns"};
  if (w.out_h == 1 || w.out_w == 1) family.knobs[4].values.pop_back();
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// The rule of depthwise_nhwc.cc: one channel, the widest row of pixels that leaves registers for
// the filter.
Schedule default_schedule(const Workload& w, const Device&) {
  const bool small = w.kernel_h * w.kernel_w <= 12;
  int px = 1;
  for (int p = 1; p <= std::min(w.out_w, 6); ++p)
    if ((w.out_w + p - 1) / p * p <= w.out_w + w.out_w / 8) px = p;
  const bool columns = w.kernel_w > 1 && w.kernel_w <= 12;
  const char* taps = small && w.kernel_h > 1 ? "all" : columns ? "columns" : "none";
  const auto with_border = [&](const std::string& border) {
    return Schedule("depthwise_nchw", 1,
                    {{"ch", "1"},
                     {"px", std::to_string(px)},
                     {"py", "1"},
                     {"taps", taps},
                     {"walk", "rows"},
                     {"inside", "tile"},
                     {"border", border},
                     {"sched", "source"}});
  };
  const Schedule lean = with_border(border_knob(w).values.back());
  return legal(w, lean) ? lean : with_border(border_knob(w).values.front());
}

int64_t scratch_bytes(const Workload& w, const Schedule& schedule) {
  return input_window(w, schedule.get("border")).bytes;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Tile t(schedule);
  const int taps = w.kernel_h * w.kernel_w;
  std::vector<int8_t> packed;
  packed.reserve(data.weights.size());
  for (int tile = 0; tile < w.out_c; tile += t.ch)
    for (int tap = 0; tap < taps; ++tap)
      for (int c = tile; c < tile + t.ch; ++c)
        packed.push_back(data.weights[static_cast<size_t>(int64_t{tap} * w.out_c + c)]);
  TT_TRY_ASSIGN(PackedConstant params, pack_requantise(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const int64_t columns = (w.out_w + t.px - 1) / t.px, rows = (w.out_h + t.py - 1) / t.py;
  const int64_t row = window.width, plane = row * window.height;
  const int64_t taps = int64_t{w.kernel_h} * w.kernel_w, out_plane = int64_t{w.out_h} * w.out_w;
  using Kind = Loop::Kind;

  NestBuilder build(1, 1, 12);
  const auto tile_rows = [&] {
    build.loop("py_outer", rows, Kind::kSerial, false, row * w.stride_h * t.py, 0,
               int64_t{w.out_w} * t.py, 0);
  };
  build.loop("batch", w.batch, Kind::kSerial, false, plane * w.in_c, 0, out_plane * w.out_c, 0);
  build.loop("ch_outer", w.out_c / t.ch, Kind::kSerial, false, plane * t.ch / w.depth_multiplier,
             taps * t.ch, out_plane * t.ch, 12 * t.ch);
  if (t.rows_outer) tile_rows();
  build.loop("px_outer", columns, Kind::kSerial, false, int64_t{w.stride_w} * t.px, 0, t.px, 0);
  if (!t.rows_outer) tile_rows();
  build.loop("kernel_rows", w.kernel_h, t.unroll_rows ? Kind::kUnrolled : Kind::kSerial, true,
             row * w.dilation_h, int64_t{w.kernel_w} * t.ch, 0, 0);
  build.loop("kernel_columns", w.kernel_w, t.unroll_columns ? Kind::kUnrolled : Kind::kSerial, true,
             w.dilation_w, t.ch, 0, 0);
  build.loop("py", t.py, Kind::kUnrolled, false, row * w.stride_h, 0, w.out_w, 0);
  build.loop("ch", t.ch, Kind::kUnrolled, false, w.depth_multiplier == 1 ? plane : 0, 1, out_plane,
             12);
  build.loop("px", t.px, Kind::kUnrolled, false, w.stride_w, 0, 1, 0);
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.accumulators = t.ch * t.px * t.py;
  nest.outputs = int64_t{w.batch} * rows * t.py * columns * t.px * w.out_c;
  nest.prologue_bytes = window.bytes;
  nest.unrolled_body = t.body(w);
  nest.switches.emplace_back("tile_inside", t.tile_inside ? 1.0 : 0.0);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 4, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_planes(w, window, in);
  // [tile][kernel row][kernel column][channel of the tile]
  weights.dim(0).set_bounds(0, t.ch).set_stride(1);
  weights.dim(1).set_bounds(0, w.kernel_w).set_stride(t.ch);
  weights.dim(2).set_bounds(0, w.kernel_h).set_stride(t.ch * w.kernel_w);
  weights.dim(3).set_bounds(0, w.out_c / t.ch).set_stride(t.ch * w.kernel_w * w.kernel_h);
  bound_params(w, params);

  Var x("x"), y("y"), c("c"), n("n"), co("co"), ci("ci"), xo("xo"), xi("xi"), yo("yo"), yi("yi");
  RDom k(0, w.kernel_w, 0, w.kernel_h, "k");
  Func sum("sum"), out("output");
  sum(x, y, c, n) = bias_of(w, params, c);
  const Expr a =
      plane_value(w, window, in,
                  {x * w.stride_w + k.x * w.dilation_w, y * w.stride_h + k.y * w.dilation_h,
                   w.depth_multiplier == 1 ? Expr(c) : c / w.depth_multiplier, n});
  const Expr b = weights(c % t.ch, k.x, k.y, c / t.ch);
  sum(x, y, c, n) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(x, y, c, n) = requantise(w, params, sum(x, y, c, n), c);
  bound_output_planes(w, w.out_w, w.out_h, out);

  out.split(c, co, ci, t.ch, TailStrategy::RoundUp)
      .split(x, xo, xi, t.px, TailStrategy::ShiftInwards)
      .split(y, yo, yi, t.py, TailStrategy::ShiftInwards);
  if (t.rows_outer)
    out.reorder(xi, ci, yi, xo, yo, co, n);
  else
    out.reorder(xi, ci, yi, yo, xo, co, n);
  out.unroll(xi).unroll(ci).unroll(yi);
  sum.compute_at(out, t.rows_outer ? xo : yo).store_in(MemoryType::Register);
  sum.unroll(x).unroll(y).unroll(c);
  auto update = sum.update();
  if (t.tile_inside)
    update.reorder(x, c, y, k.x, k.y, n);
  else
    update.reorder(k.x, x, c, y, k.y, n);
  update.unroll(x).unroll(y).unroll(c);
  if (t.unroll_columns) update.unroll(k.x);
  if (t.unroll_rows) update.unroll(k.y);

  auto module = std::make_shared<Module>(symbol, target);
  append_plane_padding(*module, w, window, symbol + "_pad");
  append_stage(*module, out, {in, weights, params}, symbol + "_main");
  return {module, ""};
}

bool supports(const Workload& w, const Device&) {
  return w.op == OpKind::kDepthwiseConv2d && w.layout == Layout::kNchw;
}

}  // namespace

extern const KernelTemplate kDepthwiseNchw;
const KernelTemplate kDepthwiseNchw = {
    "depthwise_nchw", 1,    {"weights", "params"}, supports, space, default_schedule,
    describe,         pack, scratch_bytes,         lower};

}  // namespace tinytune
