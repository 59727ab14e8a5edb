// Register-blocked direct convolution, NCHW.
//
// The mirror image of direct_nhwc.cc: here neighbouring pixels, not neighbouring channels, stand
// side by side in memory. A tile of `oc` output channels by `px` pixels of a row is summed in
// registers; with the kernel's columns unrolled, the pixels of a tile share the inputs that their
// windows have in common, and those are one short contiguous run. Planes of a 1x1 convolution are
// one long row.
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

constexpr const char* kName = "direct_nchw";

struct Tile : DirectTile {
  int cu;
  bool unroll_columns, unroll_rows, planes, channels_outer;
  std::string border;

  explicit Tile(const Schedule& s)
      : DirectTile{s.get_int("oc"), s.get_int("px")},
        cu(s.get_int("cu")),
        unroll_columns(s.get("columns") == "unrolled"),
        unroll_rows(s.get("rows") == "unrolled"),
        planes(s.get("walk") == "planes"),
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

  Reduction(const Workload& w, const DirectShape& s, const Tile& t)
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
  const Tile t(schedule);
  if (!direct_tile_fits(t, DirectShape(w), t.body(w))) return false;
  if (t.unroll_rows && !(t.planes && t.unroll_columns)) return false;
  // Halide 14 miscomputes serial loops over kernel columns where tiles shift and borders are
  // tested; see direct_nhwc.cc.
  return t.border != "test" || w.kernel_w == 1 || t.unroll_columns;
}

ConfigSpace space(const Workload& w, const Device& device) {
  const DirectShape shape(w);
  Knob columns{"columns", {"unrolled"}}, rows{"rows", {"loop"}}, walk{"walk", {"planes"}};
  if (w.kernel_w > 1) columns.values.emplace_back("loop");
  if (w.kernel_h > 1) rows.values.emplace_back("unrolled"), walk.values.emplace_back("rows");
  ConfigSpace result;
  result.add(
      {kName,
       1,
       {direct_channels_knob(shape), direct_pixels_knob(shape),
        int_knob("cu", divisors(shape.channels, 16)), columns, rows, walk, direct_order_knob(shape),
        direct_inside_knob(), border_knob(w), scheduler_knob(device)}},
      [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// The rule of direct_nhwc.cc, and kernel columns in straight-line code where they fit.
Schedule default_schedule(const Workload& w, const Device& device) {
  const DirectShape shape(w);
  const DirectTile tile = usual_direct_tile(shape, device.target);
  const bool columns = direct_tile_fits(tile, shape, tile.oc * tile.px * w.kernel_w);
  const int cu =
      usual_unroll(divisors(shape.channels, 16), tile.oc * tile.px * (columns ? w.kernel_w : 1));
  const auto with_border = [&](const std::string& border) {
    return Schedule(kName, 1,
                    {{"oc", std::to_string(tile.oc)},
                     {"px", std::to_string(tile.px)},
                     {"cu", std::to_string(cu)},
                     {"columns", columns ? "unrolled" : "loop"},
                     {"rows", "loop"},
                     {"walk", "planes"},
                     {"order", "channels_outer"},
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

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const DirectShape s(w);
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
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const DirectShape s(w);
  const Tile t(schedule);
  const InputWindow window = input_window(w, schedule.get("border"));
  const Reduction r(w, s, t);
  const int64_t columns = (s.columns + t.px - 1) / t.px;
  const int64_t row = window.width, plane = row * window.height;
  const int64_t out_plane = int64_t{s.columns} * s.rows;
  const int64_t reduction = int64_t{w.kernel_h} * w.kernel_w * s.channels;
  using Kind = Loop::Kind;

  NestBuilder build(w, 1, 1, kBiasWords);
  const auto channel_tiles = [&] {
    build.loop({.name = "oc_outer",
                .extent = w.out_c / t.oc,
                .strides = {.weights = reduction * t.oc,
                            .output = out_plane * t.oc,
                            .params = build.params_bytes() * t.oc}});
  };
  if (t.channels_outer) channel_tiles();
  build.loop({.name = "rows",
              .extent = int64_t{w.batch} * s.rows,
              .strides = {.input = row * w.stride_h, .output = s.columns}});
  build.loop({.name = "px_outer",
              .extent = columns,
              .strides = {.input = int64_t{w.stride_w} * t.px, .output = t.px}});
  if (!t.channels_outer) channel_tiles();
  const char* names[] = {"kernel_columns", "channel_unroll", "kernel_rows", "channels"};
  const int64_t inputs[] = {w.dilation_w, plane, row * w.dilation_h, plane * t.cu};
  const bool unrolled[] = {t.unroll_columns, true, t.unroll_rows, false};
  for (size_t i = 4; i-- > 0;) {
    const Reduction::Axis a = r.order[i];
    build.loop({.name = names[a],
                .extent = r.extents[a],
                .kind = unrolled[a] ? Kind::kUnrolled : Kind::kSerial,
                .reduces = true,
                .strides = {.input = inputs[a], .weights = int64_t{r.stride(a)} * t.oc}});
  }
  build.loop({.name = "oc",
              .extent = t.oc,
              .kind = Kind::kUnrolled,
              .strides = {.weights = 1, .output = out_plane, .params = build.params_bytes()}});
  build.loop({.name = "px",
              .extent = t.px,
              .kind = Kind::kUnrolled,
              .strides = {.input = w.stride_w, .output = 1}});
  LoopNest nest = build.finish(schedule);
  describe_direct(w, schedule, s, t, t.body(w), nest);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const DirectShape s(w);
  const Tile t(schedule);
  InputWindow window = input_window(w, schedule.get("border"));
  if (s.flat) window.width = s.columns, window.height = 1;
  const Reduction r(w, s, t);
  const int steps = w.kernel_h * w.kernel_w * s.channels;

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 3, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_image(Layout::kNchw, {w.in_c, window.width, window.height, w.batch}, in);
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
  const Expr a =
      window_value(w, window, in, channel, x * w.stride_w + k[Reduction::kColumn] * w.dilation_w,
                   y * w.stride_h + k[Reduction::kRow] * w.dilation_h, n);
  const Expr b = weights(o % t.oc, step, o / t.oc);
  sum(x, y, o, n) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(x, y, o, n) = requantise(w, params, sum(x, y, o, n), o);
  bound_image(Layout::kNchw, {w.out_c, s.columns, s.rows, w.batch}, out.output_buffer());

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
  std::vector<VarOrRVar> order = {o, x};
  for (const Reduction::Axis axis : r.order) order.push_back(k[axis]);
  order.insert(order.end(), {y, n});
  update.reorder(order).unroll(x).unroll(o).unroll(k[Reduction::kUnrolledChannel]);
  if (t.unroll_columns) update.unroll(k[Reduction::kColumn]);
  if (t.unroll_rows) update.unroll(k[Reduction::kRow]);

  return padded_kernel(w, window, out, {in, weights, params}, target, symbol);
}

bool supports(const Workload& w, const Device&) {
  return w.op == OpKind::kConv2d && w.layout == Layout::kNchw;
}

}  // namespace

extern const KernelTemplate kDirectNchw;
const KernelTemplate kDirectNchw = {
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
