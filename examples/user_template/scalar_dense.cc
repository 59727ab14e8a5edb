// An operator template that lives outside tinytune: a dense layer, one output channel at a time.
//
// It is the simplest kernel that can be tuned and deployed, and shows everything a template is: a
// space of legal schedules, a description for the cost model, constants packed as the kernel wants
// them, and the kernel itself, written as LLVM assembly. What it computes is never taken on trust:
// every candidate that the tuner measures is compared with the reference operator, byte by byte.
#include "schedules/requantise.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/pixel_tiles.h"
#include "templates/requantise_stage.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr const char* kName = "scalar_dense";
constexpr int kVersion = 1;     // raised when a knob's meaning changes: older records then rest
constexpr int kParamWords = 3;  // of a channel: bias, multiplier, offset or shift

// Which workloads it takes. The rest goes to other templates.
bool supports(const Workload& w, const Device&) { return tiles_fit(w) && w.op == OpKind::kDense; }

// What can be chosen: how far the loop over inputs is unrolled, and LLVM's instruction scheduler.
ConfigSpace space(const Workload& w, const Device&) {
  ConfigSpace result;
  result.add({kName, kVersion, {int_knob("unroll", {1, 2, 4, 8, 16}), scheduler_knob()}},
             [&](const Schedule& s) { return w.in_c % s.get_int("unroll") == 0; });
  return result;
}

// A member of the space, decent without tuning.
Schedule default_schedule(const Workload& w, const Device&) {
  return Schedule(kName, kVersion, {{"unroll", w.in_c % 4 == 0 ? "4" : "1"}, {"sched", "source"}});
}

// The loops as data, outermost first, with the bytes that each array's address moves per step:
// thousands of schedules are ranked by it without building one.
LoopNest describe(const Workload& w, const Schedule& s) {
  const int unroll = s.get_int("unroll");
  NestBuilder build(1, 1, 4 * kParamWords);
  build.loop("oc", w.out_c, Loop::Kind::kSerial, false, 0, w.in_c, 1, 4 * kParamWords);
  build.loop("reduction", w.in_c / unroll, Loop::Kind::kSerial, true, unroll, unroll, 0, 0);
  build.loop("ku", unroll, Loop::Kind::kUnrolled, true, 1, 1, 0, 0);
  LoopNest nest = build.finish(s);
  nest.macs = w.macs();
  nest.outputs = w.out_c;
  nest.unrolled_body = unroll;
  return nest;
}

// One layer's constants, in the order the kernel reads them. The input's zero point is folded into
// the bias. An error (requantisation not provable for these weights) falls back to another kernel.
Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule&) {
  TT_TRY_ASSIGN(const RequantiseWords words, requantise_words(w, data));
  std::vector<int32_t> params;
  for (int c = 0; c < w.out_c; ++c) {
    const auto at = static_cast<size_t>(c);
    params.insert(params.end(), {folded_bias(w, data, c), words.multiplier[at], words.last[at]});
  }
  params.insert(params.end(), words.shared.begin(), words.shared.end());
  return std::vector<PackedConstant>{bytes_constant("weights", data.weights),
                                     words_constant("params", params)};
}

int64_t scratch_bytes(const Workload&, const Schedule&) { return 0; }

Lowered lower(const Workload& w, const Schedule& s, const Halide::Target&,
              const std::string& symbol) {
  const int unroll = s.get_int("unroll");
  PixelTiles tiles(w, 1, "none");  // for its requantisation
  IrText& ir = tiles.ir();
  const Value end = ir.at(IrText::argument("params"), int64_t{4} * kParamWords * w.out_c);
  // for every channel: weights, params and output move on
  ir.do_while({IrText::argument("weights"), IrText::argument("params"), IrText::argument("output")},
              [&](const Values& v) {
                const Value stop = ir.at(v[0], w.in_c);
                // for all inputs: weights, input, sum
                const Values sum = ir.do_while(
                    {v[0], IrText::argument("input"), ir.load_word(v[1])}, [&](const Values& r) {
                      Value acc = r[2];
                      for (int u = 0; u < unroll; ++u)
                        acc = ir.add(acc, ir.mul(ir.load_byte(ir.at(r[1], u), true),
                                                 ir.load_byte(ir.at(r[0], u), true)));
                      const Value next = ir.at(r[0], unroll);
                      return Values{next, ir.at(r[1], unroll), acc, ir.differs(next, stop)};
                    });
                const Value result = tiles.requantise(sum[2], ir.load_word(ir.at(v[1], 4)),
                                                      ir.load_word(ir.at(v[1], 8)), end);
                ir.store_byte(result, v[2]);
                const Value params = ir.at(v[1], 4 * kParamWords);
                return Values{sum[0], params, ir.at(v[2], 1), ir.differs(params, end)};
              });
  return {nullptr, ir.function(symbol, {"input", "weights", "params", "output"})};
}

}  // namespace

// The row: CMakeLists.txt names it.
extern const KernelTemplate kScalarDense;
const KernelTemplate kScalarDense = {
    kName,    kVersion, {"weights", "params"}, supports, space, default_schedule,
    describe, pack,     scratch_bytes,         lower};

}  // namespace tinytune
