#include "templates/winograd/winograd_plan.h"

#include <algorithm>

#include "templates/switches.h"

namespace tinytune {
namespace {

constexpr const char* kWinogradName = "winograd_nhwc";

int64_t up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Powers of two, and all terms at once: without a loop, first products need no sum of zero.
std::vector<int> steps(int terms) {
  std::vector<int> all;
  for (int step = 1; step <= std::min(terms, 32); step *= 2) all.push_back(step);
  if (terms < 32 && all.back() != terms) all.push_back(terms);
  return all;
}

}  // namespace

WinogradPlan::WinogradPlan(const Workload& w, const Schedule& s)
    : WinogradProducts(w, s, 2, false) {
  terms = up(smlad ? (w.in_c + 1) / 2 : w.in_c, step);
  point_bytes = int64_t{tiles} * element_bytes();
  term_bytes = points * point_bytes;
  input_bytes = up(terms * term_bytes, 4);
  shared_bytes = std::max<int64_t>(int64_t{4} * points * tiles * oc, strips.patch_bytes);
}

bool winograd_supports(const Workload& w, const Device&) {
  // Four times a sum of 9 * in_c products of at most 2^14 stays below 2^31.
  return has_winograd_squares(w, 2) && w.in_c <= 3640;
}

ConfigSpace winograd_space(const Workload& w, const Device& device) {
  const bool smlad = device.target.can(Capability::kDsp);
  ConfigSpace::Family family{kWinogradName,
                             1,
                             {int_knob("tiles", {1, 2, 3, 4, 5, 6}),
                              int_knob("oc", {1, 2, 3, 4, 5, 6, 8}),
                              int_knob("step", steps(smlad ? (w.in_c + 1) / 2 : w.in_c)),
                              {"multiply", {smlad ? "smlad" : "scalar"}},
                              scheduler_knob(device)}};
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) {
    const WinogradPlan plan(w, s);
    const int sums = plan.tiles * plan.oc;
    return 2 * plan.tiles <= w.out_w && sums <= (smlad ? 12 : 20) && plan.step * sums <= 256 &&
           !pads_winograd_blocks(w, plan.oc);
  });
  return result;
}

Schedule winograd_default(const Workload& w, const Device& device) {
  const bool smlad = device.target.can(Capability::kDsp);
  const int wanted = smlad ? 2 : 4;
  return Schedule(kWinogradName, 1,
                  {{"tiles", std::to_string(std::min(wanted, w.out_w / 2))},
                   {"oc", w.out_c % wanted == 0 ? std::to_string(wanted) : "1"},
                   {"step", w.in_c >= 8 ? "4" : "1"},
                   {"multiply", smlad ? "smlad" : "scalar"},
                   {kSchedulerKnob, usual_scheduler(device)}});
}

}  // namespace tinytune
