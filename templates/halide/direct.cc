// Register-blocked direct convolution; also the matrix product of dense layers and of 1x1
// convolutions, which are the same loops with fewer of them.
//
// A tile of `oc` output channels by `px` neighbouring pixels is summed in registers, so a step of
// the reduction loads oc + px values for oc * px products. Weights are packed so that a tile's
// channels stand side by side in the order the reduction runs; the weights' pointer then only ever
// advances.
//
// With NHWC neighbouring channels stand side by side in memory, with NCHW neighbouring pixels do.
// With a kernel's columns unrolled, the pixels of a tile share the inputs that their windows have
// in common, and with NCHW those are one short contiguous run.
#include <Halide.h>

#include "templates/channel_params.h"
#include "templates/halide/direct_plan.h"
#include "templates/halide/images.h"
#include "templates/halide/requantise_stage.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"

namespace tinytune {
namespace {

int64_t scratch_bytes(const Workload& w, const Schedule& schedule) {
  return input_window(w, schedule.get("border")).bytes;
}

// [tile][step of the reduction][channel of the tile]
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const DirectPlan plan(w, schedule);
  const int pixel = plan.shape.channels, row = w.kernel_w * pixel;
  std::vector<int> steps = {0};  // where each is among a channel's weights
  for (const DirectLoop& loop : plan.reduction) {
    const int place[] = {1, pixel, row};
    const size_t inner = steps.size();
    for (int i = 1; i < loop.extent; ++i)
      for (size_t k = 0; k < inner; ++k)
        steps.push_back(steps[k] + i * loop.by * place[loop.place]);
  }
  std::vector<int8_t> packed;
  packed.reserve(data.weights.size());
  for (int tile = 0; tile < w.out_c; tile += plan.oc)
    for (const int step : steps)
      for (int o = tile; o < tile + plan.oc; ++o)
        packed.push_back(data.weights[static_cast<size_t>(int64_t{o} * w.kernel_h * row + step)]);
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", packed), std::move(params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  using Kind = Loop::Kind;
  using Step = NestBuilder::Step;
  const DirectPlan plan(w, schedule);
  const DirectShape& s = plan.shape;
  const InputWindow window = input_window(w, plan.border);
  const int64_t columns = (s.columns + plan.px - 1) / plan.px;
  const PlaceBytes in = place_bytes(w.layout, w.in_c, window.width, window.height);
  const PlaceBytes out = place_bytes(w.layout, w.out_c, s.columns, s.rows);

  NestBuilder build(w, 1, 1, kBiasWords);
  const Step channel_tiles = {
      .name = "oc_outer",
      .extent = w.out_c / plan.oc,
      .strides = {.weights = int64_t{w.kernel_h} * w.kernel_w * s.channels * plan.oc,
                  .output = out.channel * plan.oc,
                  .params = build.params_bytes() * plan.oc}};
  if (plan.channels_outer) build.loop(channel_tiles);
  build.loop({.name = "rows",
              .extent = int64_t{s.images} * s.rows,
              .strides = {.input = in.row * w.stride_h, .output = out.row}});
  build.loop(
      {.name = "px_outer",
       .extent = columns,
       .strides = {.input = in.column * w.stride_w * plan.px, .output = out.column * plan.px}});
  if (!plan.channels_outer) build.loop(channel_tiles);
  std::vector<Step> reduction;
  int64_t weights = plan.oc;
  for (const DirectLoop& loop : plan.reduction) {
    const int64_t place[] = {in.channel, in.column * w.dilation_w, in.row * w.dilation_h};
    reduction.push_back({.name = loop.name,
                         .extent = loop.extent,
                         .kind = loop.unrolled ? Kind::kUnrolled : Kind::kSerial,
                         .reduces = true,
                         .strides = {.input = loop.by * place[loop.place], .weights = weights}});
    weights *= loop.extent;
  }
  for (size_t i = reduction.size(); i-- > 0;) build.loop(reduction[i]);
  const Step pixels = {.name = "px",
                       .extent = plan.px,
                       .kind = Kind::kUnrolled,
                       .strides = {.input = in.column * w.stride_w, .output = out.column}};
  const Step channels = {
      .name = "oc",
      .extent = plan.oc,
      .kind = Kind::kUnrolled,
      .strides = {.weights = 1, .output = out.channel, .params = build.params_bytes()}};
  const bool nhwc = w.layout == Layout::kNhwc;
  build.loop(nhwc ? pixels : channels);
  build.loop(nhwc ? channels : pixels);
  LoopNest nest = build.finish(schedule);
  nest.accumulators = plan.oc * plan.px;
  nest.outputs = int64_t{s.images} * s.rows * columns * plan.px * w.out_c;
  nest.prologue_bytes = window.bytes;
  nest.unrolled_body = plan.body();
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target& target,
              const std::string& symbol) {
  using namespace Halide;
  const DirectPlan plan(w, schedule);
  const DirectShape& s = plan.shape;
  InputWindow window = input_window(w, plan.border);
  if (s.flat) window.width = s.columns, window.height = 1;
  const int steps = w.kernel_h * w.kernel_w * s.channels;

  ImageParam in(Int(8), 4, window_name(window)), weights(Int(8), 3, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_image(w.layout, {w.in_c, window.width, window.height, s.images}, in);
  weights.dim(0).set_bounds(0, plan.oc).set_stride(1);
  weights.dim(1).set_bounds(0, steps).set_stride(plan.oc);
  weights.dim(2).set_bounds(0, w.out_c / plan.oc).set_stride(plan.oc * steps);
  bound_params(w, params);

  Var o("o"), x("x"), y("y"), n("n"), oo("oo"), oi("oi"), xo("xo"), xi("xi");
  const std::vector<Var> place = in_storage_order(w.layout, o, x, y, n);
  std::vector<Range> extents;
  for (const DirectLoop& loop : plan.reduction) extents.emplace_back(0, loop.extent);
  RDom k(extents, "k");
  Expr step = 0, at[] = {0, 0, 0};
  int inner = 1, run = 1;  // steps, and channels that one input runs through
  for (size_t i = 0; i < plan.reduction.size(); ++i) {
    const DirectLoop& loop = plan.reduction[i];
    const RVar turn = k[static_cast<int>(i)];
    at[loop.place] = at[loop.place] + turn * loop.by;
    step = step + turn * inner;
    inner *= loop.extent;
    if (loop.place == DirectLoop::kChannel) run *= loop.extent;
  }
  // A run through columns walks across pixel borders: in(c, x) with c beyond the pixel is the next
  // pixel's, and the strides say so; the bounds must not.
  if (run > s.channels) in.dim(0).set_bounds(0, run);
  if (w.groups > 1) at[0] = at[0] + (o / s.outputs) * s.channels;

  Func sum("sum"), out("output");
  sum(place) = bias_of(w, params, o);
  const Expr a = window_value(w, window, in, at[0], x * w.stride_w + at[1] * w.dilation_w,
                              y * w.stride_h + at[2] * w.dilation_h, n);
  const Expr b = weights(o % plan.oc, step, o / plan.oc);
  sum(place) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(place) = requantise(w, params, sum(place), o);
  bound_image(w.layout, {w.out_c, s.columns, s.rows, s.images}, out.output_buffer());

  out.split(o, oo, oi, plan.oc, TailStrategy::RoundUp)
      .split(x, xo, xi, plan.px, TailStrategy::ShiftInwards);
  std::vector<VarOrRVar> tile = {oi, xi};
  if (w.layout == Layout::kNchw) std::swap(tile[0], tile[1]);
  if (plan.channels_outer)
    out.reorder(tile[0], tile[1], xo, y, n, oo);
  else
    out.reorder(tile[0], tile[1], oo, xo, y, n);
  out.unroll(xi).unroll(oi);
  sum.compute_at(out, plan.channels_outer ? xo : oo).store_in(MemoryType::Register);
  sum.unroll(x).unroll(o);
  auto update = sum.update();
  std::vector<VarOrRVar> order = {o, x};
  for (size_t i = 0; i < plan.reduction.size(); ++i) order.push_back(k[static_cast<int>(i)]);
  order.insert(order.end(), {y, n});
  update.reorder(order).unroll(x).unroll(o);
  for (size_t i = 0; i < plan.reduction.size(); ++i)
    if (plan.reduction[i].unrolled) update.unroll(k[static_cast<int>(i)]);

  return padded_kernel(w, window, out, {in, weights, params}, target, symbol);
}

}  // namespace

extern const KernelTemplate kDirectNhwc;
const KernelTemplate kDirectNhwc = {
    .name = "direct_nhwc",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = direct_nhwc_supports,
    .space = direct_nhwc_space,
    .default_schedule = direct_nhwc_default,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

// The same loops on the other layout; a row of its own because its knobs differ.
extern const KernelTemplate kDirectNchw;
const KernelTemplate kDirectNchw = {
    .name = "direct_nchw",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = direct_nchw_supports,
    .space = direct_nchw_space,
    .default_schedule = direct_nchw_default,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
