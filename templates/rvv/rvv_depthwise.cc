// Depthwise convolutions for cores with RVV: channels in lanes (rvv_depthwise_tile.h).
//
// Windows are read in place, in the input or in a padded copy of it. If the copy takes too much
// memory, the windows of a tile are staged if one of them is not inside the input, with zero points
// for taps outside.

#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/rvv/rvv_arrays.h"
#include "templates/rvv/rvv_depthwise_tile.h"
#include "templates/rvv/rvv_template.h"
#include "templates/tile/pixel_tiles.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

struct Plan {
  std::string border;
  bool staged;
  RvvDepthwiseShape shape;

  Plan(const Workload& w, const Schedule& s)
      : border(s.get("border")),
        staged(border == "test"),
        shape{.lanes = {.vector_bits = s.get_int("vlen"), .words = s.get_int("words")},
              .pixels = s.get_int("px"),
              .pairs = adds_pairs(s),
              .shifts_left = shifts_left(s),
              .row_bytes = staged ? int64_t{w.kernel_w} * w.in_c
                                  : int64_t{input_window(w, border).width} * w.in_c * w.dilation_h,
              .tap_bytes = staged ? w.in_c : int64_t{w.dilation_w} * w.in_c,
              .staged = staged} {}

  int64_t window_bytes(const Workload& w) const { return w.reduction() * w.in_c; }
  int64_t scratch_bytes(const Workload& w) const {
    return PixelTiles::bytes(w, border) + (staged ? shape.pixels * window_bytes(w) : 0);
  }
  bool legal(const Workload& w) const {
    return shape.pixels <= w.out_h * w.out_w && !shape.lanes.exceed(w.out_c) &&
           RvvDepthwiseTile(w, shape).fits() && shifts_are_legal(w, shape.shifts_left);
  }
};

struct Row {
  static constexpr const char* kName = "rvv_depthwise";
  static constexpr const char* kPlainWeights = "halves";  // which any layer may have

  static bool takes(const Workload& w) {
    return w.op == OpKind::kDepthwiseConv2d && w.layout == Layout::kNhwc && w.depth_multiplier == 1;
  }

  static KnobTable table(const Workload& w, const Device& device) {
    return {kName,
            1,
            {vlen_knob(device),
             words_knob(),
             {"px", {1, 2, 3, 4, 5, 6, 8}, 1},
             {{"weights", {"halves", "pairs"}}, "halves"},
             shifts_knob(w),
             {border_knob(w), border_knob(w).values.back()}}};
  }
  static std::vector<std::string> chosen_knobs(const Device& device) {
    if (has_pipes(device)) return {"words", "px", "weights", "border"};
    return {"words", "px"};
  }

  // Estimates instructions or, if vectors wait for pipes, quarters of cycles: a vector load takes
  // about 44, one that is widened and multiplied before the next about 148, staging a tap about
  // 160.
  static int64_t cost(const Workload& w, const Plan& plan, const Device& device) {
    const int pixels = plan.shape.pixels;
    const RvvEnd end(w, plan.shape.lanes, plan.shape.shifts_left);
    if (has_pipes(device)) {
      const int64_t lanes = plan.shape.lanes.count();
      const int64_t tap = plan.shape.pairs ? pixels * (60 + lanes / 2) + 40 : pixels * 148;
      const int64_t of_tile = w.reduction() * tap + 160 + pixels * (60 + 20 * lanes);
      const int64_t staging = plan.staged ? w.reduction() * 160 : 0;
      return PixelTiles::tiles(w, pixels) * (end.tiles() * of_tile + (80 + staging) * pixels);
    }
    const int64_t of_tile = w.reduction() * (4 * pixels + 2) + 10 + 8 * pixels;
    return PixelTiles::tiles(w, pixels) * (end.tiles() * of_tile + 8 * pixels);
  }
};

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const RvvDepthwiseTile tile(w, plan.shape);
  const int lanes = plan.shape.lanes.count(), pixels = plan.shape.pixels;
  const int64_t tiles = PixelTiles::tiles(w, pixels);
  const int weight_bytes = plan.shape.pairs ? 1 : 2;
  NestBuilder build(w, 1, weight_bytes, tile.end().words() - scaling_words(w.facts.requantise));
  build.loop({"px_outer", tiles, {.output = int64_t{w.out_c} * pixels}});
  build.channel_tiles(w, lanes, tile.weight_bytes());
  build.products({.terms = w.reduction(),
                  .step = static_cast<int>(w.reduction()),
                  .pixels = pixels,
                  .channels = lanes,
                  .input_bytes = w.in_c,
                  .weight_bytes = weight_bytes * lanes,
                  .pixel_bytes = int64_t{w.stride_w} * w.in_c,
                  .out_pixel_bytes = w.out_c,
                  .element_bytes = weight_bytes});
  // Pixels with overlapping windows share no loads.
  build.input_loads(static_cast<double>(w.reduction() * pixels) * plan.shape.lanes.used(w.out_c));
  build.weight_loads(tile.loaded_weight_bytes());
  LoopNest nest = build.finish(schedule);
  nest.multiplies_per_mac = 1.0 / lanes;
  nest.accumulators = pixels;
  nest.outputs = tiles * pixels * w.out_c;
  nest.prologue_bytes = PixelTiles::bytes(w, plan.border);
  if (plan.staged) nest.prologue_bytes += tiles * pixels * plan.window_bytes(w);
  nest.switches.emplace_back("rvv", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        tiles_(w, plan.shape.pixels, plan.border, arrays_by_vectors(plan.shape.lanes)) {}

  std::string write(const std::string& symbol) {
    const RvvDepthwiseTile tile(w_, plan_.shape);
    Values windows;
    tiles_.walk(
        [&](const std::vector<PixelTiles::Pixel>& pixels) { windows = windows_of(pixels, tile); },
        [&](const Value& output) { tile.write(windows, output, tiles_.ir()); });
    return tiles_.ir().function(symbol, kernel_parameters(plan_.scratch_bytes(w_)));
  }

 private:
  Values windows_of(const std::vector<PixelTiles::Pixel>& pixels, const RvvDepthwiseTile& tile) {
    if (!plan_.staged) {
      Values addresses;
      for (const PixelTiles::Pixel& pixel : pixels) addresses.push_back(pixel.address);
      return addresses;
    }
    // Taps that a dilation separates are staged contiguously.
    if (w_.dilation_w > 1) return staged(pixels, tile);
    return tiles_.ir().either(
        tiles_.all_inside(pixels),
        [&] {
          Values windows;
          for (const PixelTiles::Pixel& pixel : pixels)
            windows.push_back(tiles_.address_inside(pixel));
          return with_jumps(windows, tile.jumps(int64_t{w_.in_w} * w_.in_c * w_.dilation_h));
        },
        [&] { return staged(pixels, tile); });
  }
  Values staged(const std::vector<PixelTiles::Pixel>& pixels, const RvvDepthwiseTile& tile) {
    Values windows;
    for (const PixelTiles::Pixel& pixel : pixels) {
      const int64_t place = static_cast<int64_t>(windows.size()) * plan_.window_bytes(w_);
      windows.push_back(tiles_.ir().at(tiles_.staging_area(), place));
      stage_by_vectors(plan_.shape.lanes, tiles_, pixel, windows.back());
    }
    return with_jumps(windows, tile.jumps(plan_.shape.row_bytes));
  }
  static Values with_jumps(Values windows, const Values& jumps) {
    windows.insert(windows.end(), jumps.begin(), jumps.end());
    return windows;
  }

  const Workload& w_;
  const Plan& plan_;
  PixelTiles tiles_;
};

}  // namespace

const KernelTemplate kRvvDepthwise =
    RvvTemplate<Row, Plan, RvvDepthwiseTile, Writer>::row(describe);

}  // namespace tinytune
