// The common part of SMLAD templates for convolutions and dense layers: the space of their tiles,
// the schedules of untuned layers, and the packing of constants.
//
// A Row provides a template's own parts: its name, the knobs besides the tile's, and the tiles to
// try first. A Plan is made from a schedule; it provides its legality, the shape of its tiles, the
// input that each half of a pair multiplies, the number of pairs, and the scratch.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/smlad/smlad_tiles.h"
#include "templates/switches.h"
#include "templates/usual_knobs.h"

namespace tinytune {

/// Describes the inner loops over `terms` pairs, and adds the features that all tiles have.
inline LoopNest describe_tile(const Workload& w, const SmladShape& shape, int64_t terms,
                              NestBuilder& build, const Schedule& schedule) {
  const auto& [tile, inputs, runs, loads, scaled, right] = shape;
  build.products({.terms = terms,
                  .step = runs.step,
                  .pixels = tile.pixels,
                  .channels = tile.channels,
                  .input_bytes = inputs.pair_bytes,
                  .weight_bytes = tile.weight_bytes(1),
                  .pixel_bytes = inputs.pixel_bytes,
                  .out_pixel_bytes = w.out_c,
                  .element_bytes = static_cast<int>(tile.weight_bytes(1)) / tile.channels,
                  .halves = 2});
  // Pixels with overlapping windows share no loads.
  build.input_loads(static_cast<double>(runs.step * tile.pixels * (inputs.as_bytes ? 2 : 4)));
  LoopNest nest = build.finish(schedule);
  nest.multiplies_per_mac = 0.5;
  nest.switches.emplace_back("smlad", 1.0);
  if (right > 0) nest.switches.emplace_back("shifted", 1.0);
  return nest;
}

/// A tile to try for an untuned layer, and the value of its knob "loads".
struct FirstTile {
  int channels, pixels;
  std::string loads;
};

/// Values of the knob "oc": channels of a tile.
inline constexpr std::array kTileChannels = {1, 2, 3, 4, 5, 6, 8};

/// Returns the channels of a tile of one pixel: `most`, or about as many if the last tile, which
/// moves back and computes channels again, would otherwise be mostly repetition. The cost is in
/// instructions per pair of inputs: a load of the inputs, two for each channel. Joined weights need
/// even tiles.
inline int usual_tile_channels(int channels, int most, bool joined) {
  const auto cost = [&](int tile) { return (channels + tile - 1) / tile * (1 + 2 * tile); };
  int best = *std::find_if(kTileChannels.rbegin(), kTileChannels.rend(),
                           [&](int tile) { return tile <= std::min(channels, most); });
  for (auto at = kTileChannels.rbegin(); at != kTileChannels.rend(); ++at) {
    const int tile = *at;
    if (tile > std::min(channels, most + 1) || 2 * tile < most || (joined && tile % 2 != 0))
      continue;
    constexpr int kWorthwhile = 20;  // saves 1/20
    if (kWorthwhile * cost(tile) < (kWorthwhile - 1) * cost(best)) best = tile;
  }
  return best;
}

template <typename Row, typename Plan, typename Writer>
struct SmladTemplate {
  static constexpr int kVersion = 4;

  /// The tile's usual values are not in the table: untuned() searches for them.
  static KnobTable table(const Workload& w, const Device& device) {
    std::vector<int> channels;
    for (const int c : kTileChannels)
      if (c <= w.out_c / w.groups) channels.push_back(c);
    KnobTable all{Row::kName, kVersion, {int_knob("oc", channels), int_knob("px", {1, 2, 3, 4})}};
    for (UsualKnob& knob : Row::knobs(w, device)) all.knobs.push_back(std::move(knob));
    all.knobs.push_back(smlad_right_knob());
    return all;
  }

  static ConfigSpace space(const Workload& w, const Device& device) {
    return table(w, device).template legal_space<Plan>(w);
  }

  /// Returns a schedule of the first of the row's tiles that is legal. The last one is narrowed
  /// until it is legal: odd tiles cannot join their weights, and not every width exists.
  static Schedule untuned(const Workload& w, const Device& device, const std::string& preferred,
                          bool shifted) {
    const KnobTable knobs = table(w, device);
    const auto legal = [&](const FirstTile& tile) {
      for (const auto& [weights, right] : forms(preferred, shifted)) {
        const Schedule s = longest_step(w, knobs, tile, weights, right);
        if (!s.knobs().empty()) return s;
      }
      return Schedule();
    };
    std::vector<FirstTile> tiles = Row::first_tiles(w, device);
    for (FirstTile& tile : tiles)
      for (int& narrowed = Row::kNarrowsPixels ? tile.pixels : tile.channels;; --narrowed) {
        const Schedule s = legal(tile);
        if (!s.knobs().empty() || (&tile == &tiles.back() && narrowed == 0)) return s;
        if (&tile != &tiles.back()) break;
      }
    return {};
  }
  /// Prefers the steps that pad least, and of those the longest. The limit is higher for dual-issue
  /// cores, which gain more from fewer turns of the loop.
  static Schedule longest_step(const Workload& w, const KnobTable& knobs, const FirstTile& tile,
                               const std::string& weights, const std::string& right) {
    const int longest = tile.loads == "spread" ? 16 : 8;
    Schedule best;
    for (int step = 1; step <= longest; ++step)
      for (const char* inputs : {"staged", "widened"}) {
        const Schedule s = knobs.usual({{"oc", std::to_string(tile.channels)},
                                        {"px", std::to_string(tile.pixels)},
                                        {"loads", tile.loads},
                                        {"step", std::to_string(step)},
                                        {"weights", weights},
                                        {"right", right},
                                        {"inputs", inputs}});
        if (!knobs.template is_legal<Plan>(w, s)) continue;
        if (best.knobs().empty() || Plan(w, s).pairs <= Plan(w, best).pairs) best = s;
      }
    return best;
  }

  static Schedule default_schedule(const Workload& w, const Device& device) {
    return untuned(w, device, usual_weights(w, device), true);
  }
  static std::vector<Schedule> fallback_schedules(const Workload& w, const Device& device) {
    const Schedule usual = default_schedule(w, device);
    std::vector<Schedule> all;
    const auto add = [&](Schedule s) {
      if (s != usual && std::find(all.begin(), all.end(), s) == all.end())
        all.push_back(std::move(s));
    };
    add(untuned(w, device, "pairs", true));
    add(untuned(w, device, "pairs", false));
    if (w.out_c / w.groups >= 2) add(untuned(w, device, "joined", true));  // half the bytes
    return all;
  }
  /// Returns weight forms with shifts of the requantisation, in the order to try them.
  static std::vector<std::pair<std::string, std::string>> forms(const std::string& preferred,
                                                                bool shifted) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string& weights : {preferred, std::string("pairs")})
      for (const std::string& right : smlad_right_knob().values)
        if (shifted || right == "0") all.emplace_back(weights, right);
    return all;
  }

  static Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                                  const Schedule& s) {
    const Plan plan(w, s);
    return pack_groups(w, data, [&](const Workload& group, const LayerData& of_group) {
      return SmladTiles(group, plan.shape(), {w.out_c}).pack(of_group, [&](int64_t half) {
        return plan.input_of(half);
      });
    });
  }

  /// Checks whether shifted weights are exact. Only pack() checks whether weights can be joined.
  static std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
    return may_shift_right(smlad_right_knob().values, [&](int right) {
      const auto shifted = [&](const Workload& group,
                               const LayerData& of_group) -> Result<std::vector<PackedConstant>> {
        if (right == 0 || fuse_into_weights(group, of_group, right))
          return std::vector<PackedConstant>();
        return Error(ErrorCode::kUnsupported, "no shifted weights are exact for this layer");
      };
      return pack_groups(w, data, shifted).has_value();
    });
  }

  static KernelTemplate row(decltype(KernelTemplate::supports) supports,
                            decltype(KernelTemplate::describe) describe) {
    return {.name = Row::kName,
            .version = kVersion,
            .supports = supports,
            .space = space,
            .default_schedule = default_schedule,
            .fallback_schedules = fallback_schedules,
            .describe = describe,
            .pack = pack,
            .may_pack = may_pack,
            .scratch_bytes = scratch_of<Plan>,
            .lower = lower_as_text<Plan, Writer>};
  }
};

}  // namespace tinytune
