// Lane-packed dense layers: two output channels in one word of weights, (w1 << 16) + w0.
//
// The proof and the groups are those of lane_groups.h. A dense layer has one pixel and no reuse of
// weights, so here the weights carry the lanes: a step loads one input and a word per pair of
// channels and adds two products per multiplication. Flash doubles (16 bits a weight).

#include <algorithm>

#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/lanes/lane_groups.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kStartWords = 2;  // of a pair: what the high lane starts from, and the sum
constexpr int kPairWords = 8;   // those, the requantisation of both, and room
constexpr int kLongestGroup = 255;

struct Plan {
  int pairs, step;  // pairs of channels a tile, products between tests of the loop

  explicit Plan(const Schedule& s) : pairs(s.get_int("pairs")), step(s.get_int("step")) {}
};

bool supports(const Workload& w, const Device& device) {
  return w.op == OpKind::kDense && w.batch == 1 && w.out_c % 2 == 0 && w.facts.lane_group >= 2 &&
         w.facts.requantise != Requantise::kLong &&
         !device.target.can(Capability::kDsp);  // SMLAD does better there
}

bool legal(const Workload& w, const Plan& plan) {
  return w.out_c % (2 * plan.pairs) == 0 && w.in_c % plan.step == 0 &&
         plan.step <= w.facts.lane_group && plan.pairs * plan.step <= 64;
}

ConfigSpace space(const Workload& w, const Device& device) {
  ConfigSpace::Family family{"lanes_dense",
                             1,
                             {int_knob("pairs", {1, 2, 3, 4, 5, 6, 8}),
                              int_knob("step", {1, 2, 4, 8}), scheduler_knob(device)}};
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return legal(w, Plan(s)); });
  return result;
}

Schedule default_schedule(const Workload& w, const Device& device) {
  Schedule best;
  for (const char* pairs : {"1", "2", "4"})
    for (const char* step : {"1", "2", "4"}) {
      const Schedule s(
          "lanes_dense", 1,
          {{"pairs", pairs}, {"step", step}, {kSchedulerKnob, usual_scheduler(device)}});
      if (legal(w, Plan(s))) best = s;
    }
  return best;
}

int64_t scratch_bytes(const Workload&, const Schedule&) { return 0; }

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(schedule);
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  std::vector<int32_t> weights;
  std::vector<int8_t> groups;
  const int longest = kLongestGroup / plan.step * plan.step;
  for (int first = 0; first < w.out_c; first += 2 * plan.pairs) {
    const auto tile = weights_of_tile(w, data, first, 2 * plan.pairs);
    TT_TRY_ASSIGN(const auto lengths, lane_groups(tile, {plan.step, plan.step, longest}));
    for (int length : lengths) groups.push_back(static_cast<int8_t>(length));
    groups.push_back(0);
    for (size_t k = 0; k < tile[0].size(); ++k)
      for (size_t c = 0; c < tile.size(); c += 2)
        weights.push_back(
            static_cast<int32_t>((static_cast<uint32_t>(int32_t{tile[c + 1][k]}) << 16) +
                                 static_cast<uint32_t>(int32_t{tile[c][k]})));
    for (int c = first; c < first + 2 * plan.pairs; c += 2) {
      const PairStart start(folded_bias(w, data, c), folded_bias(w, data, c + 1), lengths.size());
      params.add({start.high, start.sum});
      params.add_scaling(c);
      params.add_scaling(c + 1);
      if (scaling_words(w.facts.requantise) == 2) params.add({0, 0});
    }
  }
  return std::vector<PackedConstant>{words_constant("weights", weights),
                                     bytes_constant("groups", groups), params.finish()};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(schedule);
  using Kind = Loop::Kind;
  const int64_t tile_bytes = int64_t{4} * plan.pairs;
  NestBuilder build(1, 4, 16);
  build.loop({.name = "oc_outer",
              .extent = w.out_c / (2 * plan.pairs),
              .strides = {.weights = tile_bytes * w.in_c,
                          .output = 2 * plan.pairs,
                          .params = 4 * kPairWords * plan.pairs}});
  build.loop({.name = "reduction",
              .extent = w.in_c / plan.step,
              .reduces = true,
              .strides = {.input = plan.step, .weights = tile_bytes * plan.step}});
  build.loop({.name = "ku",
              .extent = plan.step,
              .kind = Kind::kUnrolled,
              .reduces = true,
              .strides = {.input = 1, .weights = tile_bytes}});
  build.loop({.name = "oc",
              .extent = plan.pairs,
              .kind = Kind::kUnrolled,
              .strides = {.weights = 4, .output = 2, .params = 4 * kPairWords}});
  build.loop({.name = "lane", .extent = 2, .kind = Kind::kUnrolled, .strides = {.output = 1}});
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.multiplies_per_mac = 0.5;
  nest.accumulators = 3 * plan.pairs;
  nest.outputs = w.out_c;
  nest.unrolled_body = plan.pairs * plan.step;
  nest.switches.emplace_back("lanes", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w), plan_(plan), channels_(w, ir_, kStartWords) {}

  std::string write(const std::string& symbol) {
    const Value end = params_end();
    ir_.do_while({IrText::argument("weights"), IrText::argument("groups"),
                  IrText::argument("params"), IrText::argument("output")},
                 [&](const Values& v) {
                   Values next = tile(v[0], v[1], v[2], v[3]);
                   next.push_back(ir_.differs(next[2], end));
                   return next;
                 });
    return ir_.function(symbol, {"input", "weights", "groups", "params", "output"});
  }

 private:
  Value params_end() {
    return ir_.at(IrText::argument("params"), int64_t{4} * kPairWords * (w_.out_c / 2));
  }

  Values tile(const Value& weights, const Value& groups, const Value& params, const Value& out) {
    const GroupLoop loop{{1, plan_.pairs, plan_.step}, plan_.step, true};
    const auto start = [&](int q, int) { return ir_.at(params, int64_t{4} * kPairWords * q); };
    const auto [sums, highs, end] =
        loop.run({weights, groups, IrText::argument("input")}, start, ir_);
    const Value shared = params_end();
    for (int q = 0; q < plan_.pairs; ++q) {
      const Value &sum = sums[static_cast<size_t>(q)], &high = highs[static_cast<size_t>(q)];
      const Value low = low_lane(sum, high, ir_);
      const int words = scaling_words(w_.facts.requantise);
      for (int lane = 0; lane < 2; ++lane) {
        const Value address = ir_.at(params, 4 * (q * kPairWords + kStartWords + lane * words));
        const ChannelLoop::Scaling scaling = channels_.scaling(address);
        ir_.store_byte(channels_.requantise(lane == 0 ? low : high, scaling, shared),
                       ir_.at(out, 2 * q + lane));
      }
    }
    return {end.weights, ir_.at(end.lengths, 1),
            ir_.at(params, int64_t{4} * kPairWords * plan_.pairs), ir_.at(out, 2 * plan_.pairs)};
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
  ChannelLoop channels_;
};

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target&,
              const std::string& symbol) {
  const Plan plan(schedule);
  return {nullptr, Writer(w, plan).write(symbol)};
}

}  // namespace

extern const KernelTemplate kLanesDense;
const KernelTemplate kLanesDense = {
    .name = "lanes_dense",
    .version = 1,
    .constants = {"weights", "groups", "params"},
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
