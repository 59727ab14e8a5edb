// Dense layers with lanes as wide as whole sums, on RV32: channels share words of weights, as
// pixels share words of inputs in wide_lanes_nhwc.cc (lane_words.h).
//
// Two channels per word (lanes_dense.cc) take 1.5 instructions a product, but the larger the
// weights, the more often their lanes of 16 bits must be emptied: after every fourth product if
// weights use a whole byte, which adds half an instruction. Eight channels in five words take 1.9
// and are never emptied. A dense layer has one pixel and reads each weight once, so its weights are
// packed in advance, and an input serves the whole tile. Every sum must fit its lane; otherwise
// pack() refuses the weights.
//
// The stream "weights" has, tile by tile, the words' start values (middles of lanes, and biases),
// then the words of each product. The fused requantisation multiplies lanes at the top of a word.

#include <map>

#include "schedules/lane_words.h"
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/lanes/lane_products.h"
#include "templates/lanes/lane_scaling.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr const char* kName = "wide_dense";
constexpr int kChannelWords = 2;  // multiplier and offset; after all channels, the right shift

struct Plan {
  int channels, words, step;
  bool by_layer;

  Plan(const Workload&, const Schedule& s)
      : channels(s.get_int("channels")),
        words(s.get_int("words")),
        step(s.get_int("step")),
        by_layer(s.get("scale") == "layer") {}

  // One input is kept, the words of weights pass.
  LaneTile tile() const { return {.channels = 1, .words = words, .step = step}; }
  int bits() const { return LaneWords::bits(channels, words); }
  UnsignedMultiply multiply() const { return {.bits = bits(), .left = 32 - bits()}; }
  int64_t tile_words(const Workload& w) const { return int64_t{words} * (1 + w.in_c); }
  int tiles(const Workload& w) const { return (w.out_c + channels - 1) / channels; }

  bool legal(const Workload& w) const {
    constexpr int64_t kReach = 2048;  // of a load's offset
    return is_lane_layout(channels, words) && channels <= w.out_c && w.in_c % step == 0 &&
           tile().word_bytes() <= kReach && rv32_products().fits(tile());
  }
};

bool supports(const Workload& w, const Device& device) {
  return w.op == OpKind::kDense && w.batch == 1 && w.out_c >= 3 &&
         w.facts.requantise == Requantise::kFused && device.target.family == CoreFamily::kRiscv32 &&
         !device.target.portable_kernels;
}

KnobTable knobs(const Workload& w) {
  std::vector<int> words = up_to(22), channels = up_to(std::min(w.out_c, 40));
  words.erase(words.begin());                              // from 2 on
  channels.erase(channels.begin(), channels.begin() + 2);  // from 3 on
  return {kName,
          1,
          {int_knob("channels", channels), int_knob("words", words), int_knob("step", {1, 2, 4, 8}),
           Knob{"scale", {"layer", "channel"}}}};
}

ConfigSpace space(const Workload& w, const Device&) { return knobs(w).legal_space<Plan>(w); }

// Estimates the layer's instructions.
double cost(const Workload& w, const Plan& plan) {
  constexpr double kOfOutput = 9, kOfTile = 12;
  const double products = 3.0 * plan.words + 1 + 3.0 / plan.step;
  return plan.tiles(w) * (w.in_c * products + plan.words +
                          plan.channels * (kOfOutput + (plan.by_layer ? 0 : 2)) + kOfTile);
}

// Returns the cheapest schedule for each width of a lane and each scale, the narrowest lanes first.
std::vector<Schedule> usual(const Workload& w) {
  std::map<std::pair<int, bool>, std::pair<double, Schedule>> best;  // by bits, then by channel
  const ConfigSpace all = knobs(w).legal_space<Plan>(w);
  for (size_t point = 0; point < all.size(); ++point) {
    Schedule schedule = all.schedule(point);
    const Plan plan(w, schedule);
    const double of_plan = cost(w, plan);
    const auto [at, is_new] = best.try_emplace({plan.bits(), !plan.by_layer}, of_plan, schedule);
    if (!is_new && of_plan < at->second.first) at->second = {of_plan, std::move(schedule)};
  }
  std::vector<Schedule> usual;
  for (auto& [key, candidate] : best) usual.push_back(std::move(candidate.second));
  return usual;
}

Schedule default_schedule(const Workload& w, const Device&) { return usual(w).front(); }

std::vector<Schedule> fallback_schedules(const Workload& w, const Device&) {
  std::vector<Schedule> all = usual(w);
  all.erase(all.begin());
  return all;
}

// Finds the requantisation of lanes, which hold a sum plus the middle.
Result<FusedRequantise> scaling(const Workload& w, const LayerData& data, const Plan& plan) {
  const std::vector<int64_t> origin(static_cast<size_t>(w.out_c), middle_of_lane(plan.bits()));
  TT_TRY(sums_fit_lanes(w, data, plan.bits(), origin));
  TT_TRY_ASSIGN(FusedRequantise fused, fuse_lanes(w, data, plan.multiply(), origin));
  const auto are_alike = [](const std::vector<int32_t>& words) {
    return std::equal(words.begin() + 1, words.end(), words.begin());
  };
  if (plan.by_layer && !(are_alike(fused.multiplier) && are_alike(fused.offset)))
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  return fused;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  TT_TRY_ASSIGN(const FusedRequantise fused, scaling(w, data, plan));
  // Words as numbers modulo 2^32, for LaneWords.
  struct Numbers {
    uint32_t add(uint32_t a, uint32_t b) const { return a + b; }
    uint32_t shift_left(uint32_t a, int by) const { return a << by; }
  } numbers;
  const LaneWords lanes(plan.channels, plan.words);
  std::vector<int32_t> stream;
  for (int t = 0; t < plan.tiles(w); ++t) {
    const int first = std::min(t * plan.channels, w.out_c - plan.channels);
    const auto tile = weights_of_tile(w, data, first, plan.channels);
    const auto add_words = [&](const auto& lane) {
      for (int i = 0; i < plan.words; ++i)
        stream.push_back(static_cast<int32_t>(lanes.pack(i, lane, numbers)));
    };
    add_words([&](int c) {
      return static_cast<uint32_t>(folded_bias(w, data, first + c)) + middle_of_lane(plan.bits());
    });
    for (size_t k = 0; k < static_cast<size_t>(w.in_c); ++k)
      add_words([&](int c) { return static_cast<uint32_t>(tile[static_cast<size_t>(c)][k]); });
  }
  std::vector<int32_t> params;
  for (size_t c = 0; c < (plan.by_layer ? 1 : fused.offset.size()); ++c)
    params.insert(params.end(), {fused.multiplier[c], fused.offset[c]});
  params.push_back(fused.right);
  return std::vector<PackedConstant>{words_constant("weights", stream),
                                     words_constant("params", params)};
}

std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
  return [&w, &data, known = std::map<std::pair<int, bool>, bool>()](const Schedule& s) mutable {
    const Plan plan(w, s);
    const auto [at, is_new] = known.try_emplace({plan.bits(), plan.by_layer}, false);
    if (is_new) at->second = bool{scaling(w, data, plan)};
    return at->second;
  };
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t product_bytes = int64_t{4} * plan.words;
  const int64_t param_bytes = plan.by_layer ? 0 : 4 * kChannelWords;
  NestBuilder build(1, 4, 4);
  build.loop("oc_outer", plan.tiles(w),
             {.weights = 4 * plan.tile_words(w),
              .output = plan.channels,
              .params = param_bytes * plan.channels});
  build.loop("reduction", w.in_c / plan.step,
             {.input = plan.step, .weights = product_bytes * plan.step}, build.kReduces);
  build.loop("ku", plan.step, {.input = 1, .weights = product_bytes}, build.kReducesUnrolled);
  build.loop("word", plan.words, {.weights = 4, .output = 1, .params = param_bytes},
             build.kUnrolled);
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.macs_per_step = static_cast<double>(plan.channels) / plan.words;
  nest.multiplies_per_mac = 1 / nest.macs_per_step;
  nest.outputs = int64_t{plan.tiles(w)} * plan.channels;
  nest.accumulators = plan.words;
  nest.unrolled_body = int64_t{plan.words} * plan.step;
  nest.switches.emplace_back("lanes", 1.0);
  if (plan.by_layer) nest.switches.emplace_back("scaled_by_layer", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        lanes_(plan.channels, plan.words),
        low_(ir_.opaque(w.activation_min)),
        high_(ir_.opaque(w.activation_max)) {}

  std::string write(const std::string& symbol) {
    const int last = w_.out_c - plan_.channels;
    const Value end = ir_.at(argument("weights"), 4 * plan_.tile_words(w_) * plan_.tiles(w_));
    const int64_t shared = plan_.by_layer ? 1 : w_.out_c;
    right_ = ir_.load_word(ir_.at(argument("params"), 4 * kChannelWords * shared));
    if (plan_.by_layer) load_scale(argument("params"));
    ir_.do_while({argument("weights"), 0}, [&](const Values& v) {
      tile(v[0], v[1]);
      const Value next = ir_.at(v[0], 4 * plan_.tile_words(w_));
      Value channel = ir_.add(v[1], plan_.channels);
      if (w_.out_c % plan_.channels != 0) channel = ir_.clamp(channel, 0, last);
      return Values{next, channel, ir_.differs(next, end)};
    });
    return ir_.function(symbol, {"input", "weights", "params", "output"});
  }

 private:
  void load_scale(const Value& at) {
    multiplier_ = ir_.load_word(at);
    offset_ = ir_.load_word(ir_.at(at, 4));
  }

  void tile(const Value& weights, const Value& first) {
    Values starts;
    for (int i = 0; i < plan_.words; ++i) starts.push_back(ir_.load_word(ir_.at(weights, 4 * i)));
    const Value input = argument("input");
    const Values words =
        add_lane_products(plan_.tile(), LaneLoop::kRv32, input, ir_.at(input, w_.in_c),
                          ir_.at(weights, 4 * plan_.words), starts, ir_);
    const Value output = ir_.at(argument("output"), first);
    const Value params = ir_.at(argument("params"), first, 4 * kChannelWords);
    lanes_.unpack(words, LaneWords::End::kTop, ir_, [&](int channel, const Value& sum) {
      if (!plan_.by_layer) load_scale(ir_.at(params, 4 * kChannelWords * channel));
      const Value scaled = ir_.add(ir_.multiply_high_unsigned(multiplier_, sum), offset_);
      ir_.store_byte(ir_.clamp(ir_.shift_right(scaled, right_), low_, high_),
                     ir_.at(output, channel));
    });
  }

  const Workload& w_;
  const Plan& plan_;
  const LaneWords lanes_;
  IrText ir_;
  const Value low_, high_;
  Value right_, multiplier_, offset_;
};

}  // namespace

const KernelTemplate kWideDense = {.name = kName,
                                   .supports = supports,
                                   .space = space,
                                   .default_schedule = default_schedule,
                                   .fallback_schedules = fallback_schedules,
                                   .describe = describe,
                                   .pack = pack,
                                   .may_pack = may_pack,
                                   .lower = lower_as_text<Plan, Writer>};

}  // namespace tinytune
