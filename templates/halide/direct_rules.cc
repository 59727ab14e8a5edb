#include "templates/halide/direct_rules.h"

#include <algorithm>

#include "templates/input_window.h"
#include "templates/nest_builder.h"

namespace tinytune {
namespace {

constexpr int kMostAccumulators = 20;
constexpr int kLargestBody = 256;
constexpr int kMostPixels = 8;

}  // namespace

DirectShape::DirectShape(const Workload& w)
    : images(w.batch),
      rows(w.out_h),
      columns(w.out_w),
      channels(w.in_c / w.groups),
      outputs(w.out_c / w.groups),
      flat(w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
           !needs_border(w) && w.out_h == w.in_h && w.out_w == w.in_w) {
  if (!flat) return;
  columns *= rows;
  rows = 1;
  if (w.layout == Layout::kNchw) return;
  columns *= images;
  images = 1;
}

bool direct_tile_fits(const DirectTile& tile, const DirectShape& shape, int body) {
  return tile.oc * tile.px <= kMostAccumulators && tile.px <= shape.columns && body <= kLargestBody;
}

Knob direct_channels_knob(const DirectShape& shape) {
  return int_knob("oc", divisors(shape.outputs, 16));
}

Knob direct_pixels_knob(const DirectShape& shape) {
  return int_knob("px", up_to(std::min(shape.columns, kMostPixels)));
}

Knob direct_order_knob(const DirectShape& shape) {
  if (shape.columns == 1 && shape.rows == 1) return {"order", {"channels_outer"}};
  return {"order", {"channels_outer", "pixels_outer"}};
}

Knob direct_inside_knob() { return {"inside", {"tile"}}; }

DirectTile usual_direct_tile(const DirectShape& shape, const Target& target) {
  if (sees_eight_registers(target)) return {1, std::min(shape.columns, 4)};
  DirectTile tile{1, 1};
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

int usual_unroll(const std::vector<int>& unrolls, int products) {
  int best = 1;
  for (const int unroll : unrolls)
    if (products * unroll <= 64) best = unroll;
  return best;
}

void describe_direct(const Workload& w, const Schedule& schedule, const DirectShape& shape,
                     const DirectTile& tile, int body, LoopNest& nest) {
  const int64_t columns = (shape.columns + tile.px - 1) / tile.px * tile.px;
  nest.accumulators = tile.oc * tile.px;
  nest.outputs = int64_t{shape.images} * shape.rows * columns * w.out_c;
  nest.prologue_bytes = input_window(w, schedule.get("border")).bytes;
  nest.unrolled_body = body;
}

}  // namespace tinytune
