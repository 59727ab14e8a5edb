// Depthwise convolution in NHWC, a channel at a time, for cores that have a multiply-high and many
// registers.
//
// A window slides over the image: its weights stay in registers, and so do the inputs that the next
// output reads again, so that an output of a 3x3 layer costs three loads. Weights are scaled in
// advance (schedules/scaled_weights.h): between the last product and the clamp there is one
// multiplication and, for most layers, nothing else.
//
// No tap outside the image is loaded or multiplied, and there is no padded copy: outputs at a
// border have separate code (sliding_code.h). Their sums start with what the missing taps would
// add, the zero point times those weights.
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "schedules/requantise.h"
#include "schedules/scaled_weights.h"
#include "templates/channel_params.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/sliding/sliding_code.h"
#include "templates/switches.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr const char* kName = "sliding_depthwise";
constexpr int kMostTaps = 9;      // whose weights fit registers
constexpr int kMostWritten = 48;  // outputs in straight-line code
constexpr int kShortLine = 12;    // outputs of a line that is written as a whole
constexpr int kSteps[] = {1, 2, 3, 4, 6, 8};
constexpr int kFewestOutputs = 4;  // per channel, to repay its start
// If a shift of 0 is not exact for some channel, one of 8 nearly always is.
constexpr const char* kRightShifts[] = {"0", "8"};

bool supports(const Workload& w, const Device& device) {
  return w.op == OpKind::kDepthwiseConv2d && w.layout == Layout::kNhwc && w.batch == 1 &&
         w.depth_multiplier == 1 && w.dilation_h == 1 && w.dilation_w == 1 &&
         w.kernel_h * w.kernel_w <= kMostTaps && w.out_h * w.out_w >= kFewestOutputs &&
         w.facts.requantise == Requantise::kFused &&
         // Cores with fewer registers would load weights again for every output.
         device.target.family == CoreFamily::kRiscv32 && device.target.can(Capability::kMulHigh);
}

// Returns whether no smaller step cuts a line in the same way: such steps are one schedule.
bool is_least_step(const SlidingPlan& plan) {
  const auto before = std::find(std::begin(kSteps), std::end(kSteps), plan.step);
  return before == std::begin(kSteps) ||
         blocks_along(plan.along, *(before - 1)) != blocks_along(plan.along, plan.step);
}

bool legal(const SlidingPlan& plan) {
  return plan.step <= plan.along.outputs && plan.band <= plan.across.outputs &&
         is_least_step(plan) && (plan.written() <= kMostWritten || plan.step * plan.band == 1);
}

// The usual walk is along the longer side.
KnobTable knobs(const Workload& w, const Device& device) {
  return {kName,
          1,
          {{Knob{"walk", {"rows", "columns"}}, w.out_w >= w.out_h ? "rows" : "columns"},
           int_knob("step", {std::begin(kSteps), std::end(kSteps)}),
           int_knob("band", {1, 2, 3}),
           Knob{"right", {kRightShifts[0], kRightShifts[1]}},
           {Knob{"limits", {"branch", "select"}}, has_min_max(device) ? "select" : "branch"},
           {scheduler_knob(device), written_order(device)}}};
}

ConfigSpace space(const Workload& w, const Device& device) {
  return knobs(w, device).space([&](const Schedule& s) { return legal(SlidingPlan(w, s)); });
}

// Chooses whole lines in straight-line code if they are short, else four outputs a turn; two lines
// at once if the stride exceeds 1, which leaves registers. Computing short lines two at once would
// take 6 % fewer instructions, but twice the code.
Schedule with_right(const Workload& w, const Device& device, const char* right) {
  const KnobTable table = knobs(w, device);
  const auto cut = [&](int step, int band) {
    return table.usual(
        {{"step", std::to_string(step)}, {"band", std::to_string(band)}, {"right", right}});
  };
  const auto permitted = [&](int step, int band) { return legal(SlidingPlan(w, cut(step, band))); };
  const SlidingPlan plan(w, cut(1, 1));
  const auto is_whole = [&](int step) { return blocks_along(plan.along, step).size() == 1; };
  for (const int step : kSteps)
    if (plan.along.outputs <= kShortLine && is_whole(step) && permitted(step, 1))
      return cut(step, 1);
  // The next turn shares two of three columns: three outputs a turn, without branches, move no
  // register.
  for (const int step : {has_min_max(device) ? 3 : 4, 3, 2})
    for (const int band : {plan.along.stride > 1 ? 2 : 1, 1})
      if (permitted(step, band)) return cut(step, band);
  return cut(1, 1);
}

Schedule default_schedule(const Workload& w, const Device& device) {
  return with_right(w, device, kRightShifts[0]);
}

std::vector<Schedule> fallback_schedules(const Workload& w, const Device& device) {
  return {with_right(w, device, kRightShifts[1])};
}

// Runs the proof itself for each shift.
std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
  return may_shift_right(kRightShifts,
                         [&](int right) { return scale_weights(w, data, right).has_value(); });
}

// Packs weights as [channel][kernel row][kernel column].
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const auto scaled = scale_weights(w, data, SlidingPlan(w, schedule).right);
  if (!scaled)
    return Error(ErrorCode::kUnsupported,
                 "no scaled weights are exact for a channel of this layer");
  std::vector<int8_t> weights;
  std::vector<int32_t> params;
  for (int c = 0; c < w.out_c; ++c) {
    const auto channel = channel_weights(w, data, c);
    weights.insert(weights.end(), channel.begin(), channel.end());
    const ScaledChannel& s = (*scaled)[static_cast<size_t>(c)];
    const uint32_t start =
        static_cast<uint32_t>(s.factor) * static_cast<uint32_t>(folded_bias(w, data, c)) +
        static_cast<uint32_t>(s.offset);
    params.insert(params.end(), {static_cast<int32_t>(start), s.multiplier, s.factor});
  }
  return std::vector<PackedConstant>{bytes_constant("weights", weights),
                                     words_constant("params", params)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const SlidingPlan plan(w, schedule);
  const int64_t taps = int64_t{w.kernel_h} * w.kernel_w;
  // For both axes: the loops over turns, over taps, and over outputs of a turn.
  const struct {
    const char *turns, *taps, *outputs;
    const WindowAxis& axis;
    int a_turn;
    bool is_rows;

    int64_t count_turns() const { return (axis.outputs + a_turn - 1) / a_turn; }
  } sides[] = {{"across", "kernel_across", "band", plan.across, plan.band, plan.along_rows},
               {"along", "kernel_along", "step", plan.along, plan.step, !plan.along_rows}};
  NestBuilder build(1, 1, kSlidingParamBytes);
  build.loop("channel", w.out_c,
             {.input = 1, .weights = taps, .output = 1, .params = kSlidingParamBytes});
  for (const auto& side : sides)
    build.loop(side.turns, side.count_turns(),
               {.input = side.axis.input_step * side.axis.stride * side.a_turn,
                .output = side.axis.output_step * side.a_turn});
  for (const auto& side : sides)
    build.loop(side.taps, side.axis.kernel,
               {.input = side.axis.input_step, .weights = side.is_rows ? int64_t{w.kernel_w} : 1},
               build.kReducesUnrolled,
               build.share(side.axis.all_taps(), int64_t{side.axis.outputs} * side.axis.kernel));
  for (const auto& side : sides)
    build.loop(side.outputs, side.a_turn,
               {.input = side.axis.input_step * side.axis.stride, .output = side.axis.output_step},
               build.kUnrolled, build.share(side.axis.outputs, side.count_turns() * side.a_turn));
  build.weight_loads(static_cast<double>(taps));
  build.input_loads(
      build.share(plan.loaded_inputs(), sides[0].count_turns() * sides[1].count_turns()));
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.accumulators = plan.band;
  nest.unrolled_body = plan.written() * taps;
  nest.switches.emplace_back("sliding", 1.0);
  nest.switches.emplace_back("shifted", plan.right > 0 ? 1.0 : 0.0);
  nest.switches.emplace_back("branches", plan.branches ? 1.0 : 0.0);
  return nest;
}

}  // namespace

const KernelTemplate kSlidingDepthwise = {
    .name = kName,
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .fallback_schedules = fallback_schedules,
    .describe = describe,
    .pack = pack,
    .may_pack = may_pack,
    .lower = lower_as_text<SlidingPlan, SlidingWriter>,
};

}  // namespace tinytune
