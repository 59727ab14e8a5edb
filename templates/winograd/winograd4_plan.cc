#include "templates/winograd/winograd4_plan.h"

#include <algorithm>

#include "templates/switches.h"
#include "templates/winograd/winograd4_transforms.h"

namespace tinytune {
namespace {

constexpr const char* kName = "winograd4_nhwc";
constexpr int kVersion = 1;
// Of kernels that LLVM writes: sums a tile, products of an unrolled step.
constexpr int kMostSums = 16, kMostProducts = 128;

// Divisors of the terms.
std::vector<int> steps(const Workload& w, const Device& device) {
  const int terms = device.target.can(Capability::kDsp) ? (w.in_c + 3) / 4 * 2 : w.in_c;
  std::vector<int> all;
  for (int step : {1, 2, 3, 4, 8, 16})
    if (terms % step == 0) all.push_back(step);
  return all;
}

// That may be computed together: divisors of all, the most first, since of schedules as near the
// first is taken.
std::vector<int> rows_of_squares(const Workload& w) {
  const int all = (w.out_h + 3) / 4;
  std::vector<int> divisors;
  for (int rows : {8, 7, 6, 5, 4, 3, 2, 1})
    if (all % rows == 0) divisors.push_back(rows);
  divisors.push_back(0);
  return divisors;
}

int usual_tiles(const Workload& w) { return w.out_w >= 8 ? 2 : 1; }

// Where weights wait, as many as leave their transformed inputs within what scratch should be.
int usual_rows(const Workload& w, const Device& device) {
  constexpr int64_t kMostBytes = 24 * 1024;
  if (device.memory(device.rodata_memory).read_cache.empty()) return 0;
  const int64_t squares = (w.out_w + 3) / 4 + usual_tiles(w) - 1;
  for (const int rows : rows_of_squares(w))
    if (rows * squares * kWinograd4Points * 2 * w.in_c <= kMostBytes) return rows;
  return 0;
}

}  // namespace

Winograd4Plan::Winograd4Plan(const Workload& w, const Schedule& s)
    : WinogradProducts(w, s, 4, true),
      rows(s.get_int("rows")),
      loads(smlad ? load_order(s.get("loads")) : LoadOrder::kGrouped),
      together(rows == 0 ? 1 : rows * strips.strips) {
  terms = strips.pixel_bytes / parts();
  term_bytes = int64_t{tiles} * element_bytes();
  point_bytes = terms * term_bytes;
  strip_bytes = (points * point_bytes + 3) / 4 * 4;
  transformed_bytes = strip_bytes * together;
  shared_bytes = std::max(int64_t{4} * points * tiles * oc, strips.patch_bytes);
  column_bytes = int64_t{4} * (4 * tiles + 2) * kWinograd4Side * parts();
}

SmladPoints Winograd4Plan::smlad_points() const {
  return {{WeightForm::kPairs, oc, tiles}, points, terms, step, loads};
}

int64_t Winograd4Plan::weight_bytes() const {
  return smlad ? smlad_points().weight_bytes() : points * terms * oc * element_bytes();
}

bool winograd4_supports(const Workload& w, const Device&) {
  return has_winograd_squares(w, 4) && w.in_c >= 3 && w.in_c <= kWinograd4Channels;
}

ConfigSpace winograd4_space(const Workload& w, const Device& device) {
  const bool smlad = device.target.can(Capability::kDsp);
  ConfigSpace::Family family{kName,
                             kVersion,
                             {int_knob("rows", rows_of_squares(w)),
                              int_knob("tiles", {1, 2, 3, 4}),
                              int_knob("oc", {1, 2, 3, 4, 5, 6, 8}),
                              int_knob("step", steps(w, device)),
                              {"multiply", {smlad ? "smlad" : "scalar"}},
                              scheduler_knob(device)}};
  if (smlad) family.knobs.push_back(loads_knob());
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) {
    const Winograd4Plan plan(w, s);
    const int sums = plan.tiles * plan.oc;
    return 4 * plan.tiles <= w.out_w && !pads_winograd_blocks(w, plan.oc) &&
           (smlad ? plan.smlad_points().fits()
                  : sums <= kMostSums && plan.step * sums <= kMostProducts);
  });
  return result;
}

Schedule winograd4_default(const Workload& w, const Device& device) {
  const bool smlad = device.target.can(Capability::kDsp);
  const bool few_registers = sees_eight_registers(device.target);
  const int tiles = usual_tiles(w);
  int oc = few_registers ? 2 : 4;
  while (pads_winograd_blocks(w, oc)) --oc;
  int best = 1;
  for (const int step : steps(w, device))
    if (step <= (smlad ? 8 : few_registers ? 2 : 4)) best = step;
  std::vector<std::pair<std::string, std::string>> knobs = {
      {"rows", std::to_string(usual_rows(w, device))},
      {"tiles", std::to_string(tiles)},
      {"oc", std::to_string(oc)},
      {"step", std::to_string(best)},
      {"multiply", smlad ? "smlad" : "scalar"},
      {kSchedulerKnob, usual_scheduler(device)}};
  if (smlad) knobs.emplace_back("loads", usual_loads(device));
  return Schedule(kName, kVersion, std::move(knobs));
}

}  // namespace tinytune
