// Constants and loops of both Winograd templates.
#include <algorithm>
#include <array>

#include "base/little_endian.h"
#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/nest_builder.h"
#include "templates/winograd/winograd_plan.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {
namespace {

// What 4x4's transform makes of a patch of ones: nothing but at the second row and column.
constexpr size_t kPointOfOnes = winograd_side(4) + 1;
constexpr int kOnes = 36;

// One output channel's transformed weights, [input channel][point], zero beyond the last one.
using Channel = std::vector<std::vector<int>>;

Channel channel_of(const Workload& w, const LayerData& data, const WinogradPlan& plan, int c) {
  // Terms reach this far at most.
  Channel channel(static_cast<size_t>(plan.terms * plan.channels_a_term() + 3),
                  std::vector<int>(static_cast<size_t>(plan.points)));
  if (c >= w.out_c) return channel;
  const auto kernel = channel_weights(w, data, c);  // [tap][input channel]
  for (size_t i = 0; i < static_cast<size_t>(w.in_c); ++i) {
    std::array<int, 9> taps;
    for (size_t tap = 0; tap < 9; ++tap) taps[tap] = kernel[tap * static_cast<size_t>(w.in_c) + i];
    channel[i] = winograd_weights(plan.square, taps);
  }
  return channel;
}

// What takes the offsets of two channels in a word away again.
uint32_t start_of(const WinogradPlan& plan, const Channel& weights, size_t point) {
  int64_t low = 0, all = 0;
  const auto of = [&](int64_t term, int half) {
    return weights[static_cast<size_t>(plan.channel(term, half))][point];
  };
  for (int64_t term = 0; term < plan.terms; ++term) {
    low += of(term, 0);
    all += of(term, 0) + of(term, 1);
  }
  return static_cast<uint32_t>(-kWinogradLowOffset * low -
                               (point == kPointOfOnes ? kOnes * kWinogradInputOffset * all : 0));
}

}  // namespace

Result<std::vector<PackedConstant>> winograd_pack(const Workload& w, const LayerData& data,
                                                  const Schedule& schedule) {
  const WinogradPlan plan(w, schedule);
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  PackedConstant weights{"weights", plan.element_bytes(), {}};
  for (int first = 0; first < w.out_c; first += plan.oc) {
    std::vector<Channel> block;
    for (int c = first; c < first + plan.oc; ++c) block.push_back(channel_of(w, data, plan, c));
    for (size_t point = 0; point < static_cast<size_t>(plan.points); ++point) {
      for (const Channel& channel : block)
        if (plan.in_assembly()) append_little_endian(weights.bytes, start_of(plan, channel, point));
      for (int64_t term = 0; term < plan.terms; ++term)
        for (const Channel& channel : block)
          for (int half = 0; half < plan.channels_a_term(); ++half) {
            const auto i = static_cast<size_t>(plan.channel(term, half));
            append_little_endian(weights.bytes, static_cast<uint16_t>(channel[i][point]));
          }
    }
  }
  return std::vector<PackedConstant>{std::move(weights), std::move(params)};
}

LoopNest winograd_describe(const Workload& w, const Schedule& schedule) {
  const WinogradPlan plan(w, schedule);
  const int element = plan.element_bytes(), outputs = plan.square * plan.square;
  const int64_t square_bytes = int64_t{plan.square} * w.out_c, strip = square_bytes * plan.tiles;
  NestBuilder build(w, element, element, kWinogradStartWords);
  if (plan.square == 2) {
    build.loop("rows", plan.strips.rows, {.output = square_bytes * w.out_w});
    build.loop("strips", plan.strips.strips, {.output = strip});
  } else {
    build.loop("groups", plan.strips.rows * plan.strips.strips / plan.together,
               {.output = strip * plan.together});
  }
  build.channel_tiles((w.out_c + plan.oc - 1) / plan.oc, plan.oc, plan.weight_bytes());
  if (plan.square == 4)
    build.loop("strips", plan.together, {.input = plan.strip_bytes, .output = strip});
  build.loop("point", plan.points,
             {.input = plan.point_bytes, .weights = plan.weight_bytes() / plan.points});
  build.products({.terms = plan.terms,
                  .step = plan.step,
                  .pixels = plan.tiles,
                  .channels = plan.oc,
                  .input_bytes = plan.term_bytes,
                  .weight_bytes = element * plan.oc,
                  .pixel_bytes = element,
                  .out_pixel_bytes = square_bytes,
                  .element_bytes = element,
                  .pair = "lane",
                  .halves = plan.channels_a_term()});
  LoopNest nest = build.finish(schedule);
  const int64_t squares = int64_t{plan.strips.rows} * plan.strips.strips * plan.tiles;
  nest.multiplies_per_mac = plan.points / (9.0 * outputs) / plan.channels_a_term();
  nest.outputs = outputs * squares * w.out_c;
  nest.prologue_bytes = squares * plan.points * (2 * w.in_c + int64_t{4} * w.out_c);
  nest.switches.emplace_back("winograd", 1.0);
  return nest;
}

}  // namespace tinytune
