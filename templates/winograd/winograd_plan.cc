#include "templates/winograd/winograd_plan.h"

#include <algorithm>
#include <array>

#include "base/little_endian.h"
#include "schedules/requantise.h"
#include "templates/channel_params.h"
#include "templates/nest_builder.h"
#include "templates/switches.h"
#include "templates/winograd/winograd_ends.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {
namespace {

int64_t up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

const std::vector<int> kChannels = {1, 2, 3, 4, 5, 6, 8};  // of a block

bool can_smlad(const Device& device) { return device.target.can(Capability::kDsp); }

// Returns whether padding exceeds 1/8 of the channels.
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

// Returns the rows of squares that may be computed together: divisors of all rows, the most first,
// since of equally near schedules the first is taken.
std::vector<int> rows_of_squares(const Workload& w) {
  std::vector<int> all = divisors((w.out_h + 3) / 4, 8);
  all.insert(all.begin(), 0);
  return {all.rbegin(), all.rend()};
}

bool has_many_registers(const Device& device) {
  return device.target.family == CoreFamily::kRiscv32 && !device.target.portable_kernels;
}

// Returns as many squares as registers permit with four channels.
int usual_tiles4(const Workload& w, const Device& device) {
  if (has_many_registers(device) && w.out_w >= 16) return 4;
  return w.out_w >= 8 ? 2 : 1;
}

// Returns the numbers of input channels whose weights may be transformed at a time: all of them, or
// equal parts.
std::vector<int> stages_of(const Workload& w) {
  std::vector<int> all = {w.in_c};
  for (const int parts : {2, 4, 8})
    if (w.in_c % parts == 0 && w.in_c / parts >= 4) all.push_back(w.in_c / parts);
  return all;
}

// Returns as many as keep a block's transformed weights smaller than the transformed inputs.
int usual_stage(const Workload& w) {
  constexpr int kMost = 16;
  const std::vector<int> all = stages_of(w);
  const auto few = std::find_if(all.begin(), all.end(), [](int some) { return some <= kMost; });
  return few == all.end() ? all.back() : *few;
}

// If weights are behind a cache, returns the most rows whose transformed inputs take at most
// kMostBytes. With SMLAD that is counted for a strip more: on an STM32F7, two rows of 64 channels
// in place of one take 2 % more cycles.
int usual_rows(const Workload& w, const Device& device) {
  constexpr int64_t kMostBytes = 24 * 1024;
  if (device.memory(device.rodata_memory).read_cache.empty()) return 0;
  const int64_t tiles = usual_tiles4(w, device), points = 36, in_row = (w.out_w + 3) / 4;
  const int64_t squares =
      has_many_registers(device) ? (in_row + tiles - 1) / tiles * tiles : in_row + tiles - 1;
  for (const int rows : rows_of_squares(w))
    if (rows * squares * points * 2 * w.in_c <= kMostBytes) return rows;
  return 0;
}

// Returns the most channels of a block, at most `wanted`, whose last block is not mostly padding.
int without_padding(const Workload& w, int wanted) {
  while (pads(w, wanted)) --wanted;
  return wanted;
}

// Chooses `wanted` channels a block. If its last block would be mostly padding, five if registers
// have room for the sums of so many, else fewer.
int usual_channels2(const Workload& w, int wanted, int tiles) {
  constexpr int kMore = 5, kMostSums = 16;
  if (pads(w, wanted) && kMore * tiles <= kMostSums && !pads(w, kMore)) return kMore;
  return without_padding(w, wanted);
}

std::vector<UsualKnob> knobs2(const Workload& w, const Device& device) {
  const int wanted = can_smlad(device) ? 2 : 4;
  const int tiles = std::min(wanted, w.out_w / 2);
  const int channels =
      can_smlad(device) ? (w.out_c % wanted == 0 ? wanted : 1) : usual_channels2(w, wanted, tiles);
  return {{"tiles", up_to(6), tiles},
          {"oc", kChannels, channels},
          {"step", steps2(w, device), w.in_c >= 8 ? 4 : 1}};
}

std::vector<UsualKnob> knobs4(const Workload& w, const Device& device) {
  const bool few_registers = sees_eight_registers(device.target);
  const int oc = without_padding(w, few_registers ? 2 : 4);
  int best = 1;
  const std::vector<int> steps = steps4(w, device);
  const int longest = usual_loads(device) == "spread" || has_many_registers(device) ? 16
                      : can_smlad(device)                                           ? 8
                      : few_registers                                               ? 2
                                                                                    : 4;
  for (const int step : steps)
    if (step <= longest) best = step;
  return {{"rows", rows_of_squares(w), usual_rows(w, device)},
          {"tiles", up_to(4), usual_tiles4(w, device)},
          {"oc", kChannels, oc},
          {"step", steps, best}};
}

// The 4x4 transform of a patch of ones is zero except at the point of the second row and column.
constexpr size_t kPointOfOnes = winograd_side(4) + 1;
constexpr int kOnes = 36;

// One output channel's transformed weights, [input channel][point], zero beyond the last one.
using Channel = std::vector<std::vector<int>>;

Channel channel_of(const Workload& w, const LayerData& data, const WinogradPlan& plan, int c) {
  // An upper bound of what plan.channel() returns.
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

// [block][input channel][channel of the block][tap], zero beyond the last channel.
std::vector<uint8_t> taps_of(const Workload& w, const LayerData& data, const WinogradPlan& plan) {
  std::vector<uint8_t> bytes;
  for (int first = 0; first < w.out_c; first += plan.oc) {
    std::vector<std::vector<int8_t>> block(static_cast<size_t>(plan.oc));
    for (int c = first; c < first + plan.oc; ++c)
      block[static_cast<size_t>(c - first)] =
          c < w.out_c ? channel_weights(w, data, c)
                      : std::vector<int8_t>(static_cast<size_t>(kWinogradTaps * w.in_c));
    for (int i = 0; i < w.in_c; ++i)
      for (const std::vector<int8_t>& taps : block)
        for (int tap = 0; tap < kWinogradTaps; ++tap)
          bytes.push_back(static_cast<uint8_t>(taps[static_cast<size_t>(tap * w.in_c + i)]));
  }
  return bytes;
}

// Returns the start value of sums that cancels the offsets of two channels in a word.
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

// Estimates the instructions of a kernel that transforms its weights, without those that all
// schedules have in common. Only for ranking: kernels that may be chosen are counted.
int64_t cycles_of_bytes(const Workload& w, const WinogradPlan& plan) {
  constexpr int64_t kOfWeights = 165, kOfPoint = 8, kOfRow = 26, kOfPixel = 20;
  const int64_t strips = int64_t{plan.strips.rows} * plan.strips.strips;
  const int64_t blocks = (w.out_c + plan.oc - 1) / plan.oc, sums = int64_t{plan.tiles} * plan.oc;
  const int64_t turns = plan.staged / plan.step;
  const int64_t of_stage =
      kOfPoint + 2 * sums + turns * (4 + plan.step * (plan.tiles + plan.oc + 2 * sums));
  const int64_t products = strips * blocks * plan.points * plan.stages() * of_stage;
  const int64_t weights = strips / plan.together * blocks * plan.oc * w.in_c * kOfWeights;
  const int64_t columns = 4 * plan.tiles + 2, rows = int64_t{6} * plan.tiles;
  const int64_t inputs =
      strips * (w.in_c * (columns + rows) * kOfRow + 6 * columns * (kOfPixel + w.in_c));
  return products + weights + inputs;
}

}  // namespace

WinogradPlan::WinogradPlan(const Workload& w, const Schedule& s)
    : square(s.template_name() == kWinograd2Name ? 2 : 4),
      points(winograd_side(square) * winograd_side(square)),
      from_bytes(s.template_name() == kWinograd4BytesName),
      rows(square == 4 ? s.get_int("rows") : 0),
      tiles(s.get_int("tiles")),
      oc(s.get_int("oc")),
      step(s.get_int("step")),
      smlad(s.get("multiply") == "smlad"),
      by_words(smlad && (square == 4 || w.in_c % 4 == 0)),
      strips(w, square, tiles, square == 4 ? channels_together() : 1),
      loads(in_assembly() ? load_order(s.get("loads")) : LoadOrder::kGrouped),
      together(rows == 0 ? 1 : rows * strips.strips),
      terms(up((strips.pixel_bytes + channels_a_term() - 1) / channels_a_term(), step)),
      staged(from_bytes ? s.get_int("staged") : terms),
      sum_bytes(int64_t{4} * points * tiles * oc) {
  // 2x2: [term][point][square]; 4x4: [point][term][square].
  const int64_t squares = int64_t{tiles} * element_bytes();
  term_bytes = square == 4 ? squares : points * squares;
  point_bytes = square == 4 ? terms * squares : squares;
  strip_bytes = up(points * terms * squares, 4);
  transformed_bytes = strip_bytes * together;
  shared_bytes = std::max(all_sum_bytes() + (from_bytes ? staged_bytes() : 0), strips.patch_bytes);
  if (square == 4)
    column_bytes = int64_t{4} * (square * tiles + 2) * winograd_side(square) * parts();
}

SmladPoints WinogradPlan::smlad_points() const {
  return {{WeightForm::kPairs, oc, tiles}, points, terms, step, loads};
}

int64_t WinogradPlan::weight_bytes() const {
  if (from_bytes) return kWinogradTaps * terms * oc;
  return in_assembly() ? smlad_points().weight_bytes() : points * terms * oc * element_bytes();
}

bool WinogradPlan::legal(const Workload& w) const {
  if (square * tiles > w.out_w || pads(w, oc)) return false;
  if (in_assembly()) return smlad_points().fits();
  if (from_bytes && (terms % staged != 0 || staged % step != 0)) return false;
  // Limits of code by LLVM: sums per tile, products per unrolled step.
  const int sums = tiles * oc, most = square == 4 ? 16 : smlad ? 12 : 20;
  return sums <= most && step * sums <= 256;
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

KnobTable winograd_bytes_knobs(const Workload& w, const Device& device) {
  const KnobTable table = winograd_knobs(w, device, 4);
  KnobTable of_bytes{kWinograd4BytesName, 1, {}};
  for (UsualKnob knob : table.knobs) {
    const bool is_channels = knob.name == "oc";
    if (is_channels) std::erase_if(knob.values, [](const auto& oc) { return std::stoi(oc) > 4; });
    of_bytes.knobs.push_back(std::move(knob));
    if (is_channels) of_bytes.knobs.emplace_back("staged", stages_of(w), usual_stage(w));
  }
  return of_bytes;
}

std::vector<Schedule> winograd_bytes_fallbacks(const Workload& w, const Device& device) {
  struct Point {
    int64_t cycles, bytes;
    Schedule schedule;
  };
  const KnobTable table = winograd_bytes_knobs(w, device);
  const int64_t usual = WinogradPlan(w, table.usual()).scratch_bytes(w);
  const auto values = [&](const char* name) {
    return std::find_if(table.knobs.begin(), table.knobs.end(),
                        [&](const UsualKnob& knob) { return knob.name == name; })
        ->values;
  };
  std::vector<Point> points;
  for (const std::string& rows : values("rows"))
    for (const std::string& tiles : values("tiles"))
      for (const std::string& oc : values("oc"))
        for (const std::string& staged : values("staged")) {
          Schedule schedule =
              table.usual({{"rows", rows}, {"tiles", tiles}, {"oc", oc}, {"staged", staged}});
          const WinogradPlan plan(w, schedule);
          if (plan.legal(w) && plan.scratch_bytes(w) < usual)
            points.push_back({cycles_of_bytes(w, plan), plan.scratch_bytes(w), schedule});
        }
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.cycles < b.cycles; });
  std::vector<Schedule> fallbacks;
  int64_t next = usual;
  for (Point& point : points) {
    if (point.bytes > next) continue;
    next = point.bytes - point.bytes / 8;
    fallbacks.push_back(std::move(point.schedule));
  }
  return fallbacks;
}

Result<std::vector<PackedConstant>> winograd_pack(const Workload& w, const LayerData& data,
                                                  const Schedule& schedule) {
  const WinogradPlan plan(w, schedule);
  TT_TRY_ASSIGN(PackedConstant params, pack_winograd_ends(w, data, plan));
  if (plan.from_bytes)
    return std::vector<PackedConstant>{{"weights", 1, taps_of(w, data, plan)}, std::move(params)};
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
  const int64_t groups = plan.strips.rows * plan.strips.strips / plan.together;
  const int64_t block_bytes = plan.from_bytes ? plan.staged_bytes() : plan.weight_bytes();
  NestBuilder build(w, element, element, WinogradEnds(w, plan).start_words(w.facts.requantise));
  if (plan.square == 2) {
    build.loop("rows", plan.strips.rows, {.output = square_bytes * w.out_w});
    build.loop("strips", plan.strips.strips, {.output = strip});
  } else {
    build.loop("groups", groups, {.output = strip * plan.together});
  }
  build.channel_tiles(w, plan.oc, plan.weight_bytes());
  if (plan.stages() > 1)
    build.loop("stages", plan.stages(),
               {.input = plan.staged * plan.term_bytes, .weights = plan.staged_bytes()},
               NestBuilder::kReduces);
  if (plan.square == 4)
    build.loop("strips", plan.together, {.input = plan.strip_bytes, .output = strip});
  build.loop("point", plan.points,
             {.input = plan.point_bytes, .weights = block_bytes / plan.points});
  build.products({.terms = plan.staged,
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
  if (plan.from_bytes)
    nest.prologue_bytes +=
        groups * (w.weight_bytes() + plan.points * int64_t{2} * w.in_c * w.out_c);
  nest.switches.emplace_back("winograd", 1.0);
  return nest;
}

}  // namespace tinytune
