#include "templates/winograd4_plan.h"

#include <algorithm>

#include "templates/pixel_tiles.h"
#include "templates/switches.h"
#include "templates/winograd4_transforms.h"

namespace tinytune {
namespace {

constexpr const char* kName = "winograd4_nhwc";
constexpr int kVersion = 1;

// Whether the last block is mostly channels that are none.
bool pads(const Workload& w, int oc) {
  return 8 * ((w.out_c + oc - 1) / oc * oc - w.out_c) > w.out_c;
}

bool has_smlad(const Device& device) { return device.target.can(Capability::kDsp); }

}  // namespace

Winograd4Plan::Winograd4Plan(const Workload& w, const Schedule& s)
    : tiles(s.get_int("tiles")),
      oc(s.get_int("oc")),
      step(s.get_int("step")),
      smlad(s.get("multiply") == "smlad"),
      loads(smlad_loads(s.get("loads"))),
      strips(w, 4, tiles, channels_together()),
      terms(strips.pixel_bytes / parts()),
      blocks((w.out_c + oc - 1) / oc),
      term_bytes(int64_t{tiles} * element_bytes()),
      transformed_bytes((kWinograd4Points * terms * term_bytes + 3) / 4 * 4),
      shared_bytes(std::max<int64_t>(points().sum_bytes(), strips.patch_bytes)),
      column_bytes(int64_t{4} * (4 * tiles + 2) * kWinograd4Side * parts()) {}

SmladPoints Winograd4Plan::points() const {
  return {{WeightForm::kPairs, oc, tiles}, kWinograd4Points, terms, step, loads};
}

bool winograd4_supports(const Workload& w, const Device& device) {
  return tiles_fit(w) && w.op == OpKind::kConv2d && w.kernel_h == 3 && w.kernel_w == 3 &&
         w.stride_h == 1 && w.stride_w == 1 && w.dilation_h == 1 && w.out_h >= 4 && w.out_w >= 4 &&
         has_smlad(device) && w.in_c >= 3 && w.in_c <= kWinograd4Channels;
}

ConfigSpace winograd4_space(const Workload& w, const Device&) {
  const int terms = (w.in_c + 3) / 4 * 2;
  std::vector<int> steps;
  for (int step : {1, 2, 4, 8, 16})
    if (terms % step == 0) steps.push_back(step);
  ConfigSpace::Family family{kName,
                             kVersion,
                             {int_knob("tiles", {1, 2, 3, 4}),
                              int_knob("oc", {1, 2, 3, 4, 5, 6, 8}),
                              int_knob("step", steps),
                              {"multiply", {"smlad"}},
                              scheduler_knob(),
                              loads_knob()}};
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) {
    const Winograd4Plan plan(w, s);
    return 4 * plan.tiles <= w.out_w && plan.points().fits() && !pads(w, plan.oc);
  });
  return result;
}

Schedule winograd4_default(const Workload& w, const Device& device) {
  const int tiles = w.out_w >= 8 ? 2 : 1;
  const int terms = (w.in_c + 3) / 4 * 2;
  int oc = 4;
  while (pads(w, oc)) --oc;
  return Schedule(kName, kVersion,
                  {{"tiles", std::to_string(tiles)},
                   {"oc", std::to_string(oc)},
                   {"step", terms % 8 == 0   ? "8"
                            : terms % 4 == 0 ? "4"
                                             : "2"},
                   {"multiply", "smlad"},
                   {"sched", "source"},
                   {"loads", usual_loads(device)}});
}

}  // namespace tinytune
