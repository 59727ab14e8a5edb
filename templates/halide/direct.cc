// Register-blocked direct convolution; also the matrix product of dense layers and of 1x1
// convolutions, which are the same loops with fewer of them, and depthwise convolution, whose
// reduction has no loop over channels. direct_plan.cc defines their schedules.
//
// A tile of `oc` output channels by `px` neighbouring pixels is summed in registers, so a step of
// the reduction loads oc + px values for oc * px products. Weights are packed so that a tile's
// channels are contiguous, in the order of the reduction; the weights' pointer then only ever
// advances.
//
// With NHWC neighbouring channels are contiguous in memory, with NCHW neighbouring pixels are.
// With a kernel's columns unrolled, the pixels of a tile share the inputs that their windows have
// in common, and with NCHW those are one short contiguous run.
#include <Halide.h>

#include <functional>

#include "templates/channel_params.h"
#include "templates/halide/direct_plan.h"
#include "templates/halide/images.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"

namespace tinytune {
namespace {

constexpr int kBiasWords = 1;  // per channel in "params", before those of requantisation

int64_t scratch_bytes(const Workload& w, const Schedule& schedule) {
  return input_window(w, schedule.get("border")).bytes;
}

// Packs biases, and the requantisation of all channels in an array of its own, because blocks of
// channels share it.
Result<std::vector<PackedConstant>> pack_by_layer(const Workload& w, const LayerData& data) {
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  if (!params.channels_are_alike())
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  std::vector<int32_t> biases;
  for (int c = 0; c < w.out_c; ++c) biases.push_back(folded_bias(w, data, c));
  params.add_scaling(0);
  return std::vector<PackedConstant>{words_constant("biases", biases), params.finish()};
}

std::function<bool(const Schedule&)> may_pack_by_layer(const Workload& w, const LayerData& data) {
  return [packs = bool{pack_by_layer(w, data)}](const Schedule&) { return packs; };
}

// Packs weights as [tile][step of the reduction][channel of the tile].
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const DirectPlan plan(w, schedule);
  // Weights are [output channel][tap][input channel], depthwise ones [tap][channel].
  const int pixel = plan.depthwise ? w.out_c : plan.shape.channels, row = w.kernel_w * pixel;
  const int64_t channel = plan.depthwise ? 1 : w.kernel_h * row;
  std::vector<int> steps = {0};  // index of each among a channel's weights
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
        packed.push_back(data.weights[static_cast<size_t>(o * channel + step)]);
  std::vector<PackedConstant> all = {bytes_constant("weights", packed)};
  if (plan.by_layer) {
    TT_TRY_ASSIGN(const auto words, pack_by_layer(w, data));
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  all.push_back(std::move(params));
  return all;
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  using Step = NestBuilder::Step;
  const DirectPlan plan(w, schedule);
  const DirectShape& s = plan.shape;
  const InputWindow window = input_window(w, plan.border);
  const int64_t columns = (s.columns + plan.px - 1) / plan.px;
  const int64_t rows = (s.rows + plan.py - 1) / plan.py;
  const PlaceBytes in = place_bytes(w.layout, w.in_c, window.width, window.height);
  const PlaceBytes out = place_bytes(w.layout, w.out_c, s.columns, s.rows);
  const bool nhwc = w.layout == Layout::kNhwc, depthwise = plan.depthwise;
  int64_t weights = plan.oc;
  for (const DirectLoop& loop : plan.reduction) weights *= loop.extent;

  // The average distance of inputs from a tile of channels to the next.
  const int64_t of_group = depthwise ? w.depth_multiplier : s.outputs;
  const int64_t moved = in.channel * plan.oc * (depthwise ? 1 : s.channels) / of_group;
  const bool has_own_inputs = depthwise || w.groups > 1;

  NestBuilder build =
      plan.by_layer ? NestBuilder(1, 1, 4 * kBiasWords) : NestBuilder(w, 1, 1, kBiasWords);
  build.drop_single_turns();
  const Step tiles[] = {
      {depthwise ? "ch_outer" : "oc_outer",
       w.out_c / plan.oc,
       {.input = has_own_inputs ? std::max<int64_t>(1, moved) : 0,
        .weights = weights,
        .output = out.channel * plan.oc,
        .params = build.params_bytes() * plan.oc}},
      {"px_outer",
       columns,
       {.input = in.column * w.stride_w * plan.px, .output = out.column * plan.px}},
      {depthwise ? "py_outer" : "rows",
       plan.images_outermost ? rows : rows * s.images,
       {.input = in.row * w.stride_h * plan.py, .output = out.row * plan.py}}};
  if (plan.images_outermost)
    build.loop("batch", w.batch, {.input = in.channel * w.in_c, .output = out.channel * w.out_c});
  for (size_t i = plan.walk.size(); i-- > 0;) build.loop(tiles[plan.walk[i]]);
  std::vector<Step> reduction;
  weights = plan.oc;
  for (const DirectLoop& loop : plan.reduction) {
    const int64_t place[] = {in.channel, in.column * w.dilation_w, in.row * w.dilation_h};
    reduction.push_back({loop.name,
                         loop.extent,
                         {.input = loop.by * place[loop.place], .weights = weights},
                         loop.unrolled ? build.kReducesUnrolled : build.kReduces});
    weights *= loop.extent;
  }
  for (size_t i = reduction.size(); i-- > 0;) build.loop(reduction[i]);
  const Step pixels = {
      "px", plan.px, {.input = in.column * w.stride_w, .output = out.column}, build.kUnrolled};
  const bool moves = depthwise && (nhwc || w.depth_multiplier == 1);
  const Step channels = {depthwise ? "ch" : "oc",
                         plan.oc,
                         {.input = moves ? in.channel : 0,
                          .weights = 1,
                          .output = out.channel,
                          .params = build.params_bytes()},
                         build.kUnrolled};
  if (depthwise)
    build.loop("py", plan.py, {.input = in.row * w.stride_h, .output = out.row}, build.kUnrolled);
  build.loop(nhwc ? pixels : channels);
  build.loop(nhwc ? channels : pixels);
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.accumulators = plan.oc * plan.px * plan.py;
  nest.prologue_bytes = window.bytes;
  nest.unrolled_body = plan.body();
  if (depthwise) nest.switches.emplace_back("tile_inside", plan.tile_inside ? 1.0 : 0.0);
  if (plan.by_layer) nest.switches.emplace_back("scaled_by_layer", 1.0);
  return nest;
}

// The epilogue, from accumulator to int8, with the words of channel_params.h. All sums are
// unsigned, because they wrap: overflow of a signed sum would be undefined.

using Halide::cast;
using Halide::Expr;

Expr unsigned_bits(const Expr& e) { return cast<uint32_t>(e); }
Expr signed_bits(const Expr& e) { return cast<int32_t>(e); }

// Returns the high word of a signed product; one instruction where the core has one.
Expr multiply_high(const Expr& a, const Expr& b) {
  return cast<int32_t>((cast<int64_t>(a) * cast<int64_t>(b)) >> 32);
}

// Accesses the words of "params"; by layer, biases are an array of their own.
struct Params {
  const Workload& w;
  const Halide::ImageParam &array, &biases;
  bool by_layer;

  // Returns the words per channel.
  int words() const { return kBiasWords + scaling_words(w.facts.requantise); }
  int shared_at() const { return by_layer ? scaling_words(w.facts.requantise) : w.out_c * words(); }
  // Returns the folded bias.
  Expr bias(const Expr& channel) const {
    return unsigned_bits(by_layer ? biases(channel) : array(channel * words()));
  }
  // Returns the `i`-th word of a channel's requantisation.
  Expr scaling(const Expr& channel, int i) const {
    return by_layer ? array(i) : array(channel * words() + kBiasWords + i);
  }
  Expr shared(const Expr& i) const { return array(shared_at() + i); }

  // Returns the size of "params" in words.
  int size() const { return shared_at() + shared_words(w.facts.requantise); }
};

Expr requantise(const Params& params, const Expr& accumulator, const Expr& channel) {
  const Workload& w = params.w;
  const Requantise kind = w.facts.requantise;
  const auto word = [&](int i) { return params.scaling(channel, i - kBiasWords); };
  const auto clamped = [&](const Expr& scaled, int zero_point) {
    return cast<int8_t>(
        Halide::clamp(scaled, w.activation_min - zero_point, w.activation_max - zero_point) +
        zero_point);
  };
  if (kind == Requantise::kFused) {
    const Expr left = unsigned_bits(params.shared(0)), right = unsigned_bits(params.shared(1));
    const Expr scaled =
        (multiply_high(signed_bits(accumulator << left), word(1)) + word(2)) >> right;
    return clamped(scaled, 0);  // the zero point is in the offset
  }
  if (kind == Requantise::kStepped) {
    const Expr product = cast<int64_t>(signed_bits(accumulator)) * cast<int64_t>(word(1));
    const Expr right = unsigned_bits(word(2));
    const Expr high = signed_bits(product >> 32);
    const Expr k = high >> right;
    const Expr fraction =
        (unsigned_bits(high) << (Expr(uint32_t{32}) - right)) | (unsigned_bits(product) >> right);
    const Expr above = signed_bits(fraction + Expr(0x80000000u)) >> 1;
    const Expr pair = params.shared((k >> 1) & 127);
    // The even level is the lower half.
    const Expr level = signed_bits(unsigned_bits(pair) << (unsigned_bits(~k & 1) << 4)) >> 16;
    return clamped(k - ((level - above) >> 31) + w.output_zero_point, 0);
  }
  if (kind == Requantise::kShort || kind == Requantise::kShifted) {
    const bool shifted = kind == Requantise::kShifted;
    const Expr acc = shifted ? accumulator << unsigned_bits(word(3)) : accumulator;
    // floor(acc * m / 2^31 + 1/2) = high word of acc * 2m, plus the bit below it.
    const Expr product = cast<int64_t>(signed_bits(acc)) * cast<int64_t>(unsigned_bits(word(1)));
    const Expr high = signed_bits(product >> 32) + signed_bits(unsigned_bits(product) >> 31);
    const Expr shift = unsigned_bits(word(2));
    const Expr one = Expr(uint32_t{1});
    Expr sign = high >> 31, half = one << (shift - one);
    if (shifted) {  // a right shift of 0 rounds nothing
      sign = sign & (-word(2) >> 31);
      half = (one << shift) >> 1;
    }
    const Expr scaled = (high + sign + signed_bits(half)) >> shift;
    return clamped(scaled + w.output_zero_point, 0);  // proved not to overflow
  }
  const Expr left = unsigned_bits(word(2)), right = unsigned_bits(word(3));
  const Expr shifted = signed_bits(accumulator << left);
  const Expr high = cast<int32_t>(
      (cast<int64_t>(shifted) * cast<int64_t>(word(1)) + Expr(int64_t{1} << 30)) >> 31);
  const Expr mask = signed_bits((Expr(uint32_t{1}) << right) - Expr(uint32_t{1}));
  const Expr above = (high & mask) > ((mask >> 1) + signed_bits(unsigned_bits(high) >> 31));
  // The result may be anything up to the ends of int32, so the zero point is added after the clamp.
  return clamped((high >> right) + Halide::select(above, 1, 0), w.output_zero_point);
}

Lowered lower(const Workload& w, const Schedule& schedule, const Device& device,
              const std::string& symbol) {
  using namespace Halide;
  const DirectPlan plan(w, schedule);
  const DirectShape& s = plan.shape;
  InputWindow window = input_window(w, plan.border);
  if (s.flat) window.width = s.columns, window.height = 1;
  const int steps = w.kernel_h * w.kernel_w * (plan.depthwise ? 1 : s.channels);

  ImageParam in(Int(8), 4, window.copied ? "scratch" : "input"), weights(Int(8), 3, "weights");
  ImageParam params(Int(32), 1, "params");
  bound_image(w.layout, {w.in_c, window.width, window.height, s.images}, in);
  weights.dim(0).set_bounds(0, plan.oc).set_stride(1);
  weights.dim(1).set_bounds(0, steps).set_stride(plan.oc);
  weights.dim(2).set_bounds(0, w.out_c / plan.oc).set_stride(plan.oc * steps);
  ImageParam biases(Int(32), 1, "biases");
  const Params words{w, params, biases, plan.by_layer};
  // Fixed extents, so that Halide reads nothing from the buffers' structs.
  params.dim(0).set_bounds(0, words.size());
  biases.dim(0).set_bounds(0, w.out_c);

  Var o("o"), x("x"), y("y"), n("n"), oo("oo"), oi("oi"), xo("xo"), xi("xi");
  Var yo("yo"), yi("yi");
  const std::vector<Var> place = in_storage_order(w.layout, o, x, y, n);
  std::vector<Range> extents;
  for (const DirectLoop& loop : plan.reduction) extents.emplace_back(0, loop.extent);
  RDom k(extents, "k");
  Expr step = 0, at[] = {0, 0, 0};
  int inner = 1, run = 1;  // steps; channels of a run
  for (size_t i = 0; i < plan.reduction.size(); ++i) {
    const DirectLoop& loop = plan.reduction[i];
    const RVar turn = k[static_cast<int>(i)];
    at[loop.place] = at[loop.place] + turn * loop.by;
    step = step + turn * inner;
    inner *= loop.extent;
    if (loop.place == DirectLoop::kChannel) run *= loop.extent;
  }
  // A run through columns crosses pixels: in(c, x) with c beyond the pixel is the next pixel's. The
  // strides agree; the bounds are widened to the run.
  if (run > s.channels) in.dim(0).set_bounds(0, run);
  if (plan.depthwise)
    at[0] = w.depth_multiplier == 1 ? Expr(o) : o / w.depth_multiplier;
  else if (w.groups > 1)
    at[0] = at[0] + (o / s.outputs) * s.channels;

  Func sum("sum"), out("output");
  sum(place) = words.bias(o);
  const Expr a = window_value(w, window, in, at[0], x * w.stride_w + at[1] * w.dilation_w,
                              y * w.stride_h + at[2] * w.dilation_h, n);
  const Expr b = weights(o % plan.oc, step, o / plan.oc);
  sum(place) += cast<uint32_t>(cast<int32_t>(a)) * cast<uint32_t>(cast<int32_t>(b));
  out(place) = requantise(words, sum(place), o);
  bound_image(w.layout, {w.out_c, s.columns, s.rows, s.images}, out.output_buffer());

  out.split(o, oo, oi, plan.oc, TailStrategy::RoundUp)
      .split(x, xo, xi, plan.px, TailStrategy::ShiftInwards);
  if (plan.depthwise) out.split(y, yo, yi, plan.py, TailStrategy::ShiftInwards);
  std::vector<VarOrRVar> order = {oi, xi};
  if (w.layout == Layout::kNchw) std::swap(order[0], order[1]);
  if (plan.depthwise) order.push_back(yi);
  for (const VarOrRVar& v : order) out.unroll(v);
  const Var tiles[] = {oo, xo, plan.depthwise ? yo : y};
  for (const DirectPlan::Tiles t : plan.walk) {
    order.push_back(tiles[t]);
    if (t == DirectPlan::kRows && !plan.images_outermost) order.push_back(n);
  }
  if (plan.images_outermost) order.push_back(n);
  out.reorder(order);
  sum.compute_at(out, tiles[plan.walk[0]]).store_in(MemoryType::Register);

  auto update = sum.update();
  order = {o, x};
  if (plan.images_outermost) order = {x, o};
  if (plan.depthwise) order.push_back(y);
  for (const VarOrRVar& v : order) sum.unroll(v), update.unroll(v);
  for (size_t i = 0; i < plan.reduction.size(); ++i) {
    const RVar turn = k[static_cast<int>(i)];
    order.insert(i == 0 && !plan.tile_inside ? order.begin() : order.end(), turn);
    if (plan.reduction[i].unrolled) update.unroll(turn);
  }
  if (!plan.depthwise) order.push_back(y);
  order.push_back(n);
  update.reorder(order);

  if (plan.by_layer)
    return padded_kernel(w, window, out, {in, weights, biases, params}, device, symbol);
  return padded_kernel(w, window, out, {in, weights, params}, device, symbol);
}

template <OpKind op, Layout layout>
bool supports(const Workload& w, const Device&) {
  constexpr bool kTakesDense = op == OpKind::kConv2d && layout == Layout::kNhwc;
  return (w.op == op && w.layout == layout) || (w.op == OpKind::kDense && kTakesDense);
}

// Makes a template of the loops above.
template <OpKind op, Layout layout>
KernelTemplate direct_loops(const char* name) {
  return {
      .name = name,
      .general = true,
      .supports = supports<op, layout>,
      .space = direct_space,
      .default_schedule = direct_default,
      .describe = describe,
      .pack = pack,
      .scratch_bytes = scratch_bytes,
      .lower = lower,
  };
}

bool supports_dense(const Workload& w, const Device&) { return w.op == OpKind::kDense; }

KernelTemplate direct_dense() {
  KernelTemplate row = direct_loops<OpKind::kConv2d, Layout::kNhwc>(kDirectDenseName);
  row.constants = {"weights", "biases", "params"};
  row.supports = supports_dense;
  row.space = direct_dense_space;
  row.default_schedule = direct_dense_default;
  row.may_pack = may_pack_by_layer;
  return row;
}

}  // namespace

const KernelTemplate kDirectDense = direct_dense();
const KernelTemplate kDirectNhwc = direct_loops<OpKind::kConv2d, Layout::kNhwc>("direct_nhwc");
const KernelTemplate kDirectNchw = direct_loops<OpKind::kConv2d, Layout::kNchw>("direct_nchw");
const KernelTemplate kDepthwiseNhwc =
    direct_loops<OpKind::kDepthwiseConv2d, Layout::kNhwc>("depthwise_nhwc");
const KernelTemplate kDepthwiseNchw =
    direct_loops<OpKind::kDepthwiseConv2d, Layout::kNchw>("depthwise_nchw");

}  // namespace tinytune
