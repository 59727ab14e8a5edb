#include "templates/lanes/wide_lanes_plan.h"

#include <algorithm>
#include <utility>

#include "templates/input_window.h"
#include "templates/nest_builder.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

using Plan = WideLanesPlan;

constexpr int kMostPixels = 12, kMostWords = 8, kMostChannels = 10;
constexpr int kFewestBits = 17, kMostBits = 24;
constexpr int64_t kLargestBody = 200;

bool are_lanes(int pixels, int words) {
  const int bits = LaneWords::bits(pixels, words);
  return words < pixels && pixels <= 2 * words && bits >= kFewestBits && bits <= kMostBits;
}

// Few sums are not worth their staging.
bool legal(const Workload& w, const Plan& plan) {
  const int sums = plan.tile.channels * plan.tile.words;
  return are_lanes(plan.pixels, plan.tile.words) && isa_of(plan.loop).fits(plan.tile) &&
         plan.pixels <= w.out_h * w.out_w && plan.tile.channels <= w.out_c &&
         plan.tile.step <= w.reduction() &&
         sums >= std::min(plan.traits().fewest_sums, w.out_c * plan.tile.words) &&
         int64_t{sums} * plan.tile.step <= kLargestBody;
}

// Which loop: none on Arm, which has but one. Kernels as portable C have no assembly.
std::vector<Knob> loop_knobs(const Device& device) {
  if (device.target.family == CoreFamily::kArmM) return {};
  if (device.target.portable_kernels) return {{"loop", {"llvm"}}};
  return {{"loop", {"assembly", "llvm"}}};
}

const char* name_on(const Device& device) {
  if (device.target.family != CoreFamily::kArmM) return kWideLanesName;
  return sees_eight_registers(device.target) ? kThumbLanesName : kThumb2LanesName;
}

// Tiles of which a window reaches outside the input.
int tiles_at_the_border(const Workload& w, int pixels) {
  const auto is_inside = [&](int pixel) {
    const int y = pixel / w.out_w * w.stride_h - w.pad_top;
    const int x = pixel % w.out_w * w.stride_w - w.pad_left;
    return y >= 0 && y + (w.kernel_h - 1) * w.dilation_h < w.in_h && x >= 0 &&
           x + w.kernel_w <= w.in_w;
  };
  const int all = w.out_h * w.out_w;
  int tiles = 0;
  for (int start = 0; start < all; start += pixels) {
    const int first = std::min(start, all - pixels);
    int inside = 0;
    while (inside < pixels && is_inside(first + inside)) ++inside;
    if (inside < pixels) ++tiles;
  }
  return tiles;
}

// About how many instructions a kernel's border takes.
double estimate_border(const Workload& w, const Plan& plan, int tested_tiles) {
  if (plan.border == "test")
    return 1.0 * tested_tiles * w.kernel_h * w.kernel_w * (11 * plan.pixels + 8);
  const bool by_words = w.in_w * w.in_c % 4 == 0 && w.pad_left * w.in_c % 4 == 0;
  return (by_words ? 1.5 : 5.0) * static_cast<double>(PixelTiles::bytes(w, plan.border));
}

// On Thumb-1, in cycles: loads take two, and what LLVM writes around the loop is mostly loads.
double estimate_thumb(const Workload& w, const Plan& plan, int tested_tiles) {
  const double pixels = plan.pixels, words = plan.tile.words, channels = plan.tile.channels;
  const double pixel_tiles = PixelTiles::tiles(w, plan.pixels);
  const double channel_tiles = (w.out_c + plan.tile.channels - 1) / plan.tile.channels;
  const auto reduction = static_cast<double>(plan.padded_reduction);
  const double copies = (channels - 1) * (words - 1);
  const double products = reduction * (1 + words + 2 * channels + 2 * channels * words + copies) +
                          reduction / plan.tile.step * 4;
  const double scaling =
      w.facts.requantise == Requantise::kFused ? 16 + 8 * MultiplierParts(plan.bits()).count() : 60;
  const double finish = channels * (scaling * pixels + 8 * (pixels - words) + 20);
  const double stage = reduction * (4 * pixels + 5 * words + 4 * (pixels - words) + 8);
  return pixel_tiles * (channel_tiles * (products + finish + 60) + stage + 100) +
         1.5 * estimate_border(w, plan, tested_tiles);
}

double estimate(const Workload& w, const Plan& plan, int tested_tiles) {
  if (plan.loop == LaneLoop::kThumb1) return estimate_thumb(w, plan, tested_tiles);
  const double pixels = plan.pixels, words = plan.tile.words, channels = plan.tile.channels;
  const double pixel_tiles = PixelTiles::tiles(w, plan.pixels);
  const double channel_tiles = (w.out_c + plan.tile.channels - 1) / plan.tile.channels;
  const auto reduction = static_cast<double>(plan.padded_reduction);
  const bool fused_add = plan.loop == LaneLoop::kThumb2;  // and one load for all words
  const double products = reduction * (fused_add ? channels * words + channels + 1
                                                 : 2 * channels * words + channels + words) +
                          reduction / plan.tile.step * 3;
  const double finish =
      channels *
      ((w.facts.requantise == Requantise::kFused ? 9.0 : 15.0) * pixels + 4 * (pixels - words) + 3);
  const double stage = reduction * (pixels + words + 2.5 * (pixels - words) + 1.5);
  return pixel_tiles * (channel_tiles * (products + finish + 40) + stage + 40) +
         estimate_border(w, plan, tested_tiles);
}

}  // namespace

LaneLoop lane_loop_of(const Schedule& schedule) {
  if (schedule.template_name() == kThumbLanesName) return LaneLoop::kThumb1;
  if (schedule.template_name() == kThumb2LanesName) return LaneLoop::kThumb2;
  return schedule.get("loop") == "llvm" ? LaneLoop::kLlvm : LaneLoop::kRv32;
}

ConfigSpace wide_lanes_space(const Workload& w, const Device& device) {
  const auto from_to = [](int first, int last) {
    std::vector<int> values;
    for (int v = first; v <= last; ++v) values.push_back(v);
    return values;
  };
  ConfigSpace::Family family{
      name_on(device),
      kWideLanesVersion,
      {int_knob("oc", up_to(std::min(w.out_c, kMostChannels))),
       int_knob("words", from_to(2, kMostWords)), int_knob("pixels", from_to(3, kMostPixels)),
       int_knob("step", {1, 2, 4, 8})}};
  for (Knob& knob : loop_knobs(device)) family.knobs.push_back(std::move(knob));
  family.knobs.push_back(border_knob(w));
  family.knobs.push_back(scheduler_knob(device));
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return legal(w, Plan(w, s)); });
  return result;
}

std::vector<Schedule> usual_wide_lanes(const Workload& w, const Device& device) {
  struct Candidate {
    double cost;
    Plan plan;
    Schedule schedule;
  };
  std::vector<Candidate> all;
  const auto offer = [&](int channels, int words, int pixels, int tested_tiles) {
    for (const int step : {1, 2, 4})
      for (const std::string& border : border_knob(w).values) {
        std::vector<std::pair<std::string, std::string>> knobs = {
            {"oc", std::to_string(channels)},
            {"words", std::to_string(words)},
            {"pixels", std::to_string(pixels)},
            {"step", std::to_string(step)}};
        for (const Knob& knob : loop_knobs(device))
          knobs.emplace_back(knob.name, knob.values.front());
        knobs.emplace_back("border", border);
        knobs.emplace_back(kSchedulerKnob, written_order(device));
        Schedule schedule(name_on(device), kWideLanesVersion, std::move(knobs));
        const Plan plan(w, schedule);
        if (legal(w, plan))
          all.push_back({estimate(w, plan, tested_tiles), plan, std::move(schedule)});
      }
  };
  for (int pixels = 3; pixels <= std::min(kMostPixels, w.out_h * w.out_w); ++pixels) {
    const int tested_tiles = needs_border(w) ? tiles_at_the_border(w, pixels) : 0;
    for (int words = (pixels + 1) / 2; words < std::min(pixels, kMostWords + 1); ++words)
      for (int channels = 1; channels <= kMostChannels; ++channels)
        offer(channels, words, pixels, tested_tiles);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  std::vector<Schedule> usual;
  std::vector<Plan> before;
  for (const Candidate& candidate : all) {
    const Plan& plan = candidate.plan;
    const bool asks_for_less = std::none_of(before.begin(), before.end(), [&](const Plan& other) {
      return other.bits() >= plan.bits() && other.scratch_bytes(w) <= plan.scratch_bytes(w);
    });
    if (!asks_for_less) continue;
    before.push_back(plan);
    usual.push_back(candidate.schedule);
  }
  return usual;
}

}  // namespace tinytune
