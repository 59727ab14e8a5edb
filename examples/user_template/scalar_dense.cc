// An operator template that lives outside tinytune: a dense layer, one output channel at a time.
//
// It is the simplest kernel that can be tuned and deployed, and shows everything a template is: a
// space of legal schedules, a description for the cost model, constants packed as the kernel wants
// them, and the kernel itself, written as LLVM assembly. What it computes is never taken on trust:
// every candidate that the tuner measures is compared with the reference operator, byte by byte.
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {
namespace {

constexpr const char* kName = "scalar_dense";
constexpr int kVersion = 1;  // increased when a knob's meaning changes, to ignore older records

// The workloads that it supports; others are left to other templates.
bool supports(const Workload& w, const Device&) { return tiles_fit(w) && w.op == OpKind::kDense; }

// The choices: how far the loop over inputs is unrolled, and LLVM's instruction scheduler.
ConfigSpace space(const Workload& w, const Device& device) {
  ConfigSpace result;
  result.add({kName, kVersion, {int_knob("unroll", {1, 2, 4, 8, 16}), scheduler_knob(device)}},
             [&](const Schedule& s) { return w.in_c % s.get_int("unroll") == 0; });
  return result;
}

// A point of the space that is decent without tuning.
Schedule default_schedule(const Workload& w, const Device& device) {
  return Schedule(
      kName, kVersion,
      {{"unroll", w.in_c % 4 == 0 ? "4" : "1"}, {kSchedulerKnob, usual_scheduler(device)}});
}

// The loops as data, outermost first, with the bytes by which each array's address moves per step:
// the cost model ranks thousands of schedules by it without building one.
LoopNest describe(const Workload& w, const Schedule& s) {
  const int unroll = s.get_int("unroll");
  const int param_bytes = 4 * (1 + scaling_words(w.facts.requantise));  // the bias, then the scale
  NestBuilder build(1, 1, param_bytes);
  build.loop("oc", w.out_c, {.weights = w.in_c, .output = 1, .params = param_bytes});
  build.loop("reduction", w.in_c / unroll, {.input = unroll, .weights = unroll}, build.kReduces);
  build.loop("ku", unroll, {.input = 1, .weights = 1}, build.kReducesUnrolled);
  LoopNest nest = build.finish(s);
  nest.macs = w.macs();
  nest.outputs = w.out_c;
  nest.unrolled_body = unroll;
  return nest;
}

// One layer's constants, in the order in which the kernel reads them. On an error (requantisation
// not provable for these weights) another kernel is used.
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule&) {
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  return std::vector<PackedConstant>{bytes_constant("weights", data.weights), std::move(params)};
}

int64_t scratch_bytes(const Workload&, const Schedule&) { return 0; }

Lowered lower(const Workload& w, const Schedule& s, const Device&,
              const std::string& symbol) {
  const int unroll = s.get_int("unroll");
  IrText ir;
  ChannelLoop channels(w, ir, 1);
  const auto one_channel = [&](const Value& weights, const Value& params, const Value& output) {
    const Value stop = ir.at(weights, w.in_c);
    // for all inputs: weights, input, sum
    const Values sum =
        ir.do_while({weights, argument("input"), ir.load_word(params)}, [&](const Values& r) {
          Value acc = r[2];
          for (int u = 0; u < unroll; ++u)
            acc = ir.add(acc, ir.mul(ir.load_byte(ir.at(r[1], u), true),
                                     ir.load_byte(ir.at(r[0], u), true)));
          const Value next = ir.at(r[0], unroll);
          return Values{next, ir.at(r[1], unroll), acc, ir.differs(next, stop)};
        });
    channels.store({.channels = 1, .pixels = 1, .pixel_bytes = 0}, params, output,
                   [&](int, int) { return sum[2]; });
    return sum[0];  // the next channel's weights
  };
  channels.run(1, argument("output"), one_channel);
  return {nullptr, ir.function(symbol, {"input", "weights", "params", "output"})};
}

}  // namespace

// The registration; CMakeLists.txt names this row.
extern const KernelTemplate kScalarDense;
const KernelTemplate kScalarDense = {
    .name = kName,
    .version = kVersion,
    .constants = {"weights", "params"},
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
