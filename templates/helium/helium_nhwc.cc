// Convolution and dense layers for cores with Helium: dot products of 16 bytes (helium_tile.h).
//
// Pixels whose inputs are whole vectors are read in place; otherwise the reductions of a tile's
// pixels are staged first, padded to whole vectors. The padding is multiplied by weights of zero.
// The requantisation is the reference's own, so the layer's constants need no proof; only if the
// kernel omits the left shift, no channel may need one.

#include "templates/helium/helium_tile.h"
#include "templates/helium/vector_code.h"
#include "templates/kernel_template.h"
#include "templates/lane_shifts.h"
#include "templates/nest_builder.h"
#include "templates/tile/pixel_tiles.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr char kName[] = "helium_nhwc";
constexpr int kVersion = 2;

bool has_whole_pixels(const Workload& w) {
  return w.kernel_h == 1 && w.kernel_w == 1 && w.out_h == w.in_h && w.out_w == w.in_w &&
         !needs_border(w) && w.in_c % Helium::kBytes == 0;
}

struct Plan {
  HeliumShape shape;
  std::string border;
  bool staged;

  Plan(const Workload& w, const Schedule& s)
      : shape{.channels = s.get_int("oc"),
              .pixels = s.get_int("px"),
              .vectors = static_cast<int>((w.reduction() + Helium::kBytes - 1) / Helium::kBytes),
              .shifts_left = tinytune::shifts_left(s),
              .loads = load_order(s.get("loads")),
              .tiles = s.get_int("tiles")},
        border(s.get("border")),
        staged(!has_whole_pixels(w)) {}

  int pixels() const { return shape.pixels * shape.tiles; }
  int64_t staged_bytes() const { return staged ? pixels() * shape.pixel_bytes() : 0; }
  int64_t saved_at(const Workload& w) const {
    return PixelTiles::bytes(w, border) + staged_bytes();
  }
  int64_t scratch_bytes(const Workload& w) const { return saved_at(w) + Helium::kSavedBytes; }

  bool legal(const Workload& w) const {
    return pixels() <= w.out_h * w.out_w && HeliumTile(w, shape).fits() &&
           shifts_are_legal(w, shape.shifts_left);
  }
};

// Untuned layers first try the tile with the most products per load.
KnobTable table(const Workload& w) {
  return {kName,
          kVersion,
          {{"oc", {2, 4}, 2},
           {"px", {1, 2, 3}, 3},
           shifts_knob(w),
           {{"loads", {"spread", "grouped"}}, "spread"},
           {border_knob(w), usual_border(w)},
           int_knob("tiles", {1, 2, 4, 8})}};
}

std::optional<Schedule> usual(const Workload& w,
                              const std::map<std::string, std::string>& instead) {
  for (const auto& [channels, pixels] : {std::pair("2", "3"), {"2", "2"}, {"4", "1"}, {"2", "1"}}) {
    auto values = instead;
    values["oc"] = channels, values["px"] = pixels;
    const Schedule s = table(w).usual(values);
    if (Plan(w, s).legal(w)) return s;
  }
  return std::nullopt;
}

bool supports(const Workload& w, const Device& device) {
  constexpr int kMostChannels = 4095;  // that one instruction adds to an output's address
  const bool staged_in_runs =
      w.op == OpKind::kDense ||
      (w.op == OpKind::kConv2d && w.layout == Layout::kNhwc && w.groups == 1 && w.dilation_w == 1);
  return device.target.can(Capability::kMve) && staged_in_runs && w.batch == 1 &&
         w.rounding == Rounding::kTwice && w.out_c <= kMostChannels && usual(w, {}).has_value();
}

ConfigSpace space(const Workload& w, const Device&) { return table(w).legal_space<Plan>(w); }

Schedule default_schedule(const Workload& w, const Device& device) {
  if (weights_wait_again(w, device))
    for (const char* tiles : {"4", "2"})
      if (const auto schedule = usual(w, {{"tiles", tiles}})) return *schedule;
  return *usual(w, {});
}

std::vector<Schedule> fallback_schedules(const Workload& w, const Device&) {
  const auto both = usual(w, {{"shifts", "both"}});
  return both ? std::vector{*both} : std::vector<Schedule>();
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  TT_TRY(check_shifts(w, data, plan.shape.shifts_left));
  return HeliumTile(w, plan.shape).pack(data);
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const HeliumTile tile(w, plan.shape);
  const int64_t blocks = PixelTiles::tiles(w, plan.pixels()), tiles = blocks * plan.shape.tiles;
  constexpr int kGroup = HeliumTile::kGroup;
  NestBuilder build(w, Helium::kBytes, Helium::kBytes,
                    tile.param_vectors() - scaling_words(w.facts.requantise));
  const int64_t input_bytes = plan.shape.pixels * plan.shape.pixel_bytes();
  const int64_t output_bytes = int64_t{w.out_c} * plan.shape.pixels;
  build.loop({"px_outer", blocks, {.output = output_bytes * plan.shape.tiles}});
  build.channel_tiles(w, kGroup, tile.weight_bytes());
  if (plan.shape.tiles > 1)
    build.loop({"px_tile", plan.shape.tiles, {.input = input_bytes, .output = output_bytes}});
  build.products({.terms = plan.shape.vectors,
                  .step = plan.shape.vectors,
                  .pixels = plan.shape.pixels,
                  .channels = kGroup,
                  .input_bytes = Helium::kBytes,
                  .weight_bytes = kGroup * Helium::kBytes,
                  .pixel_bytes = plan.shape.pixel_bytes(),
                  .out_pixel_bytes = w.out_c,
                  .element_bytes = Helium::kBytes});
  build.input_loads(
      build.share(kGroup * plan.shape.pixels * plan.shape.pixel_bytes(), plan.shape.channels));
  LoopNest nest = build.finish(schedule);
  nest.macs_per_step = Helium::kBytes;
  nest.multiplies_per_mac = 1.0 / Helium::kBytes;
  nest.accumulators = plan.shape.channels * plan.shape.pixels;
  nest.outputs = tiles * plan.shape.pixels * w.out_c;
  nest.prologue_bytes = PixelTiles::bytes(w, plan.border) + plan.staged_bytes() * blocks;
  nest.switches.emplace_back("helium", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        tiles_(w, plan.pixels(), plan.border, {copy_array, fill_array}),
        ir_(tiles_.ir()) {}

  std::string write(const std::string& symbol) {
    const HeliumTile tile(w_, plan_.shape);
    const Value saved = ir_.at(argument("scratch"), plan_.saved_at(w_));
    save_vectors(ir_, saved);
    Value inputs;
    tiles_.walk(
        [&](const Pixels& pixels) {
          inputs = plan_.staged ? tiles_.staging_area() : pixels[0].address;
          if (plan_.staged) stage(pixels);
        },
        [&](const Value& output) { tile.write(inputs, output, ir_); });
    restore_vectors(ir_, saved);
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  using Pixels = std::vector<PixelTiles::Pixel>;

  // Stages the reductions of the pixels, one after another.
  void stage(const Pixels& pixels) {
    for (size_t p = 0; p < pixels.size(); ++p) {
      const Value target =
          ir_.at(tiles_.staging_area(), static_cast<int64_t>(p) * plan_.shape.pixel_bytes());
      tiles_.for_each_run(
          {pixels[p]}, target, copied_together, 1, [&](const Values& at, int bytes) {
            with_vectors(ir_, at[0], at[1], [&](Helium& isa, Reg from, Reg to, Reg scratch) {
              isa.copy(from, to, bytes, scratch);
            });
          });
    }
  }
  // Returns the largest divisor of a run that offsets reach.
  static int copied_together(int64_t run) {
    int most = static_cast<int>(std::min<int64_t>(run, Helium::kReach));
    while (run % most != 0) --most;
    return most;
  }

  const Workload& w_;
  const Plan& plan_;
  PixelTiles tiles_;
  IrText& ir_;
};

}  // namespace

const KernelTemplate kHeliumNhwc = {
    .name = kName,
    .version = kVersion,
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .fallback_schedules = fallback_schedules,
    .describe = describe,
    .pack = pack,
    .may_pack = may_shift_as_asked,
    .scratch_bytes = scratch_of<Plan>,
    .lower = lower_as_text<Plan, Writer>,
};

}  // namespace tinytune
