// Lane-packed convolution: two pixels in one word, so that one multiplication computes two
// products, in groups that fit the lanes (lane_groups.h). pack() writes the groups' lengths between
// weights.
//
// The words are staged as staged_lanes.h says. Group lengths are read from data, which Halide's
// loops cannot do; this template writes LLVM assembly instead (doc/adr/0009).

#include <algorithm>

#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/lanes/lane_groups.h"
#include "templates/lanes/staged_lanes.h"
#include "templates/packing.h"
#include "templates/switches.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr int kStartWords = 2;  // per channel: PairStart's `high` and `sum`

struct Plan : StagedLanes {
  int first;  // products before a group's first test

  Plan(const Workload& w, const Schedule& s)
      : StagedLanes{.tile = {s.get_int("oc"), s.get_int("pairs"), s.get_int("step")},
                    .pixels = 2 * s.get_int("pairs"),
                    .padded_reduction =
                        w.reduction() + std::max(s.get_int("first"), s.get_int("step")) - 1,
                    .border = s.get("border")},
        first(s.get_int("first")) {}

  // facts.lane_group holds for groups at multiples of their length. Elsewhere two products fit
  // unless both weights are -128, which pack() refuses.
  bool legal(const Workload& w) const {
    return pixels <= w.out_h * w.out_w && tile.channels * tile.words <= 8 &&
           std::max(first, tile.step) <= std::min<int64_t>(w.facts.lane_group, w.reduction()) &&
           (first == tile.step || first <= 2);
  }
};

bool supports(const Workload& w, const Device& device) {
  const bool has_a_pair = w.out_h * w.out_w >= 2;
  return tiles_fit(w) && w.op == OpKind::kConv2d && w.facts.lane_group >= 2 && has_a_pair &&
         !device.target.can(Capability::kDsp);  // SMLAD does better there
}

KnobTable knobs(const Workload& w, const Device& device) {
  const int two = w.reduction() >= 2 ? 2 : 1;
  return {"lanes_nhwc",
          2,
          {{"oc", divisors(w.out_c, 4), w.out_c % 2 == 0 ? 2 : 1},
           {"pairs", up_to(6), std::clamp(w.out_h * w.out_w / 2, 1, 3)},
           {"first", {1, 2, 4}, two},
           {"step", {1, 2, 4}, two},
           {border_knob(w), usual_border(w)},
           {scheduler_knob(device), usual_scheduler(device)}}};
}

ConfigSpace space(const Workload& w, const Device& device) {
  return knobs(w, device).legal_space<Plan>(w);
}

Schedule default_schedule(const Workload& w, const Device& device) {
  return knobs(w, device).usual();
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int channels = plan.tile.channels;
  TT_TRY_ASSIGN(ChannelParams params, ChannelParams::create(w, data));
  std::vector<int8_t> weights;  // of a tile: (bytes of a group, the group)..., 0
  for (int first = 0; first < w.out_c; first += channels) {
    const auto tile = weights_of_tile(w, data, first, channels);
    // Lengths are stored as bytes, in weights.
    TT_TRY_ASSIGN(const auto lengths,
                  lane_groups(tile, {plan.first, plan.tile.step, 255 / channels}));
    size_t k = 0;
    for (int length : lengths) {
      weights.push_back(static_cast<int8_t>(length * channels));
      for (const size_t end = k + static_cast<size_t>(length); k < end; ++k)
        for (const auto& channel : tile)
          weights.push_back(k < channel.size() ? channel[k] : int8_t{0});
    }
    weights.push_back(0);
    for (int c = first; c < first + channels; ++c) {
      const int32_t bias = folded_bias(w, data, c);
      const PairStart start(bias, bias, lengths.size());
      params.add({start.high, start.sum});
      params.add_scaling(c);
    }
  }
  return std::vector<PackedConstant>{bytes_constant("weights", weights), params.finish()};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  LoopNest nest = plan.describe(w, schedule, kStartWords);
  nest.unrolled_body = nest.accumulators * (plan.first + plan.tile.step);
  nest.accumulators *= 3;
  return nest;
}

class Writer final : public StagedLanesWriter {
 public:
  Writer(const Workload& w, const Plan& plan)
      : StagedLanesWriter(w, plan, kStartWords, shared_words(w.facts.requantise)), plan_(plan) {}

 private:
  // Packs neighbouring pixels two by two, the first one low.
  void stage(const Pixels& pixels) override {
    const int64_t run = inputs_of_run(w_, plan_.border);
    const int64_t word = int64_t{4} * plan_.tile.words;
    const int unroll = run % 4 == 0 ? 4 : run % 2 == 0 ? 2 : 1;
    const Value staged = tiles_.staging_area();
    for (int i = 0; i < plan_.tile.words; ++i) {
      const auto at = static_cast<size_t>(2 * i);
      const Value end = tiles_.for_each_input(
          {pixels[at], pixels[at + 1]}, ir_.at(staged, 4 * i), unroll, word, [&](const Values& p) {
            for (int u = 0; u < unroll; ++u) {
              const Value low = ir_.load_byte(ir_.at(p[0], u), true);
              const Value high = ir_.load_byte(ir_.at(p[1], u), true);
              ir_.store_word(ir_.add(low, ir_.shift_left(high, 16)), ir_.at(p[2], u * word));
            }
          });
      for (int64_t k = 0; k < plan_.padded_reduction - w_.reduction(); ++k)
        ir_.store_word(0, ir_.at(end, k * word));
    }
  }

  Value tile(const Value& weights, const Value& params, const Value& staged,
             const Value& out) override {
    const GroupLoop groups{plan_.tile, plan_.first, /*weights_in_words=*/false};
    const auto start = [&](int, int c) {
      return ir_.at(params, int64_t{c} * channels_.param_bytes());
    };
    const auto computed = groups.run({weights, {}, staged}, start, ir_);
    channels_.store({plan_.tile.channels, plan_.pixels, w_.out_c}, params, out,
                    [&](int pixel, int c) {
                      const auto at = static_cast<size_t>(pixel / 2 * plan_.tile.channels + c);
                      const Value& high = computed.high[at];
                      return pixel % 2 == 0 ? low_lane(computed.sum[at], high, ir_) : high;
                    });
    return ir_.at(computed.end.weights, 1);
  }

  const Plan& plan_;
};

}  // namespace

const KernelTemplate kLanesNhwc = {
    .name = "lanes_nhwc",
    .version = 2,
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_of<Plan>,
    .lower = lower_as_text<Plan, Writer>,
};

}  // namespace tinytune
