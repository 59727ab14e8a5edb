#include "templates/winograd/winograd_plan.h"

#include <algorithm>
#include <array>

#include "base/little_endian.h"
#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/nest_builder.h"
#include "templates/switches.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {
namespace {

int64_t up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

const std::vector<int> kChannels = {1, 2, 3, 4, 5, 6, 8};  // of a block

bool can_smlad(const Device& device) { return device.target.can(Capability::kDsp); }

// Whether the last block is mostly channels that are none.
bool pads(const Workload& w, int oc) { return 8 * (up(w.out_c, oc) - w.out_c) > w.out_c; }

// Powers of two, and all terms at once: without a loop, first products need no sum of zero.
std::vector<int> steps2(const Workload& w, const Device& device) {
  const int terms = can_smlad(device) ? (w.in_c + 1) / 2 : w.in_c;
  std::vector<int> all;
  for (int step = 1; step <= std::min(terms, 32); step *= 2) all.push_back(step);
  if (terms < 32 && all.back() != terms) all.push_back(terms);
  return all;
}

// Divisors of the terms.
std::vector<int> steps4(const Workload& w, const Device& device) {
  const int terms = can_smlad(device) ? (w.in_c + 3) / 4 * 2 : w.in_c;
  std::vector<int> all = {1, 2, 3, 4, 8, 16};
  std::erase_if(all, [&](int step) { return terms % step != 0; });
  return all;
}

// That may be computed together: divisors of all, the most first, since of schedules as near the
// first is taken.
std::vector<int> rows_of_squares(const Workload& w) {
  std::vector<int> all = divisors((w.out_h + 3) / 4, 8);
  all.insert(all.begin(), 0);
  return {all.rbegin(), all.rend()};
}

int usual_tiles4(const Workload& w) { return w.out_w >= 8 ? 2 : 1; }

// Where weights wait, as many as leave their transformed inputs within what scratch should be.
int usual_rows(const Workload& w, const Device& device) {
  constexpr int64_t kMostBytes = 24 * 1024;
  if (device.memory(device.rodata_memory).read_cache.empty()) return 0;
  const int64_t squares = (w.out_w + 3) / 4 + usual_tiles4(w) - 1, points = 36;
  for (const int rows : rows_of_squares(w))
    if (rows * squares * points * 2 * w.in_c <= kMostBytes) return rows;
  return 0;
}

std::vector<UsualKnob> knobs2(const Workload& w, const Device& device) {
  const int wanted = can_smlad(device) ? 2 : 4;
  return {{"tiles", up_to(6), std::min(wanted, w.out_w / 2)},
          {"oc", kChannels, w.out_c % wanted == 0 ? wanted : 1},
          {"step", steps2(w, device), w.in_c >= 8 ? 4 : 1}};
}

std::vector<UsualKnob> knobs4(const Workload& w, const Device& device) {
  const bool few_registers = sees_eight_registers(device.target);
  int oc = few_registers ? 2 : 4, best = 1;
  while (pads(w, oc)) --oc;
  const std::vector<int> steps = steps4(w, device);
  const int longest = usual_loads(device) == "spread" ? 16
                      : can_smlad(device)             ? 8
                      : few_registers                 ? 2
                                                      : 4;
  for (const int step : steps)
    if (step <= longest) best = step;
  return {{"rows", rows_of_squares(w), usual_rows(w, device)},
          {"tiles", up_to(4), usual_tiles4(w)},
          {"oc", kChannels, oc},
          {"step", steps, best}};
}

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

WinogradPlan::WinogradPlan(const Workload& w, const Schedule& s)
    : square(s.template_name() == kWinograd4Name ? 4 : 2),
      points(winograd_side(square) * winograd_side(square)),
      rows(square == 4 ? s.get_int("rows") : 0),
      tiles(s.get_int("tiles")),
      oc(s.get_int("oc")),
      step(s.get_int("step")),
      smlad(s.get("multiply") == "smlad"),
      by_words(smlad && (square == 4 || w.in_c % 4 == 0)),
      strips(w, square, tiles, square == 4 ? channels_together() : 1),
      loads(in_assembly() ? load_order(s.get("loads")) : LoadOrder::kGrouped),
      together(rows == 0 ? 1 : rows * strips.strips),
      terms(up((strips.pixel_bytes + channels_a_term() - 1) / channels_a_term(), step)) {
  // 2x2: [term][point][square]; 4x4: [point][term][square].
  const int64_t squares = int64_t{tiles} * element_bytes();
  term_bytes = square == 4 ? squares : points * squares;
  point_bytes = square == 4 ? terms * squares : squares;
  strip_bytes = up(points * terms * squares, 4);
  transformed_bytes = strip_bytes * together;
  shared_bytes = std::max(int64_t{4} * points * tiles * oc, strips.patch_bytes);
  if (square == 4)
    column_bytes = int64_t{4} * (square * tiles + 2) * winograd_side(square) * parts();
}

SmladPoints WinogradPlan::smlad_points() const {
  return {{WeightForm::kPairs, oc, tiles}, points, terms, step, loads};
}

int64_t WinogradPlan::weight_bytes() const {
  return in_assembly() ? smlad_points().weight_bytes() : points * terms * oc * element_bytes();
}

bool WinogradPlan::legal(const Workload& w) const {
  if (square * tiles > w.out_w || pads(w, oc)) return false;
  if (in_assembly()) return smlad_points().fits();
  // What LLVM writes: sums a tile, products of an unrolled step.
  const int sums = tiles * oc, most = square == 4 ? 16 : smlad ? 12 : 20;
  return sums <= most && step * sums <= (square == 4 ? 128 : 256);
}

KnobTable winograd_knobs(const Workload& w, const Device& device, int square) {
  const bool smlad = can_smlad(device);
  KnobTable table = square == 2 ? KnobTable{kWinograd2Name, 1, knobs2(w, device)}
                                : KnobTable{kWinograd4Name, 1, knobs4(w, device)};
  table.knobs.emplace_back(Knob{"multiply", {smlad ? "smlad" : "scalar"}});
  table.knobs.emplace_back(scheduler_knob(device), usual_scheduler(device));
  if (square == 4 && smlad) table.knobs.emplace_back(loads_knob(), usual_loads(device));
  return table;
}

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
  build.channel_tiles(w, plan.oc, plan.weight_bytes());
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
  nest.macs_per_step = 9.0 * outputs / plan.points;
  nest.multiplies_per_mac = 1 / nest.macs_per_step / plan.channels_a_term();
  nest.outputs = outputs * squares * w.out_c;
  nest.prologue_bytes = squares * plan.points * (2 * w.in_c + int64_t{4} * w.out_c);
  nest.switches.emplace_back("winograd", 1.0);
  return nest;
}

}  // namespace tinytune
