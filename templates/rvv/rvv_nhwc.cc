// Convolution and dense layers for cores with RVV: channels in lanes, inputs as scalars
// (rvv_tile.h).
//
// Pixels of pointwise convolutions are read in place; otherwise the windows of a tile are staged
// first, in reduction order, by vectors.

#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/rvv/rvv_arrays.h"
#include "templates/rvv/rvv_template.h"
#include "templates/rvv/rvv_tile.h"
#include "templates/tile/pixel_tiles.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

bool reads_in_place(const Workload& w) {
  return w.kernel_h == 1 && w.kernel_w == 1 && w.out_h == w.in_h && w.out_w == w.in_w &&
         !needs_border(w);
}

struct Plan {
  RvvShape shape;
  std::string border;
  bool staged;

  Plan(const Workload& w, const Schedule& s)
      : shape{.lanes = {.vector_bits = s.get_int("vlen"), .words = s.get_int("words")},
              .pixels = s.get_int("px"),
              .unroll = s.get_int("unroll"),
              .halves = s.get("weights") == "halves",
              .pairs = adds_pairs(s),
              .late = adds_pairs_late(s),
              .shifts_left = shifts_left(s)},
        border(s.get("border")),
        staged(!reads_in_place(w)) {}

  int64_t staged_bytes(const Workload& w) const {
    return staged ? shape.pixels * w.reduction() : 0;
  }
  int64_t scratch_bytes(const Workload& w) const {
    return PixelTiles::bytes(w, border) + staged_bytes(w);
  }
  bool legal(const Workload& w) const {
    const bool one_loop = shape.unroll == kLeastUnroll || shape.unroll <= w.reduction();
    return shape.pixels <= w.out_h * w.out_w && one_loop && !shape.lanes.exceed(w.out_c) &&
           RvvTile(w, shape).fits() && shifts_are_legal(w, shape.shifts_left);
  }

  static constexpr int kLeastUnroll = 8;
};

// Estimates quarters of cycles. On the core, a scalar load takes 9, a vector instruction 6, a
// change of width 8. A pipe computes 16 bits of results in one, with a latency of 56. With pairs,
// the pipes of sums and of products wait for each other, the more the longer they take. The
// epilogue of a tile is about ten passes over its sums.
int64_t quarter_cycles(const Workload& w, const Plan& plan) {
  const RvvShape& s = plan.shape;
  const RvvEnd end(w, s.lanes, s.shifts_left);
  const int64_t lanes = s.lanes.count(), px = s.pixels;
  int64_t core = px * 15 + (s.halves ? 0 : 6), pipe = std::max(px * lanes * 2, 56 + lanes * 2);
  if (s.pairs) core = px * 18 + 8, pipe = px * lanes * 7 / 5 + 40;
  if (s.late) core = px * 25 + lanes, pipe = px * lanes + 29;
  const int64_t of_tile = w.reduction() * std::max(core, pipe) + 24 * w.reduction() / s.unroll +
                          160 + px * (60 + 10 * lanes * 2);
  return PixelTiles::tiles(w, s.pixels) * (end.tiles() * of_tile + 80 * px);
}

struct Row {
  static constexpr const char* kName = "rvv_nhwc";
  static constexpr const char* kPlainWeights = "bytes";  // which any layer may have

  static bool takes(const Workload& w) {
    return w.op == OpKind::kDense ||
           (w.op == OpKind::kConv2d && w.layout == Layout::kNhwc && w.groups == 1);
  }

  static KnobTable table(const Workload& w, const Device& device) {
    return {kName,
            1,
            {vlen_knob(device),
             words_knob(),
             {"px", {1, 2, 3, 4, 5, 6, 8, 10, 12}, 1},
             {"unroll", {Plan::kLeastUnroll, 16, 32}, Plan::kLeastUnroll},
             {{"weights", {"bytes", "halves", "pairs", "late_pairs"}}, "bytes"},
             shifts_knob(w),
             {border_knob(w), usual_border(w)}}};
  }
  static std::vector<std::string> chosen_knobs(const Device& device) {
    if (has_pipes(device)) return {"words", "px", "unroll", "weights"};
    return {"words", "px", "unroll"};
  }

  // Estimates instructions or, if vectors wait for pipes, quarters of cycles.
  static int64_t cost(const Workload& w, const Plan& plan, const Device& device) {
    const RvvShape& s = plan.shape;
    if (has_pipes(device)) return quarter_cycles(w, plan);
    const RvvEnd end(w, s.lanes, s.shifts_left);
    const RvvWeights weights(s.lanes, s.halves, RvvEnd::kScratch);
    const int64_t of_tile = w.reduction() * (2 * s.pixels + 1) +
                            2 * w.reduction() / weights.held() + 2 * w.reduction() / s.unroll + 10 +
                            8 * s.pixels;
    return PixelTiles::tiles(w, s.pixels) * (end.tiles() * of_tile + 8 * s.pixels);
  }
};

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const RvvTile tile(w, plan.shape);
  const RvvLanes& lanes = plan.shape.lanes;
  const int64_t tiles = PixelTiles::tiles(w, plan.shape.pixels);
  const int element_bytes = plan.shape.halves ? 2 : 1;
  NestBuilder build(w, 1, element_bytes, tile.end().words() - scaling_words(w.facts.requantise));
  build.loop({"px_outer", tiles, {.output = int64_t{w.out_c} * plan.shape.pixels}});
  build.channel_tiles(w, lanes.count(), tile.weight_bytes());
  const auto step = static_cast<int>(std::min<int64_t>(plan.shape.unroll, w.reduction()));
  build.products({.terms = w.reduction(),
                  .step = step,
                  .pixels = plan.shape.pixels,
                  .channels = lanes.count(),
                  .input_bytes = 1,
                  .weight_bytes = element_bytes * lanes.count(),
                  .pixel_bytes = tile.pixel_bytes(),
                  .out_pixel_bytes = w.out_c,
                  .element_bytes = element_bytes});
  const int64_t trips = (w.reduction() + step - 1) / step;
  build.weight_loads(tile.loaded_weight_bytes() / static_cast<double>(trips));
  LoopNest nest = build.finish(schedule);
  nest.multiplies_per_mac = 1.0 / lanes.count();
  nest.accumulators = plan.shape.pixels;
  nest.outputs = tiles * plan.shape.pixels * w.out_c;
  nest.prologue_bytes = PixelTiles::bytes(w, plan.border) + plan.staged_bytes(w) * tiles;
  nest.switches.emplace_back("rvv", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        tiles_(w, plan.shape.pixels, plan.border, arrays_by_vectors(plan.shape.lanes)),
        ir_(tiles_.ir()) {}

  std::string write(const std::string& symbol) {
    const RvvTile tile(w_, plan_.shape);
    Value inputs;
    tiles_.walk(
        [&](const std::vector<PixelTiles::Pixel>& pixels) {
          inputs = plan_.staged ? tiles_.staging_area() : pixels[0].address;
          for (size_t p = 0; plan_.staged && p < pixels.size(); ++p)
            stage_by_vectors(plan_.shape.lanes, tiles_, pixels[p],
                             ir_.at(inputs, static_cast<int64_t>(p) * w_.reduction()));
        },
        [&](const Value& output) { tile.write(inputs, output, ir_); });
    return ir_.function(symbol, kernel_parameters(plan_.scratch_bytes(w_)));
  }

 private:
  const Workload& w_;
  const Plan& plan_;
  PixelTiles tiles_;
  IrText& ir_;
};

}  // namespace

const KernelTemplate kRvvNhwc = RvvTemplate<Row, Plan, RvvTile, Writer>::row(describe);

}  // namespace tinytune
