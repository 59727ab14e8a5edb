// Schedules of wide lanes (wide_lanes_nhwc.cc): the legal ones, and those of untuned layers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/lane_words.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/lanes/lane_products.h"
#include "templates/lanes/lane_scaling.h"
#include "templates/lanes/multiplier_parts.h"
#include "templates/lanes/staged_lanes.h"
#include "templates/nest_builder.h"
#include "templates/switches.h"
#include "templates/usual_knobs.h"

namespace tinytune {

/// Templates for RV32, Thumb-1, and Thumb-2 without the DSP extension. Other cores lack the
/// registers or have faster products.
inline constexpr const char* kWideLanesName = "wide_lanes_nhwc";
inline constexpr const char* kThumbLanesName = "thumb_lanes_nhwc";
inline constexpr const char* kThumb2LanesName = "thumb2_lanes_nhwc";
/// Templates for the same cores, in the same order, whose fused requantisation takes sums, not
/// lanes.
inline constexpr const char* kWideSumsName = "wide_sums_nhwc";
inline constexpr const char* kThumbSumsName = "thumb_sums_nhwc";
inline constexpr const char* kThumb2SumsName = "thumb2_sums_nhwc";

/// The templates of a core, or null.
struct WideLanesNames {
  const char *lanes = nullptr, *sums = nullptr;
};
inline WideLanesNames wide_lanes_names(const Target& target) {
  if (target.family == CoreFamily::kRiscv32) return {kWideLanesName, kWideSumsName};
  if (target.family != CoreFamily::kArmM || target.portable_kernels) return {};
  if (sees_eight_registers(target)) return {kThumbLanesName, kThumbSumsName};
  if (target.can(Capability::kDsp)) return {};
  return {kThumb2LanesName, kThumb2SumsName};
}

inline bool names_sums(const Schedule& schedule) {
  const std::string& name = schedule.template_name();
  return name == kWideSumsName || name == kThumbSumsName || name == kThumb2SumsName;
}

inline LaneLoop lane_loop_of(const Schedule& schedule) {
  const std::string& name = schedule.template_name();
  if (name == kThumbLanesName || name == kThumbSumsName) return LaneLoop::kThumb1;
  if (name == kThumb2LanesName || name == kThumb2SumsName) return LaneLoop::kThumb2;
  return schedule.get("loop") == "llvm" ? LaneLoop::kLlvm : LaneLoop::kRv32;
}

/// Rounds `products` up to whole steps.
inline int64_t whole_steps(int64_t products, int step) {
  return (products + step - 1) / step * step;
}

struct WideLanesPlan : StagedLanes {
  LaneLoop loop;
  bool takes_sums_out;  ///< extracts sums to requantise them, although it is fused
  bool scales_lanes;    ///< the requantisation is fused and takes lanes

  WideLanesPlan(const Workload& w, const Schedule& s)
      : StagedLanes{.tile = {s.get_int("oc"), s.get_int("words"), s.get_int("step")},
                    .pixels = s.get_int("pixels"),
                    .padded_reduction = whole_steps(w.reduction(), s.get_int("step")),
                    .border = s.get("border")},
        loop(lane_loop_of(s)),
        takes_sums_out(names_sums(s)),
        scales_lanes(w.facts.requantise == Requantise::kFused && !takes_sums_out) {
    if (traits().sums_start_staged) start_bytes = 4 * tile.words;
  }

  const ProductIsa::Traits& traits() const { return isa_of(loop).traits(); }
  int bits() const { return LaneWords::bits(pixels, tile.words); }
  // Few sums do not repay their staging.
  bool legal(const Workload& w) const {
    constexpr int64_t kLargestBody = 200;
    const int sums = tile.channels * tile.words, channels = w.out_c / w.groups;
    return is_lane_layout(pixels, tile.words) && isa_of(loop).fits(tile) &&
           pixels <= w.out_h * w.out_w && tile.channels <= channels && tile.step <= w.reduction() &&
           sums >= std::min(traits().fewest_sums, channels * tile.words) &&
           int64_t{sums} * tile.step <= kLargestBody;
  }
  /// Returns how the fused requantisation multiplies lanes.
  UnsignedMultiply multiply() const {
    if (!traits().multiplies_high) return MultiplierParts(bits()).multiply();
    return {.bits = bits(), .left = 32 - bits()};
  }
};

// Arm has a single loop and no knob for it. Kernels in portable C have no assembly.
inline KnobTable wide_lanes_knobs(const Workload& w, const Device& device, const char* name) {
  std::vector<int> words = up_to(8), pixels = up_to(12);
  words.erase(words.begin());                        // from 2 on
  pixels.erase(pixels.begin(), pixels.begin() + 2);  // from 3 on
  // 3 and 9 divide the 27 products of a 3x3 kernel on three channels.
  const std::vector<int> steps = device.target.family == CoreFamily::kRiscv32
                                     ? std::vector<int>{1, 2, 3, 4, 8, 9}
                                     : std::vector<int>{1, 2, 4, 8};
  KnobTable table{name,
                  1,
                  {int_knob("oc", up_to(std::min(w.out_c / w.groups, 10))),
                   int_knob("words", words), int_knob("pixels", pixels), int_knob("step", steps)}};
  if (device.target.portable_kernels)
    table.knobs.push_back(Knob{"loop", {"llvm"}});
  else if (device.target.family != CoreFamily::kArmM)
    table.knobs.push_back(Knob{"loop", {"assembly", "llvm"}});
  table.knobs.push_back(border_knob(w));
  table.knobs.push_back(scheduler_knob(device));
  return table;
}

// Returns whether a layer has so many tiles that longer code for each pays.
inline bool has_many_pixels(const Workload& w) {
  constexpr int kMany = 100;
  return w.out_h * w.out_w >= kMany;
}

// Counts the tiles with a window that reaches outside the input.
inline int tiles_at_the_border(const Workload& w, int pixels) {
  const auto is_inside = [&](int pixel) {
    const int y = pixel / w.out_w * w.stride_h - w.pad_top;
    const int x = pixel % w.out_w * w.stride_w - w.pad_left;
    return y >= 0 && y + (w.kernel_h - 1) * w.dilation_h < w.in_h && x >= 0 &&
           x + (w.kernel_w - 1) * w.dilation_w < w.in_w;
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

// Estimates the instructions for a kernel's border.
inline double border_cost(const Workload& w, const WideLanesPlan& plan, int tested_tiles) {
  if (plan.border == "test")
    return 1.0 * tested_tiles * w.groups * w.kernel_h * w.kernel_w * (11 * plan.pixels + 8);
  const bool by_words = w.in_w * w.in_c % 4 == 0 && w.pad_left * w.in_c % 4 == 0;
  return (by_words ? 1.5 : 5.0) * static_cast<double>(PixelTiles::bytes(w, plan.border));
}

// Returns whether the loop's end has no register (isa/rv32.cc).
inline bool end_waits(const WideLanesPlan& plan) {
  return plan.loop == LaneLoop::kRv32 && isa_of(plan.loop).assign(plan.tile).end_waits;
}
// Returns the load-use stalls per product if a single register is left for passing values, which
// are then multiplied as soon as they are loaded.
inline double passing_waits(const WideLanesPlan& plan, const Device& device) {
  const auto wait = device.timing.cycles.find("load_use");
  if (!end_waits(plan) || wait == device.timing.cycles.end()) return 0;
  return static_cast<double>(wait->second * std::max(plan.tile.words, plan.tile.channels));
}

// Estimates instructions; on Thumb-1 cycles, because loads take two and LLVM's code around the loop
// is mostly loads.
inline double wide_lanes_cost(const Workload& w, const WideLanesPlan& plan, int tested_tiles,
                              const Device& device) {
  const double pixels = plan.pixels, words = plan.tile.words, channels = plan.tile.channels;
  const double pixel_tiles = PixelTiles::tiles(w, plan.pixels);
  const int of_group = w.out_c / w.groups;
  const int channel_tiles = (of_group + plan.tile.channels - 1) / plan.tile.channels;
  const auto reduction = static_cast<double>(plan.padded_reduction);
  const double steps = reduction / plan.tile.step, apart = pixels - words;
  const double border = border_cost(w, plan, tested_tiles);
  const bool fused = plan.scales_lanes;
  const auto all = [&](double products, double finish, double stage, double tile) {
    return pixel_tiles * w.groups * (channel_tiles * (products + channels * finish + tile) + stage);
  };
  if (plan.loop == LaneLoop::kThumb1) {
    const double copies = (channels - 1) * (words - 1);
    const double scaling = fused ? 16 + 8 * MultiplierParts(plan.bits()).count() : 60;
    return all(reduction * (1 + words + 2 * channels + 2 * channels * words + copies) + steps * 4,
               scaling * pixels + 8 * apart + 20,
               reduction * (4 * pixels + 5 * words + 4 * apart + 8) + 100, 60) +
           1.5 * border;
  }
  // Whether each pixel's window needs its own address.
  const bool far = plan.loop == LaneLoop::kRv32 && !PixelTiles::are_in_row(w, plan.pixels);
  const bool in_assembly = plan.loop == LaneLoop::kRv32 && fused;  // whole tiles
  const bool fused_add = plan.loop == LaneLoop::kThumb2;           // MLA; LDM loads all words
  const double of_product =
      passing_waits(plan, device) +
      (fused_add ? channels * words + channels + 1 : 2 * channels * words + channels + words);
  return all(reduction * of_product + steps * 3, (fused ? 9.0 : 15.0) * pixels + 4 * apart + 3,
             reduction * (pixels + words + 2.5 * apart + 1.5) + (far ? 20 + 18 * pixels : 40),
             in_assembly       ? 30
             : end_waits(plan) ? 56
                               : 40) +
         border;
}

/// Returns the schedules that an untuned layer tries, the cheapest by estimate first. Compared with
/// each one before it, a schedule has wider lanes, which more weights permit, or less scratch.
inline std::vector<Schedule> usual_wide_lanes(const Workload& w, const Device& device,
                                              const char* name) {
  struct Candidate {
    double cost;
    WideLanesPlan plan;
    Schedule schedule;

    auto rank() const { return std::tuple(cost, plan.pixels, plan.tile.words, plan.tile.channels); }
  };
  constexpr int kLong = 32;  // products that repay LLVM's register saves around them
  KnobTable tried = wide_lanes_knobs(w, device, name);
  for (UsualKnob& knob : tried.knobs) {
    // Long steps make long code, which pays only for many tiles.
    const bool long_steps = device.target.family == CoreFamily::kRiscv32 && has_many_pixels(w);
    if (knob.name == "step" && !long_steps) knob.values = {"1", "2", "4"};
    if (knob.name == "loop") knob.values.resize(1);
    if (knob.name == kSchedulerKnob) knob.values = {written_order(device)};
  }
  const ConfigSpace space = tried.legal_space<WideLanesPlan>(w);
  std::map<int, int> tested_tiles;  // by pixels per tile
  std::vector<Candidate> all;
  for (size_t point = 0; point < space.size(); ++point) {
    Schedule schedule = space.schedule(point);
    const WideLanesPlan plan(w, schedule);
    if (end_waits(plan) && !plan.scales_lanes && w.reduction() < kLong) continue;
    const auto [tested, is_new] = tested_tiles.try_emplace(plan.pixels, 0);
    if (is_new && needs_border(w)) tested->second = tiles_at_the_border(w, plan.pixels);
    all.push_back({wide_lanes_cost(w, plan, tested->second, device), plan, std::move(schedule)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); });
  std::vector<Schedule> usual;
  std::vector<WideLanesPlan> before;
  for (const Candidate& candidate : all) {
    const WideLanesPlan& plan = candidate.plan;
    const bool asks_for_less =
        std::none_of(before.begin(), before.end(), [&](const WideLanesPlan& other) {
          return other.bits() >= plan.bits() && other.scratch_bytes(w) <= plan.scratch_bytes(w);
        });
    if (!asks_for_less) continue;
    before.push_back(plan);
    usual.push_back(candidate.schedule);
  }
  return usual;
}

}  // namespace tinytune
