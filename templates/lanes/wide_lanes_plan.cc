#include "templates/lanes/wide_lanes_plan.h"

#include <algorithm>
#include <map>
#include <tuple>
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

const char* name_on(const Device& device) {
  if (device.target.family != CoreFamily::kArmM) return kWideLanesName;
  return sees_eight_registers(device.target) ? kThumbLanesName : kThumb2LanesName;
}

// No knob for the loop on Arm, which has but one. Kernels as portable C have no assembly.
ConfigSpace::Family family(const Workload& w, const Device& device) {
  std::vector<int> words = up_to(kMostWords), pixels = up_to(kMostPixels);
  words.erase(words.begin());                        // from 2 on
  pixels.erase(pixels.begin(), pixels.begin() + 2);  // from 3 on
  ConfigSpace::Family family{
      name_on(device),
      1,
      {int_knob("oc", up_to(std::min(w.out_c, kMostChannels))), int_knob("words", words),
       int_knob("pixels", pixels), int_knob("step", {1, 2, 4, 8})}};
  if (device.target.portable_kernels)
    family.knobs.push_back({"loop", {"llvm"}});
  else if (device.target.family != CoreFamily::kArmM)
    family.knobs.push_back({"loop", {"assembly", "llvm"}});
  family.knobs.push_back(border_knob(w));
  family.knobs.push_back(scheduler_knob(device));
  return family;
}

ConfigSpace space_of(const Workload& w, ConfigSpace::Family family) {
  return {std::move(family), [&](const Schedule& s) { return legal(w, Plan(w, s)); }};
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

// In instructions; on Thumb-1 in cycles: loads take two, and what LLVM writes around the loop is
// mostly loads.
double estimate(const Workload& w, const Plan& plan, int tested_tiles) {
  const double pixels = plan.pixels, words = plan.tile.words, channels = plan.tile.channels;
  const double pixel_tiles = PixelTiles::tiles(w, plan.pixels);
  const double channel_tiles = (w.out_c + plan.tile.channels - 1) / plan.tile.channels;
  const auto reduction = static_cast<double>(plan.padded_reduction);
  const double steps = reduction / plan.tile.step, apart = pixels - words;
  const double border = estimate_border(w, plan, tested_tiles);
  const bool fused = w.facts.requantise == Requantise::kFused;
  const auto all = [&](double products, double finish, double stage, double tile) {
    return pixel_tiles * (channel_tiles * (products + channels * finish + tile) + stage);
  };
  if (plan.loop == LaneLoop::kThumb1) {
    const double copies = (channels - 1) * (words - 1);
    const double scaling = fused ? 16 + 8 * MultiplierParts(plan.bits()).count() : 60;
    return all(reduction * (1 + words + 2 * channels + 2 * channels * words + copies) + steps * 4,
               scaling * pixels + 8 * apart + 20,
               reduction * (4 * pixels + 5 * words + 4 * apart + 8) + 100, 60) +
           1.5 * border;
  }
  const bool fused_add = plan.loop == LaneLoop::kThumb2;  // and one load for all words
  const double of_product =
      fused_add ? channels * words + channels + 1 : 2 * channels * words + channels + words;
  return all(reduction * of_product + steps * 3, (fused ? 9.0 : 15.0) * pixels + 4 * apart + 3,
             reduction * (pixels + words + 2.5 * apart + 1.5) + 40, 40) +
         border;
}

}  // namespace

LaneLoop lane_loop_of(const Schedule& schedule) {
  if (schedule.template_name() == kThumbLanesName) return LaneLoop::kThumb1;
  if (schedule.template_name() == kThumb2LanesName) return LaneLoop::kThumb2;
  return schedule.get("loop") == "llvm" ? LaneLoop::kLlvm : LaneLoop::kRv32;
}

ConfigSpace wide_lanes_space(const Workload& w, const Device& device) {
  return space_of(w, family(w, device));
}

std::vector<Schedule> usual_wide_lanes(const Workload& w, const Device& device) {
  struct Candidate {
    double cost;
    Plan plan;
    Schedule schedule;

    auto rank() const { return std::tuple(cost, plan.pixels, plan.tile.words, plan.tile.channels); }
  };
  ConfigSpace::Family tried = family(w, device);
  for (Knob& knob : tried.knobs) {
    if (knob.name == "step") knob.values = {"1", "2", "4"};
    if (knob.name == "loop") knob.values.resize(1);
    if (knob.name == kSchedulerKnob) knob.values = {written_order(device)};
  }
  const ConfigSpace space = space_of(w, std::move(tried));
  std::map<int, int> tested_tiles;  // of so many pixels
  std::vector<Candidate> all;
  for (size_t point = 0; point < space.size(); ++point) {
    Schedule schedule = space.schedule(point);
    const Plan plan(w, schedule);
    const auto [tested, is_new] = tested_tiles.try_emplace(plan.pixels, 0);
    if (is_new && needs_border(w)) tested->second = tiles_at_the_border(w, plan.pixels);
    all.push_back({estimate(w, plan, tested->second), plan, std::move(schedule)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); });
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
