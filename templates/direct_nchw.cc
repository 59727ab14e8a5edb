// Register-blocked direct convolution, NCHW.
//
// The mirror image of direct_nhwc.cc: here neighbouring pixels, not neighbouring channels, stand
// side by side in memory. A tile of `oc` output channels by `px` pixels of a row is summed in
// registers; with the kernel's columns unrolled, the pixels of a tile share the inputs that their
// windows have in common, and those are one short contiguous run. Planes of a 1x1 convolution are
// one long row.
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

constexpr int kMostAccumulators = 20;
constexpr int kLargestBody = 256;  // as in direct_nhwc.cc

struct Shape {
  int rows, columns;      // of the output
  int channels, outputs;  // per group
  bool flat;

  explicit Shape(const Workload& w)
      : rows(w.out_h),
        columns(w.out_w),
        channels(w.in_c / w.groups),
        outputs(w.out_c / w.groups),
        flat(w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
             !needs_border(w) && w.out_h == w.in_h && w.out_w == w.in_w) {
    if (!flat) return;
    columns *= rows;
    rows = 1;
  }
};

struct Tile {
  int oc, px, cu;
  bool unroll_columns, unroll_rows, planes, tile_inside, channels_outer;
  std::string border;

  explicit Tile(const Schedule& s)
      : oc(s.get_int("oc")),
        px(s.get_int("px")),
        cu(s.get_int("cu")),
        unroll_columns(s.get("columns") == "unrolled"),
        unroll_rows(s.get("rows") == "unrolled"),
        planes(s.get("walk") == "planes"),
        tile_inside(s.get("inside") == "tile"),
        channels_outer(s.get("order") == "channels_outer"),
        border(s.get("border")) {}

  // Multiplies in the straight-line body.
  int body(const Workload& w) const {
    return oc * px * cu * (unroll_columns ? w.kernel_w : 1) * (unroll_rows ? w.kernel_h : 1);
  }
};

// The reduction's loops, innermost first. Weights are packed in the order that they run, so that
// the weights' pointer only ever advances.
struct Reduction {
  enum Axis { kColumn, kUnrolledChannel, kRow, kChannel };
  Axis order[4];
  int extents[4];  // by axis

  Reduction(const Workload& w, const Shape& s, const Tile& t)
      : order{kColumn, kUnrolledChannel, kRow, kChannel},
        extents{w.kernel_w, t.cu, w.kernel_h, s.channels / t.cu} {
    if (!t.unroll_columns) std::swap(order[0], order[1]);
    if (!t.planes) std::swap(order[2], order[3]);
  }

  // By how many steps of the reduction an axis advances.
  int stride(Axis axis) const {
    int steps = 1;
    for (const Axis a : order) {
      if (a == axis) break;
      steps *= extents[a];
    }
    return steps;
  }
};

bool legal(const Workload& w, const Schedule& schedule) {
  const Shape shape(w);
  const Tile t(schedule);
  if (t.oc * t.px > kMostAccumulators || t.px > shape.columns) return false;
  if (t.body(w) > kLargestBody) return false;
  if (t.unroll_rows && !(t.planes && t.unroll_columns)) return false;
  // Halide 14 miscomputes serial loops over kernel columns where tiles shift and borders are
  // tested; see direct_nhwc.cc.
  if (t.border == "test" && w.kernel_w > 1 && !t.unroll_columns) return false;
  const int steps = t.cu * (t.unroll_columns ? w.kernel_w : 1);
  if (!t.tile_inside && (steps == 1 || t.oc * t.px == 1)) return false;  // the same code
  return true;
}

ConfigSpace space(const Workload& w, const Device&) {
  const Shape shape(w);
  std::vector<int> pixels;
  for (int p = 1; p <= std::min(shape.columns, 8); ++p) pixels.push_back(p);
  ConfigSpace::Family family{"direct_nchw",
                             1,
                             {int_knob("oc", divisors(shape.outputs, 16)),
                              int_knob("px", pixels),
                              int_knob("cu", divisors(shape.channels, 16)),
                              {"columns", {"unrolled"}},
                              {"rows", {"loop"}},
                              {"walk", {"planes"}},
                              {"order", {"channels_outer", "pixels_outer"}},
                              {"inside", {"tile", "reduction"}},
                              border_knob(w),
                              scheduler_knob()}};
  if (w.kernel_w > 1) family.knobs[3].values.push_back("loop");
  if (w.kernel_h > 1) {
    family.knobs[4].values.push_back("unrolled");
    family.knobs[5].values.push_back("rows");
  }
  if (shape.columns == 1 && shape.rows == 1) family.knobs[6].values.pop_back();
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// The rule of direct_nhwc.cc: the squarest tile of at most 16 accumulators, then some 64 products
// a turn.
Schedule default_schedule(const Workload& w, const Device&) {
  const Shape shape(w);
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
  const bool columns = oc * px * w.kernel_w <= kLargestBody;
  int cu = 1;
  for (int d : divisors(shape.channels, 16))
    if (oc * px * d * (columns ? w.kernel_w : 1) <= 64) cu = d;
  const auto number = [](int v) { return std::to_string(v); };
  const auto with_border = [&](const std::string& border) {
    return Schedule("direct_nchw", 1,
                    {{"oc", number(oc)},
                     {"px", number(px)},
                     {"cu", number(cu)},
                     {"columns", columns ? "unrolled" : "loop"},
                     {"rows", "loop"},
                     {"walk", "planes"},
                     {"order", "channels_outer"},
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
  const Shape s(w);
  const Tile t(schedule);
  const Reduction r(w, s, t);
  const int steps = w.kernel_h * w.kernel_w * s.channels;
  std::vector<int8_t> packed(data.weights.size());
  size_t next = 0;
  for (int o = 0; o < w.out_c; ++o)
    for (int ky = 0; ky < w.kernel_h; ++ky)
      for (int kx = 0; kx < w.kernel_w; ++kx)
        for (int c = 0; c < s.channels; ++c) {
          const int step = kx * r.stride(Reduction::kColumn) + ky * r.stride(Reduction::kRow) +
                           c % t.cu * r.stride(Reduction::kUnrolledChannel) +
                           c / t.cu * r.stride(Reduction::kChannel);
          const int64_t at = (int64_t{o / t.oc} * steps + step) * t.oc + o % t.oc;
          packed[static_cast<size_t>(at)] = data.weights[next++];
        }
  TT_TRY_ASSIGN(PackedConstant params, pack_requantise(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Shape s(w);
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const Reduction r(w, s, t);
  const int64_t columns = (s.columns + t.px - 1) / t.px;
  const int64_t row = window.width, plane = row * window.height;
  const int64_t out_plane = int64_t{s.columns} * s.rows;
  const int64_t reduction = int64_t{w.kernel_h} * w.kernel_w * s.channels;
  using Kind = Loop::Kind;

  NestBuilder build(1, 1, 12);
  const auto channel_tiles = [&] {
    build.loop("oc_outer", w.out_c / t.oc, Kind::kSerial, false, 0, reduction * t.oc,
               out_plane * t.oc, 12 * t.oc);
  };
  if (t.channels_outer) channel_tiles();
  build.loop("rows", int64_t{w.batch} * s.rows, Kind::kSerial, false, row * w.stride_h, 0,
             s.columns, 0);
  build.loop("px_outer", columns, Kind::kSerial, false, int64_t{w.stride_w} * t.px, 0, t.px, 0);
  if (!t.channels_outer) channel_tiles();
  const char* names[] = {"kernel_columns", "channel_unroll", "kernel_rows", "channels"};
  const int64_t inputs[] = {w.dilation_w, plane, row * w.dilation_h, plane * t.cu};
  const bool unrolled[] = {t.unroll_columns, true, t.unroll_rows, false};
  for (size_t i = 4; i-- > 0;) {
    const Reduction::Axis a = r.order[i];
    build.loop(names[a], r.extents[a], unrolled[a] ? Kind::kUnrolled : Kind::kSerial, true,
               inputs[a], int64_t{r.stride(a)} * t.oc, 0, 0);
  }
  build.loop("oc", t.oc, Kind::kUnrolled, false, 0, 1, out_plane, 12);
  build.loop("px", t.px, Kind::kUnrolled, false, w.stride_w, 0, 1, 0);
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.accumulators = t.oc * t.px;
  nest.outputs = int64_t{w.batch} * s.rows * columns * t.px * w.out_c;
  nest.prologue_bytes = window.bytes;
  nest.unrolled_body = t.body(w);
  nest.switches.emplace_back("tile_inside", t.tile_inside ? 1.0 : 0.0);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const Shape s(w);
  const Tile t(schedule);
  InputWindow window = input_window(w, schedule.get("border"));
  if (s.flat) window.width = s.columns, window.height = 1;
  const Reduction r(w, s, t);
  const int steps = w.kernel_h * w.kernel_w * s.channels;

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 3, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_planes(w, window, in);
  // [tile][step of the reduction][channel of the tile]
  weights.dim(0).set_bounds(0, t.oc).set_stride(1);
  weights.dim(1).set_bounds(0, steps).set_stride(t.oc);
  weights.dim(2).set_bounds(0, w.out_c / t.oc).set_stride(t.oc * steps);
  bound_params(w, params);

  Var x("x"), y("y"), o("o"), n("n"), oo("oo"), oi("oi"), xo("xo"), xi("xi");
  RDom k({{0, r.extents[0]}, {0, r.extents[1]}, {0, r.extents[2]}, {0, r.extents[3]}}, "k");
  Func sum("sum"), out("output");
  sum(x, y, o, n) = bias_of(w, params, o);
  Expr channel = k[Reduction::kChannel] * t.cu + k[Reduction::kUnrolledChannel];
  if (w.groups > 1) channel = channel + (o / s.outputs) * s.channels;
  Expr step = 0;
  for (const Reduction::Axis a : r.order) step = step + k[a] * r.stride(a);
  const Expr a = plane_value(w, window, in,
                             {x * w.stride_w + k[Reduction::kColumn] * w.dilation_w,
                              y * w.stride_h + k[Reduction::kRow] * w.dilation_h, channel, n});
  const Expr b = weights(o % t.oc, step, o / t.oc);
  sum(x, y, o, n) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(x, y, o, n) = requantise(w, params, sum(x, y, o, n), o);
  bound_output_planes(w, s.columns, s.rows, out);

  out.split(o, oo, oi, t.oc, TailStrategy::RoundUp)
      .split(x, xo, xi, t.px, TailStrategy::ShiftInwards);
  if (t.channels_outer)
    out.reorder(xi, oi, xo, y, n, oo);
  else
    out.reorder(xi, oi, oo, xo, y, n);
  out.unroll(xi).unroll(oi);
  sum.compute_at(out, t.channels_outer ? xo : oo).store_in(MemoryType::Register);
  sum.unroll(x).unroll(o);
  auto update = sum.update();
  std::vector<VarOrRVar> order;
  const auto tile = [&] { order.insert(order.end(), {o, x}); };
  const size_t unrolled_loops = t.unroll_columns ? 2 : 1;  // the reduction's innermost
  if (t.tile_inside) tile();
  for (size_t i = 0; i < unrolled_loops; ++i) order.push_back(k[r.order[i]]);
  if (!t.tile_inside) tile();
  for (size_t i = unrolled_loops; i < 4; ++i) order.push_back(k[r.order[i]]);
  order.insert(order.end(), {y, n});
  update.reorder(order).unroll(x).unroll(o).unroll(k[Reduction::kUnrolledChannel]);
  if (t.unroll_columns) update.unroll(k[Reduction::kColumn]);
  if (t.unroll_rows) update.unroll(k[Reduction::kRow]);

  auto module = std::make_shared<Module>(symbol, target);
  append_plane_padding(*module, w, window, symbol + "_pad");
  append_stage(*module, out, {in, weights, params}, symbol + "_main");
  return {module, ""};
}

bool supports(const Workload& w, const Device&) {
  return w.op == OpKind::kConv2d && w.layout == Layout::kNchw;
}

}  // namespace

extern const KernelTemplate kDirectNchw;
const KernelTemplate kDirectNchw = {
    "direct_nchw", 1,    {"weights", "params"}, supports, space, default_schedule,
    describe,      pack, scratch_bytes,         lower};

}  // namespace tinytune
