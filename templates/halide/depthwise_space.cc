// Depthwise convolution, both layouts: every channel is its own small filter.
//
// Nothing is shared between channels, so the reuse is in space: a tile of `px` by `py` neighbouring
// outputs of one channel shares the inputs where their windows overlap. In NHWC, with channels
// outermost, a channel's filter stays in registers for the whole image. In NCHW a plane and its
// filter are each one contiguous piece and nothing but the plane's own pointer moves between
// channels; there, `ch` channels a tile only pay where several share a plane (a multiplier).
//
// The loops are those of direct.cc; here is which schedules there are of them.
#include <algorithm>

#include "templates/halide/direct_plan.h"
#include "templates/input_window.h"
#include "templates/nest_builder.h"
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

bool legal(const Workload& w, const Schedule& schedule) {
  const DirectPlan t(w, schedule);
  const int outputs = t.oc * t.px * t.py;
  const bool columns = t.reduction[0].unrolled, rows = t.reduction[1].unrolled;
  if (outputs > kMostAccumulators || t.body() > kLargestBody) return false;
  if (t.px > w.out_w || t.py > w.out_h) return false;
  // As in direct_plan.cc: no serial loop over taps where tiles shift inwards and borders are
  // tested.
  if (t.border == "test" && ((!columns && w.kernel_w > 1 && w.out_w % t.px != 0) ||
                             (!rows && w.kernel_h > 1 && w.out_h % t.py != 0)))
    return false;
  return t.tile_inside || (columns && outputs > 1);
}

}  // namespace

ConfigSpace depthwise_space(const Workload& w, const Device& device) {
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
Schedule depthwise_default(const Workload& w, const Device& device) {
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

bool depthwise_nhwc_supports(const Workload& w, const Device&) {
  return w.op == OpKind::kDepthwiseConv2d && is_nhwc(w);
}

bool depthwise_nchw_supports(const Workload& w, const Device&) {
  return w.op == OpKind::kDepthwiseConv2d && !is_nhwc(w);
}

}  // namespace tinytune
