#include "templates/halide/direct_plan.h"

#include <algorithm>

#include "templates/input_window.h"
#include "templates/nest_builder.h"
#include "templates/switches.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr const char *kNhwc = "direct_nhwc", *kNchw = "direct_nchw";
constexpr int kMostAccumulators = 20;
constexpr int kLargestBody = 256;
constexpr int kMostPixels = 8;
constexpr int kMostDepthwise = 16, kLargestDepthwiseBody = 200;

// Returns the length of a run of channels with NHWC: all columns of a kernel's row if these are
// contiguous in memory and `taps` does not separate them, else a pixel.
int run_length(const Workload& w, const DirectShape& s, bool taps, const std::string& border) {
  const bool contiguous = w.dilation_w == 1 && w.groups == 1 && border != "test";
  return contiguous && !taps ? w.kernel_w * s.channels : s.channels;
}

int usual_run(const Workload& w, const DirectShape& s) {
  return run_length(w, s, false, border_knob(w).values[0]);
}

// "runs": channels as one run, of which `ku` are unrolled. "taps": kernel columns unrolled inside
// them, so that neighbouring pixels share the inputs their windows have in common.
std::vector<DirectLoop> nhwc_reduction(const Workload& w, const DirectShape& shape,
                                       const Schedule& s) {
  const bool taps = s.get("reduce") == "taps";
  const int ku = s.get_int("ku"), run = run_length(w, shape, taps, s.get("border"));
  const DirectLoop columns = {taps ? "taps" : "kernel_columns", w.kernel_w * shape.channels / run,
                              taps, DirectLoop::kColumn};
  std::vector<DirectLoop> loops = {{"ku", ku, true, DirectLoop::kChannel},
                                   {"reduction", run / ku, false, DirectLoop::kChannel, ku}};
  loops.insert(taps ? loops.begin() : loops.end(), columns);
  loops.push_back({"kernel_rows", w.kernel_h, s.get("rows") == "unrolled", DirectLoop::kRow});
  return loops;
}

std::vector<DirectLoop> nchw_reduction(const Workload& w, const DirectShape& shape,
                                       const Schedule& s) {
  const int cu = s.get_int("cu");
  const bool columns = s.get("columns") == "unrolled";
  std::vector<DirectLoop> loops = {
      {"kernel_columns", w.kernel_w, columns, DirectLoop::kColumn},
      {"channel_unroll", cu, true, DirectLoop::kChannel},
      {"kernel_rows", w.kernel_h, s.get("rows") == "unrolled", DirectLoop::kRow},
      {"channels", shape.channels / cu, false, DirectLoop::kChannel, cu}};
  if (!columns) std::swap(loops[0], loops[1]);
  if (s.get("walk") != "planes") std::swap(loops[2], loops[3]);
  return loops;
}

std::vector<DirectLoop> reduction_of(const Workload& w, const DirectShape& shape,
                                     const Schedule& s) {
  if (s.template_name() == kNhwc || s.template_name() == kDirectDenseName)
    return nhwc_reduction(w, shape, s);
  if (s.template_name() == kNchw) return nchw_reduction(w, shape, s);
  return {{"kernel_columns", w.kernel_w, s.get("taps") != "none", DirectLoop::kColumn},
          {"kernel_rows", w.kernel_h, s.get("taps") == "all", DirectLoop::kRow}};
}

std::vector<DirectPlan::Tiles> walk_of(const Schedule& s, bool has_order) {
  using enum DirectPlan::Tiles;
  if (!has_order && s.get("walk") != "rows") return {kRows, kColumns, kChannels};
  if (has_order && s.get("order") != "channels_outer") return {kChannels, kColumns, kRows};
  return {kColumns, kRows, kChannels};
}

// Halide 14 miscomputes the pieces of a serial loop over kernel columns when the tile of pixels is
// shifted inwards at the same time (seen with dilation 2, 9 pixels in tiles of 4 and 6).
bool borders_are_exact(const Workload& w, const DirectPlan& plan) {
  return plan.border != "test" || w.kernel_w == 1 ||
         std::any_of(plan.reduction.begin(), plan.reduction.end(), [](const DirectLoop& loop) {
           return loop.place == DirectLoop::kColumn && loop.unrolled;
         });
}

bool nhwc_legal(const Workload& w, const Schedule& s) {
  const DirectPlan plan(w, s);
  const bool taps = s.get("reduce") == "taps";
  const int ku = s.get_int("ku"), run = run_length(w, plan.shape, taps, plan.border);
  const int columns = w.kernel_w * plan.shape.channels / run;
  if (!plan.fits() || run % ku != 0) return false;
  if (s.get("rows") == "unrolled" && (w.kernel_h == 1 || ku * columns < std::min(run, 4)))
    return false;
  return borders_are_exact(w, plan);
}

bool nchw_legal(const Workload& w, const Schedule& s) {
  const DirectPlan plan(w, s);
  const bool rows_fit = s.get("walk") == "planes" && s.get("columns") == "unrolled";
  return plan.fits() && (s.get("rows") == "loop" || rows_fit) && borders_are_exact(w, plan);
}

struct Tile {
  int oc, px;
  int products() const { return oc * px; }
};

// Chooses the squarest tile of at most 16 sums (they, their operands and the pointers fill the
// registers of RV32). Where instructions reach eight registers, up to four pixels of one channel:
// 21 to 30 % fewer cycles than the squarest tile on bench/spaces' tables of rp2040.
Tile usual_tile(const DirectShape& shape, const Target& target) {
  if (sees_eight_registers(target)) return {1, std::min(shape.columns, 4)};
  Tile tile{1, 1};
  double best = 1e9;
  for (const int oc : divisors(shape.outputs, 8))
    for (const int px : up_to(std::min(shape.columns, kMostPixels))) {
      if (oc * px > 16) continue;
      const int tiles = (shape.columns + px - 1) / px;
      const double waste = static_cast<double>(tiles * px) / shape.columns;
      const double cost = waste * (2.0 + static_cast<double>(oc + px) / (oc * px));
      if (cost < best) best = cost, tile = {oc, px};
    }
  return tile;
}

// Returns the largest of `unrolls` with at most `most` products, where 1 has `products`.
int usual_unroll(const std::vector<int>& unrolls, int products, int most = 64) {
  int best = 1;
  for (const int unroll : unrolls)
    if (products * unroll <= most) best = unroll;
  return best;
}

// Returns the knobs of direct loops: the tile's and those of its reduction.
std::vector<UsualKnob> direct_knobs(const DirectShape& shape, const Tile& tile,
                                    const std::vector<UsualKnob>& reduction) {
  std::vector<UsualKnob> knobs = {{"oc", divisors(shape.outputs, 16), tile.oc},
                                  {"px", up_to(std::min(shape.columns, kMostPixels)), tile.px}};
  knobs.insert(knobs.end(), reduction.begin(), reduction.end());
  Knob order{"order", {"channels_outer"}};
  if (shape.columns > 1 || shape.rows > 1) order.values.emplace_back("pixels_outer");
  // The tile's loops are innermost: the reduction never won there. The knob has this single value
  // because records name it.
  knobs.insert(knobs.end(), {order, Knob{"inside", {"tile"}}});
  return knobs;
}

// The reduction is unrolled to some 64 products a turn.
std::vector<UsualKnob> nhwc_knobs(const Workload& w, const Device& device) {
  const DirectShape shape(w);
  std::vector<int> unrolls = divisors(shape.channels, 32);
  for (int d : divisors(usual_run(w, shape), 48))
    if (std::find(unrolls.begin(), unrolls.end(), d) == unrolls.end()) unrolls.push_back(d);
  std::sort(unrolls.begin(), unrolls.end());
  Knob reduce{"reduce", {"runs"}}, rows{"rows", {"loop"}};
  if (w.kernel_w > 1) reduce.values.emplace_back("taps");
  if (w.kernel_h > 1) rows.values.emplace_back("unrolled");
  const Tile tile = usual_tile(shape, device.target);
  const int ku = usual_unroll(divisors(usual_run(w, shape), 32), tile.products());
  return direct_knobs(shape, tile, {{"ku", unrolls, ku}, reduce, rows});
}

// The same, and kernel columns in straight-line code where they fit.
std::vector<UsualKnob> nchw_knobs(const Workload& w, const Device& device) {
  const DirectShape shape(w);
  Knob columns{"columns", {"unrolled"}}, rows{"rows", {"loop"}}, walk{"walk", {"planes"}};
  if (w.kernel_w > 1) columns.values.emplace_back("loop");
  if (w.kernel_h > 1) rows.values.emplace_back("unrolled"), walk.values.emplace_back("rows");
  const Tile tile = usual_tile(shape, device.target);
  const bool straight = tile.products() * w.kernel_w <= kLargestBody;
  const std::vector<int> unrolls = divisors(shape.channels, 16);
  const int cu = usual_unroll(unrolls, tile.products() * (straight ? w.kernel_w : 1));
  return direct_knobs(shape, tile,
                      {{"cu", unrolls, cu}, {columns, straight ? "unrolled" : "loop"}, rows, walk});
}

// Depthwise: every channel is its own small filter, and nothing is shared between channels, so the
// reuse is in space. A tile of `px` by `py` neighbouring outputs of one channel shares the inputs
// where their windows overlap. In NHWC, with channels outermost, a channel's filter stays in
// registers for the whole image. In NCHW a plane and its filter are each one contiguous piece and
// only the plane's pointer moves between channels; there, `ch` channels a tile only pay where
// several share a plane (a multiplier).

bool is_nhwc(const Workload& w) { return w.layout == Layout::kNhwc; }

// The order of tiles: with NHWC whether channels are the outermost loop or the innermost, with NCHW
// whether tiles run along rows or down columns. The first value is the usual one.
Knob walk_knob(const Workload& w) {
  if (is_nhwc(w)) return {"order", {"channels_outer", "pixels_outer"}};
  if (w.out_h == 1 || w.out_w == 1) return {"walk", {"rows"}};
  return {"walk", {"rows", "columns"}};
}

// Which taps are straight-line code. A loop over all of them ("none") only where a row of taps is
// a single one or too long: elsewhere it never won.
Knob taps_knob(const Workload& w) {
  Knob knob{"taps", {}};
  if (w.kernel_w == 1 || w.kernel_w > kLargestDepthwiseBody) knob.values.emplace_back("none");
  if (w.kernel_w > 1) knob.values.emplace_back("columns");
  if (w.kernel_h > 1) knob.values.emplace_back("all");
  return knob;
}

// The rule: one channel, the widest row of pixels that leaves registers for the filter, and as much
// of the filter in straight-line code as stays small.
std::vector<UsualKnob> depthwise_knobs(const Workload& w) {
  std::vector<int> channels;
  for (int c : {1, 2, 4, 8})
    if (w.out_c % c == 0 && (c < 8 || is_nhwc(w))) channels.push_back(c);
  int px = 1;
  for (int p = 1; p <= std::min(w.out_w, 6); ++p)
    if ((w.out_w + p - 1) / p * p <= w.out_w + w.out_w / 8) px = p;
  const Knob taps = taps_knob(w);
  const int all = w.kernel_h * w.kernel_w;
  const std::string usual_taps = all <= 25 ? taps.values.back() : taps.values.front();
  while (px > 1 && usual_taps == "columns" && px * w.kernel_w > kLargestDepthwiseBody) --px;
  // At stride 1, neighbours share most inputs of straight-line code. At larger strides a few pixels
  // share each weight of a large filter instead.
  const bool by_weight = usual_taps == "all" && w.stride_w > 1 && all > 12 && px > 1;
  if (by_weight) px = std::min(px, 5);
  return {int_knob("ch", channels),
          {"px", up_to(std::min(w.out_w, kMostPixels)), px},
          int_knob("py", up_to(std::min(w.out_h, 4))),
          {taps, usual_taps},
          walk_knob(w),
          {Knob{"inside", {"tile", "filter"}}, by_weight ? "filter" : "tile"}};
}

bool depthwise_legal(const Workload& w, const Schedule& s) {
  const DirectPlan t(w, s);
  const int outputs = t.oc * t.px * t.py;
  const bool columns = t.reduction[0].unrolled, rows = t.reduction[1].unrolled;
  if (outputs > kMostDepthwise || t.body() > kLargestDepthwiseBody) return false;
  if (t.px > w.out_w || t.py > w.out_h) return false;
  // As in borders_are_exact(): no serial loop over taps where tiles shift inwards and borders are
  // tested.
  if (t.border == "test" && ((!columns && w.kernel_w > 1 && w.out_w % t.px != 0) ||
                             (!rows && w.kernel_h > 1 && w.out_h % t.py != 0)))
    return false;
  return t.tile_inside || (columns && outputs > 1);
}

// The row of a layer: its knobs, and which points are legal.
struct Row {
  KnobTable table;
  bool (*legal)(const Workload&, const Schedule&);
};

Row row_of(const Workload& w, const Device& device) {
  const bool is_depthwise = w.op == OpKind::kDepthwiseConv2d;
  const bool is_nchw_conv = w.op == OpKind::kConv2d && !is_nhwc(w);
  Row row = is_depthwise
                ? Row{{is_nhwc(w) ? "depthwise_nhwc" : "depthwise_nchw", 1, depthwise_knobs(w)},
                      depthwise_legal}
            : is_nchw_conv ? Row{{kNchw, 1, nchw_knobs(w, device)}, nchw_legal}
                           : Row{{kNhwc, 1, nhwc_knobs(w, device)}, nhwc_legal};
  row.table.knobs.insert(row.table.knobs.end(),
                         {border_knob(w), {scheduler_knob(device), usual_scheduler(device)}});
  return row;
}

}  // namespace

DirectShape::DirectShape(const Workload& w)
    : images(w.batch),
      rows(w.out_h),
      columns(w.out_w),
      channels(w.in_c / w.groups),
      outputs(w.out_c / w.groups),
      flat(w.op != OpKind::kDepthwiseConv2d && w.kernel_h == 1 && w.kernel_w == 1 &&
           w.stride_h == 1 && w.stride_w == 1 && !needs_border(w) && w.out_h == w.in_h &&
           w.out_w == w.in_w) {
  if (!flat) return;
  columns *= rows;
  rows = 1;
  if (w.layout == Layout::kNchw) return;
  columns *= images;
  images = 1;
}

DirectPlan::DirectPlan(const Workload& w, const Schedule& s)
    : shape(w),
      depthwise(w.op == OpKind::kDepthwiseConv2d),
      oc(s.get_int(depthwise ? "ch" : "oc")),
      px(s.get_int("px")),
      py(depthwise ? s.get_int("py") : 1),
      walk(walk_of(s, !depthwise || w.layout == Layout::kNhwc)),
      images_outermost(depthwise && w.layout == Layout::kNchw),
      tile_inside(s.get("inside") == "tile"),
      by_layer(s.template_name() == kDirectDenseName),
      border(s.get("border")),
      reduction(reduction_of(w, shape, s)) {}

int DirectPlan::body() const {
  int products = oc * px * py;
  for (const DirectLoop& loop : reduction)
    if (loop.unrolled) products *= loop.extent;
  return products;
}

bool DirectPlan::fits() const {
  return oc * px <= kMostAccumulators && px <= shape.columns && body() <= kLargestBody;
}

ConfigSpace direct_space(const Workload& w, const Device& device) {
  const Row row = row_of(w, device);
  return row.table.space([&](const Schedule& s) { return row.legal(w, s); });
}

ConfigSpace direct_dense_space(const Workload& w, const Device& device) {
  Row row = row_of(w, device);
  row.table.name = kDirectDenseName;
  return row.table.space([&](const Schedule& s) { return row.legal(w, s); });
}

// This row has few constants, for layers that wait for bytes. They wait for the code's bytes as
// well, so a turn of the loop is short.
Schedule direct_dense_default(const Workload& w, const Device& device) {
  constexpr int kProducts = 16;
  Row row = row_of(w, device);
  row.table.name = kDirectDenseName;
  const DirectShape shape(w);
  const int products = usual_tile(shape, device.target).products();
  const int ku = usual_unroll(divisors(usual_run(w, shape), kProducts), products, kProducts);
  return row.table.usual({{"ku", std::to_string(ku)}});
}

// Chooses the border that needs no copy, if it is legal; NHWC convolutions copy.
Schedule direct_default(const Workload& w, const Device& device) {
  const Row row = row_of(w, device);
  const Schedule tested = row.table.usual({{"border", border_knob(w).values.back()}});
  return row.legal != nhwc_legal && row.legal(w, tested) ? tested : row.table.usual();
}

}  // namespace tinytune
