// Convolution for cores with the Arm DSP extension: SMLAD adds two 16-bit products to a sum.
//
// Inputs are widened to pairs of 16 bits once per tile of pixels (four bytes cost one load and two
// SXTB16) and used by every output channel; weights are widened when they are packed. The inner
// loop is then loads and SMLAD only: a tile of `oc` channels by `px` pixels loads oc + px words for
// 2 * oc * px products.
//
// A dense layer has one pixel, and its weights are most of the network's flash. There the inputs
// can be widened where they are used, which needs no scratch, and so can the weights, which halves
// them.

#include <algorithm>

#include "templates/channel_loop.h"
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/pixel_tiles.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kStartWords = 1;  // of a channel: the bias

// How inputs are widened. Words need every run of inputs to start on a word.
enum class Staging { kWords, kPairs, kHalves };

struct Plan {
  int oc, px, step;  // channels and pixels a tile, pairs between tests of the loop
  std::string border;
  Staging staging;
  bool staged = true;         // else: inputs are widened in the loop (dense)
  bool byte_weights = false;  // weights are widened in the loop (dense)
  int64_t pairs;              // of the reduction, rounded up to steps

  Plan(const Workload& w, const Schedule& s)
      : oc(s.get_int("oc")), px(s.get_int("px")), step(s.get_int("step")), border(s.get("border")) {
    const int64_t run = inputs_of_run(w, border);
    staging = w.in_c % 4 == 0 ? Staging::kWords : run % 2 == 0 ? Staging::kPairs : Staging::kHalves;
    const int64_t all = (w.reduction() + 1) / 2;
    pairs = (all + step - 1) / step * step;
    if (w.op == OpKind::kDense) {
      staged = s.get("inputs") == "staged";
      byte_weights = s.get("weights") == "bytes";
    }
  }

  int64_t weight_bytes() const { return (byte_weights ? 2 : 4) * pairs * oc; }  // of a tile

  // Words of four inputs or weights, whole steps of them.
  bool legal(const Workload& w) const {
    if (px > w.out_h * w.out_w || oc * px > 8 || 2 * step > std::max<int64_t>(2, w.reduction()))
      return false;
    return (staged && !byte_weights) ||
           (staging == Staging::kWords && step % 2 == 0 && w.in_c % (2 * step) == 0);
  }
};

bool supports_conv(const Workload& w, const Device& device) {
  return tiles_fit(w) && w.op == OpKind::kConv2d && device.target.can(Capability::kDsp);
}

bool supports_dense(const Workload& w, const Device& device) {
  return tiles_fit(w) && w.op == OpKind::kDense && device.target.can(Capability::kDsp);
}

// A row of its own for dense layers, which have knobs of their own.
const char* name_for(const Workload& w) {
  return w.op == OpKind::kDense ? "smlad_dense" : "smlad_nhwc";
}

ConfigSpace space(const Workload& w, const Device&) {
  std::vector<int> channels;
  for (int c : {1, 2, 3, 4, 5, 6, 8})
    if (w.out_c % c == 0) channels.push_back(c);
  ConfigSpace::Family family{name_for(w),
                             1,
                             {int_knob("oc", channels), int_knob("px", {1, 2, 3, 4}),
                              int_knob("step", {1, 2, 4, 8}), border_knob(w), scheduler_knob()}};
  if (w.op == OpKind::kDense) {
    family.knobs[2] = int_knob("step", {1, 2, 4, 8, 16});  // of one pixel: smaller bodies
    family.knobs.push_back({"inputs", {"staged", "widened"}});
    family.knobs.push_back({"weights", {"pairs", "bytes"}});
  }
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return Plan(w, s).legal(w); });
  return result;
}

Schedule default_schedule(const Workload& w, const Device&) {
  const bool one_pixel = w.out_h * w.out_w == 1;
  const char* channels = one_pixel && w.out_c % 4 == 0 ? "4" : w.out_c % 2 == 0 ? "2" : "1";
  std::vector<std::pair<std::string, std::string>> knobs = {
      {"oc", channels},
      {"px", one_pixel ? "1" : "2"},
      {"step", w.reduction() >= 8 ? "4" : "1"},
      {"border", usual_border(w)},
      {"sched", "pressure"}};
  if (w.op == OpKind::kDense) {
    const bool in_words = w.in_c % 8 == 0;
    knobs.emplace_back("inputs", in_words ? "widened" : "staged");
    knobs.emplace_back("weights", in_words ? "bytes" : "pairs");
  }
  return Schedule(name_for(w), 1, std::move(knobs));
}

int64_t scratch_bytes(const Workload& w, const Schedule& s) {
  const Plan plan(w, s);
  return plan.staged ? PixelTiles::bytes(w, plan.border) + plan.pairs * plan.px * 4 : 0;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  TT_TRY_ASSIGN(const PackedConstant params, pack_params(w, data));
  std::vector<int32_t> weights;
  for (int first = 0; first < w.out_c; first += plan.oc) {
    auto tile = weights_of_tile(w, data, first, plan.oc);
    for (auto& channel : tile) channel.resize(static_cast<size_t>(2 * plan.pairs + 2), 0);
    for (int64_t k = 0; plan.byte_weights && k < w.in_c; k += 4)
      for (const auto& channel : tile) {
        uint32_t word = 0;
        for (size_t i = 0; i < 4; ++i)
          word |= uint32_t{static_cast<uint8_t>(channel[static_cast<size_t>(k) + i])} << (8 * i);
        weights.push_back(static_cast<int32_t>(word));
      }
    for (int64_t pair = 0; !plan.byte_weights && pair < plan.pairs; ++pair) {
      // SXTB16 takes bytes 0 and 2 of a word, then (rotated) 1 and 3.
      const int64_t low = plan.staging == Staging::kWords ? pair / 2 * 4 + pair % 2 : 2 * pair;
      const int64_t high = plan.staging == Staging::kWords ? low + 2 : low + 1;
      for (const auto& channel : tile) {
        const auto value = [&](int64_t k) {
          return k < w.reduction() ? channel[static_cast<size_t>(k)] : int8_t{0};
        };
        weights.push_back(halves(value(low), value(high)));
      }
    }
  }
  return std::vector<PackedConstant>{words_constant("weights", weights), params};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t tiles = PixelTiles::tiles(w, plan.px);
  const int64_t input_bytes = plan.staged ? 4 : 2, weight_bytes = plan.byte_weights ? 2 : 4;
  using Kind = Loop::Kind;
  const int param_bytes = 4 * (kStartWords + scaling_words(w.facts.requantise));
  NestBuilder build(4, 4, param_bytes);
  build.loop(
      {.name = "px_outer", .extent = tiles, .strides = {.output = int64_t{w.out_c} * plan.px}});
  build.loop(
      {.name = "oc_outer",
       .extent = w.out_c / plan.oc,
       .strides = {
           .weights = plan.weight_bytes(), .output = plan.oc, .params = param_bytes * plan.oc}});
  build.loop({.name = "reduction",
              .extent = plan.pairs / plan.step,
              .reduces = true,
              .strides = {.input = input_bytes * plan.px * plan.step,
                          .weights = weight_bytes * plan.step * plan.oc}});
  build.loop({.name = "ku",
              .extent = plan.step,
              .kind = Kind::kUnrolled,
              .reduces = true,
              .strides = {.input = input_bytes * plan.px, .weights = weight_bytes * plan.oc}});
  build.loop({.name = "pair",
              .extent = 2,
              .kind = Kind::kUnrolled,
              .reduces = true,
              .strides = {.input = 2, .weights = 2}});
  build.loop({.name = "px",
              .extent = plan.px,
              .kind = Kind::kUnrolled,
              .strides = {.input = 4, .output = w.out_c}});
  build.loop({.name = "oc",
              .extent = plan.oc,
              .kind = Kind::kUnrolled,
              .strides = {.weights = 4, .output = 1, .params = param_bytes}});
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.multiplies_per_mac = 0.5;
  nest.accumulators = plan.oc * plan.px;
  nest.outputs = tiles * plan.px * w.out_c;
  if (plan.staged)
    nest.prologue_bytes = PixelTiles::bytes(w, plan.border) + plan.pairs * plan.px * 4 * tiles;
  nest.unrolled_body = plan.oc * plan.px * plan.step;
  nest.switches.emplace_back("smlad", 1.0);
  nest.switches.emplace_back("widened",
                             (plan.staged ? 0.0 : 1.0) + (plan.byte_weights ? 2.0 : 0.0));
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        tiles_(w, plan.px, plan.border),
        ir_(tiles_.ir()),
        channels_(w, ir_, kStartWords) {}

  std::string write(const std::string& symbol) {
    if (!plan_.staged) {  // of one pixel: there is nothing to walk
      channels(IrText::argument("output"));
      return ir_.function(symbol, {"input", "weights", "params", "output"});
    }
    tiles_.walk([&](const std::vector<PixelTiles::Pixel>& pixels) { stage(pixels); },
                [&](const Value& out) { channels(out); });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  static Value n(int64_t v) { return IrText::number(v); }

  // [pair][pixel], a word each.
  void stage(const std::vector<PixelTiles::Pixel>& pixels) {
    const int64_t pair = int64_t{4} * plan_.px;
    const Value staged = tiles_.staging_area();
    // What no input fills: the high half of an odd last pair, and the pairs that complete a step.
    for (int64_t p = w_.reduction() / 2; p < plan_.pairs; ++p)
      for (int i = 0; i < plan_.px; ++i) ir_.store_word(n(0), ir_.at(staged, p * pair + 4 * i));
    for (int i = 0; i < plan_.px; ++i) {
      const PixelTiles::Pixel& pixel = pixels[static_cast<size_t>(i)];
      const Value target = ir_.at(staged, 4 * i);
      switch (plan_.staging) {
        case Staging::kWords:
          tiles_.for_each_input({pixel}, target, 4, pair / 2, [&](const Values& p) {
            const Value bytes = ir_.load_word(p[0]);
            ir_.store_word(ir_.call("llvm.arm.sxtb16", {bytes}), p[1]);
            ir_.store_word(ir_.call("llvm.arm.sxtb16", {ir_.rotate_right(bytes, 8)}),
                           ir_.at(p[1], pair));
          });
          break;
        case Staging::kPairs:
          tiles_.for_each_input({pixel}, target, 2, pair / 2, [&](const Values& p) {
            ir_.store_half(ir_.load_byte(p[0], true), p[1]);
            ir_.store_half(ir_.load_byte(ir_.at(p[0], 1), true), ir_.at(p[1], 2));
          });
          break;
        case Staging::kHalves:
          // The cursor counts halves as if pixels were not interleaved: 2 bytes an input.
          tiles_.for_each_input({pixel}, IrText::argument("scratch"), 1, 2, [&](const Values& p) {
            const Value offset = ir_.distance(p[1], IrText::argument("scratch"));
            const Value word = ir_.mul(ir_.bit_and(offset, n(-4)), n(plan_.px));
            ir_.store_half(ir_.load_byte(p[0], true),
                           ir_.at(target, ir_.add(word, ir_.bit_and(offset, n(2)))));
          });
          break;
      }
    }
  }

  // All output channels of the staged pixels.
  void channels(const Value& out) {
    channels_.run(plan_.oc, out,
                  [&](const Value& weights, const Value& params, const Value& output) {
                    return tile(weights, params, output);
                  });
  }

  // Returns the next tile's weights.
  Value tile(const Value& weights, const Value& params, const Value& out) {
    // Carried: weights, staged, sums.
    Values state = {weights, plan_.staged ? tiles_.staging_area() : IrText::argument("input")};
    for (int i = 0; i < plan_.px; ++i)
      for (int c = 0; c < plan_.oc; ++c)
        state.push_back(ir_.load_word(ir_.at(params, channels_.param_bytes() * c)));
    const Value end = ir_.at(weights, plan_.weight_bytes());
    state = ir_.do_while(state, [&](const Values& v) {
      Values next = v;
      for (int u = 0; u < plan_.step; ++u) {
        Values inputs;
        for (int i = 0; i < plan_.px; ++i)
          inputs.push_back(plan_.staged ? ir_.load_word(ir_.at(v[1], 4 * (u * plan_.px + i)))
                                        : widened_pair(v[1], u, 0, 1));
        for (int c = 0; c < plan_.oc; ++c) {
          const Value weight = plan_.byte_weights
                                   ? widened_pair(v[0], u, c, plan_.oc)
                                   : ir_.load_word(ir_.at(v[0], 4 * (u * plan_.oc + c)));
          for (int i = 0; i < plan_.px; ++i) {
            Value& sum = next[static_cast<size_t>(2 + i * plan_.oc + c)];
            sum = ir_.call("llvm.arm.smlad", {inputs[static_cast<size_t>(i)], weight, sum});
          }
        }
      }
      next[0] = ir_.at(v[0], (plan_.byte_weights ? 2 : 4) * plan_.step * plan_.oc);
      next[1] = ir_.at(v[1], (plan_.staged ? 4 : 2) * plan_.step * plan_.px);
      next.push_back(ir_.differs(next[0], end));
      return next;
    });
    channels_.store({plan_.oc, plan_.px, w_.out_c}, params, out, [&](int pixel, int c) {
      return state[static_cast<size_t>(2 + pixel * plan_.oc + c)];
    });
    return state[0];
  }

  // Pair `pair` of words that hold four bytes each, `words` of them side by side: bytes 0 and 2 of
  // word `word`, or 1 and 3. LLVM loads a word once for both and folds the rotation into SXTB16.
  Value widened_pair(const Value& base, int pair, int word, int words) {
    const Value bytes = ir_.load_word(ir_.at(base, 4 * (pair / 2 * words + word)));
    return ir_.call("llvm.arm.sxtb16", {pair % 2 == 0 ? bytes : ir_.rotate_right(bytes, 8)});
  }

  const Workload& w_;
  const Plan& plan_;
  PixelTiles tiles_;
  IrText& ir_;
  ChannelLoop channels_;
};

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target&,
              const std::string& symbol) {
  const Plan plan(w, schedule);
  return {nullptr, Writer(w, plan).write(symbol)};
}

}  // namespace

extern const KernelTemplate kSmladNhwc;
const KernelTemplate kSmladNhwc = {
    .name = "smlad_nhwc",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = supports_conv,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

extern const KernelTemplate kSmladDense;
const KernelTemplate kSmladDense = {
    .name = "smlad_dense",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = supports_dense,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
