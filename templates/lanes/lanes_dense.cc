// Lane-packed dense layers: two output channels in one word of weights, (w1 << 16) + w0.
//
// The proof and the groups are those of lane_groups.h. A dense layer has one pixel and no reuse of
// weights, so here the weights are packed into lanes: a step loads one input and a word per pair of
// channels and adds two products per multiplication. Flash doubles (16 bits a weight).
//
// "lanes_dense" is for any core; LLVM compiles its loops. On RV32 tiles are in one piece of
// assembly (lane_pairs.h): two channels in a word ("pairs_dense"; "sorted_dense", with channels in
// the order of their weights' magnitudes), or four ("quads_dense"), which takes more instructions
// and half the flash. There, groups may have any length (or separate code for each length, which
// takes fewer instructions), and everything that a kernel reads, except inputs, is one stream
// (lane_stream.h), "weights". Channels after the last full tile are a narrower tile with its own
// code.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "schedules/stepped_requantise.h"
#include "templates/channel_params.h"
#include "templates/isa/rv32_ends.h"
#include "templates/kernel_template.h"
#include "templates/lanes/lane_groups.h"
#include "templates/lanes/lane_pairs.h"
#include "templates/lanes/lane_stream.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

enum class Row { kLanes, kPairs, kSorted, kQuads };
constexpr const char* kNames[] = {"lanes_dense", "pairs_dense", "sorted_dense", "quads_dense"};
constexpr const char* name_of(Row row) { return kNames[static_cast<size_t>(row)]; }

// Constants of lanes_dense.
constexpr int kStartWords = 2;  // per pair: PairStart
constexpr int kPairWords = 8;   // PairStart, the requantisation of both channels, padding
constexpr int kLongestGroup = 255;

constexpr int kShortest = 8;  // smallest value of "longest"

struct Plan {
  bool by_llvm;
  int step;  // products between tests of LLVM's loop
  LanePairs tile, rest;
  int tiles;  // number of full tiles

  Plan(const Workload& w, const Schedule& s)
      : by_llvm(s.template_name() == name_of(Row::kLanes)),
        step(by_llvm ? s.get_int("step") : 1),
        tile{.pairs = s.get_int("pairs"),
             .longest = by_llvm ? kLongestGroup / step * step : s.get_int("longest"),
             .in_bytes = s.template_name() == name_of(Row::kQuads),
             .by_layer = !by_llvm && s.get("scale") == "layer",
             .scatters = s.template_name() == name_of(Row::kSorted)},
        rest(tile),
        tiles(w.out_c / 2 / tile.pairs) {
    rest.pairs = w.out_c / 2 % tile.pairs;
  }

  bool legal(const Workload& w) const {
    if (by_llvm)
      return w.out_c % (2 * tile.pairs) == 0 && w.in_c % step == 0 && step <= w.facts.lane_group &&
             tile.pairs * step <= 64;
    constexpr int kPlaces = 1 << 16;
    return lane_pairs_fit(w, tile) && tiles > 0 && (!tile.scatters || w.out_c <= kPlaces) &&
           (tile.longest == kShortest || tile.longest / 2 < w.in_c);
  }
  // Limits code size, because code is copied or cached like weights: at most 1/8 of the packed
  // weights' bytes, 1/4 for the shortest "longest".
  bool is_lean(const Workload& w) const {
    return by_llvm || tile.code_bytes() * (tile.longest == kShortest ? 4 : 8) <=
                          w.weight_bytes() * (tile.in_bytes ? 1 : 2);
  }
};

template <Row row>
bool supports(const Workload& w, const Device& device) {
  if (w.op != OpKind::kDense || w.batch != 1 || w.out_c % (row == Row::kQuads ? 4 : 2) != 0 ||
      w.facts.requantise == Requantise::kLong)
    return false;
  if (row == Row::kLanes)  // SMLAD does better
    return w.facts.lane_group >= 2 && !device.target.can(Capability::kDsp);
  return device.target.family == CoreFamily::kRiscv32 && !device.target.portable_kernels;
}

template <Row row>
KnobTable knobs(const Device& device) {
  if (row == Row::kLanes)
    return {name_of(row),
            1,
            {int_knob("pairs", {1, 2, 3, 4, 5, 6, 8}),
             int_knob("step", {1, 2, 4, 8}),
             {scheduler_knob(device), usual_scheduler(device)}}};
  return {name_of(row),
          1,
          {int_knob("pairs", up_to(6)),
           int_knob("longest",
                    {kShortest, 16, 32, 64, LanePairs::kEachLength[0], LanePairs::kEachLength[1]}),
           Knob{"scale", {"layer", "channel"}}}};
}

template <Row row>
ConfigSpace space(const Workload& w, const Device& device) {
  return knobs<row>(device).template legal_space<Plan>(w);
}

// Chooses the most channels that registers permit, because they share an input.
template <Row row>
Schedule usual(const Workload& w, const Device& device, const char* scale) {
  const KnobTable table = knobs<row>(device);
  Schedule best;
  for (const int pairs : row == Row::kLanes ? std::vector{1, 2, 4} : up_to(6))
    for (const int length : {1, 2, 4}) {
      const Schedule s = table.usual({{"pairs", std::to_string(pairs)},
                                      {"step", std::to_string(length)},
                                      {"longest", std::to_string(kShortest * length)},
                                      {"scale", scale}});
      const Plan plan(w, s);
      if (plan.legal(w) && (best.knobs().empty() || plan.is_lean(w))) best = s;
    }
  return best;
}

// Prefers code for each length if groups may be short. The code of the shorter lengths may be as
// large as the packed weights; is_lean() limits that of the longer ones. Packing refuses it if the
// weights make groups longer (groups_are_short()).
template <Row row>
std::vector<Schedule> usual_schedules(const Workload& w, const Device& device) {
  constexpr int kShortGroup = 4;  // products that the layer's weights allow everywhere
  std::vector<Schedule> all;
  for (const char* scale : {"layer", "channel"}) {
    const Schedule shared = usual<row>(w, device, scale);
    for (const int longest : LanePairs::kEachLength) {
      if (row != Row::kPairs || w.facts.lane_group > kShortGroup) break;
      const Schedule each = knobs<row>(device).usual(
          {{"pairs", shared.get("pairs")}, {"longest", std::to_string(longest)}, {"scale", scale}});
      const Plan plan(w, each);
      const bool is_small = longest == LanePairs::kEachLength[0]
                                ? plan.tile.code_bytes() <= 2 * w.weight_bytes()
                                : plan.is_lean(w);
      if (plan.legal(w) && is_small) all.push_back(each);
    }
    all.push_back(shared);
  }
  return all;
}

template <Row row>
Schedule default_schedule(const Workload& w, const Device& device) {
  return usual_schedules<row>(w, device).front();
}

template <Row row>
std::vector<Schedule> fallback_schedules(const Workload& w, const Device& device) {
  std::vector<Schedule> usual = usual_schedules<row>(w, device);
  usual.erase(usual.begin());
  return usual;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  std::vector<int32_t> weights;
  std::vector<int8_t> groups;
  for (int first = 0; first < w.out_c; first += 2 * plan.tile.pairs) {
    TT_TRY_ASSIGN(const PackedTile tile, pack_tile(w, data, plan.tile, plan.step, first));
    groups.insert(groups.end(), tile.lengths.begin(), tile.lengths.end());
    groups.push_back(0);
    for (const auto& words : tile.products)
      weights.insert(weights.end(), words.begin(), words.end());
    int channel = first;
    for (const PairStart& start : tile.starts) {
      params.add({start.high, start.sum});
      params.add_scaling(channel++);
      params.add_scaling(channel++);
      if (scaling_words(w.facts.requantise) == 2) params.add({0, 0});
    }
  }
  return std::vector<PackedConstant>{words_constant("weights", weights),
                                     bytes_constant("groups", groups), params.finish()};
}

// Packs the constants of the templates in assembly.
Result<std::vector<PackedConstant>> pack_in_assembly(const Workload& w, const LayerData& data,
                                                     const Schedule& schedule) {
  const Plan plan(w, schedule);
  return pack_stream(w, data, plan.tile, plan.rest);
}

std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
  const auto ends = pack_ends(w, data);
  return [&w, &data, packs = ends.has_value(), alike = ends && ends->are_alike(),
          known = std::map<std::pair<int, int>, bool>()](const Schedule& s) mutable {
    if (!packs || (!alike && s.get("scale") != "channel")) return false;
    const LanePairs tile = Plan(w, s).tile;
    if (!tile.each_length()) return true;
    const auto [at, is_new] = known.try_emplace({tile.pairs, tile.longest}, false);
    if (is_new) at->second = groups_are_short(w, data, tile);
    return at->second;
  };
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int pairs = plan.tile.pairs;
  const int64_t pair_bytes = plan.tile.in_bytes ? 2 : 4, product_bytes = pair_bytes * pairs;
  const int64_t end_bytes = plan.tile.by_layer ? 0 : 8 * end_words(w);
  const int64_t param_bytes = plan.by_llvm ? 4 * kPairWords : end_bytes;  // of a pair
  const int64_t tiles = (w.out_c / 2 + pairs - 1) / pairs;
  NestBuilder build(1, static_cast<int>(pair_bytes), plan.by_llvm ? 16 : 4);
  build.loop(
      "oc_outer", tiles,
      {.weights = product_bytes * w.in_c, .output = 2 * pairs, .params = param_bytes * pairs});
  build.loop("reduction", w.in_c / plan.step,
             {.input = plan.step, .weights = product_bytes * plan.step}, build.kReduces);
  if (plan.by_llvm)
    build.loop("ku", plan.step, {.input = 1, .weights = product_bytes}, build.kReducesUnrolled);
  build.loop("oc", pairs, {.weights = pair_bytes, .output = 2, .params = param_bytes},
             build.kUnrolled, build.share(w.out_c / 2, tiles * pairs));
  build.loop("lane", 2, {.output = 1}, build.kUnrolled);
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.multiplies_per_mac = 0.5;
  nest.accumulators = 3 * pairs;
  nest.unrolled_body = int64_t{pairs} * (plan.by_llvm ? plan.step : plan.tile.longest);
  nest.switches.emplace_back("lanes", 1.0);
  if (plan.tile.by_layer) nest.switches.emplace_back("scaled_by_layer", 1.0);
  if (plan.tile.scatters) nest.switches.emplace_back("sorted_channels", 1.0);
  if (plan.tile.in_bytes) nest.switches.emplace_back("weights_in_bytes", 1.0);
  return nest;
}

// Writes lanes_dense.
class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w), plan_(plan), channels_(w, ir_, kStartWords) {}

  std::string write(const std::string& symbol) {
    const Value end = params_end();
    ir_.do_while({argument("weights"), argument("groups"), argument("params"), argument("output")},
                 [&](const Values& v) {
                   Values next = tile(v[0], v[1], v[2], v[3]);
                   next.push_back(ir_.differs(next[2], end));
                   return next;
                 });
    return ir_.function(symbol, {"input", "weights", "groups", "params", "output"});
  }

 private:
  Value params_end() {
    return ir_.at(argument("params"), int64_t{4} * kPairWords * (w_.out_c / 2));
  }

  Values tile(const Value& weights, const Value& groups, const Value& params, const Value& out) {
    const int pairs = plan_.tile.pairs, words = scaling_words(w_.facts.requantise);
    const GroupLoop loop{{1, pairs, plan_.step}, plan_.step, /*weights_in_words=*/true};
    const auto start = [&](int q, int) { return ir_.at(params, int64_t{4} * kPairWords * q); };
    const auto [sums, highs, end] = loop.run({weights, groups, argument("input")}, start, ir_);
    const Value shared = params_end();
    for (int q = 0; q < pairs; ++q) {
      const Value& high = highs[static_cast<size_t>(q)];
      const Value low = low_lane(sums[static_cast<size_t>(q)], high, ir_);
      for (int lane = 0; lane < 2; ++lane) {
        const Value address = ir_.at(params, 4 * (q * kPairWords + kStartWords + lane * words));
        const ChannelLoop::Scaling scaling = channels_.scaling(address);
        ir_.store_byte(channels_.requantise(lane == 0 ? low : high, scaling, shared),
                       ir_.at(out, 2 * q + lane));
      }
    }
    return {end.weights, ir_.at(end.lengths, 1), ir_.at(params, int64_t{4} * kPairWords * pairs),
            ir_.at(out, 2 * pairs)};
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
  ChannelLoop channels_;
};

// Lowers the templates in assembly.
Lowered lower_stream(const Workload& w, const Schedule& schedule, const Device& device,
                     const std::string& symbol) {
  const Plan plan(w, schedule);
  IrText ir;
  const bool skips_low = has_first_sum(w) && !has_min_max(device);
  if (skips_low) fill_output(w, ir);
  const Value levels = argument("weights");
  const int64_t levels_bytes =
      w.facts.requantise == Requantise::kStepped ? sizeof(SteppedLevels) : 0;
  LaneCursors cursors{ir.at(levels, levels_bytes), argument("input"), argument("output")};
  cursors = add_lane_pairs(w, plan.tile, skips_low, cursors, levels, ir);
  if (plan.rest.pairs > 0) add_lane_pairs(w, plan.rest, skips_low, cursors, levels, ir);
  return {nullptr, ir.function(symbol, {"input", "weights", "output"})};
}

template <Row row>
KernelTemplate kernel_template() {
  KernelTemplate all = {.name = name_of(row),
                        .constants = {"weights", "groups", "params"},
                        .supports = supports<row>,
                        .space = space<row>,
                        .default_schedule = default_schedule<row>,
                        .describe = describe,
                        .pack = pack,
                        .lower = lower_as_text<Plan, Writer>};
  if (row == Row::kLanes) return all;
  all.constants = {"weights"};
  all.fallback_schedules = fallback_schedules<row>;
  all.pack = pack_in_assembly;
  all.may_pack = may_pack;
  all.lower = lower_stream;
  return all;
}

}  // namespace

const KernelTemplate kLanesDense = kernel_template<Row::kLanes>();
const KernelTemplate kPairsDense = kernel_template<Row::kPairs>();
const KernelTemplate kSortedDense = kernel_template<Row::kSorted>();
const KernelTemplate kQuadsDense = kernel_template<Row::kQuads>();

}  // namespace tinytune
