// Dense layers on RV32 by lanes, tiles in one piece of assembly: two output channels in a word of
// weights ("pairs_dense"), or four ("quads_dense"), which takes more instructions and half the
// flash.
//
// The lanes are those of lanes_dense.cc, which is for any core. Here groups of products may have
// any length (lane_pairs.h), and all that a kernel reads but inputs stands in one stream,
// "weights". What channels remain behind the last full tile are a narrower one with code of its
// own.

#include <functional>
#include <string>
#include <utility>

#include "schedules/stepped_requantise.h"
#include "templates/channel_params.h"
#include "templates/isa/rv32_ends.h"
#include "templates/kernel_template.h"
#include "templates/lanes/lane_groups.h"
#include "templates/lanes/lane_pairs.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/tile/ir_text.h"

namespace tinytune {
namespace {

constexpr int kShortest = 8;  // of the values of "longest"

enum class Row { kPairs, kQuads };

constexpr const char* name_of(Row row) {
  return row == Row::kPairs ? "pairs_dense" : "quads_dense";
}

struct Plan {
  LanePairs tile, rest;
  int tiles;  // of the first kind

  Plan(const Workload& w, const Schedule& s)
      : tile{.pairs = s.get_int("pairs"),
             .longest = s.get_int("longest"),
             .in_bytes = s.template_name() == name_of(Row::kQuads),
             .by_layer = s.get("scale") == "layer"},
        rest(tile),
        tiles(w.out_c / 2 / tile.pairs) {
    rest.pairs = w.out_c / 2 % tile.pairs;
  }
};

template <Row row>
bool supports(const Workload& w, const Device& device) {
  return w.op == OpKind::kDense && w.batch == 1 && w.out_c % (row == Row::kQuads ? 4 : 2) == 0 &&
         w.facts.requantise != Requantise::kLong && device.target.family == CoreFamily::kRiscv32 &&
         !device.target.portable_kernels;
}

bool legal(const Workload& w, const Schedule& s) {
  const Plan plan(w, s);
  return lane_pairs_fit(w, plan.tile) && plan.tiles > 0 &&
         (plan.tile.longest == kShortest || plan.tile.longest / 2 < w.in_c);
}

template <Row row>
ConfigSpace space(const Workload& w, const Device&) {
  ConfigSpace::Family family{name_of(row),
                             1,
                             {int_knob("pairs", {1, 2, 3, 4, 5, 6}),
                              int_knob("longest", {kShortest, 16, 32, 64}),
                              {"scale", {"layer", "channel"}}}};
  ConfigSpace result;
  result.add(std::move(family), [&](const Schedule& s) { return legal(w, s); });
  return result;
}

// Code is copied or cached too: the products are an eighth of the weights' bytes at most, a quarter
// where there are as few as can be.
bool is_lean(const Workload& w, const LanePairs& tile) {
  const int64_t code = int64_t{tile.longest} * tile.product_code_bytes();
  return code * (tile.longest == kShortest ? 4 : 8) <= w.weight_bytes() * (tile.in_bytes ? 1 : 2);
}

// As many channels as there are registers for share an input.
template <Row row>
Schedule usual(const Workload& w, const char* scale) {
  Schedule best;
  for (const char* pairs : {"1", "2", "3", "4", "5", "6"})
    for (const char* longest : {"8", "16", "32"}) {
      const Schedule s(name_of(row), 1, {{"pairs", pairs}, {"longest", longest}, {"scale", scale}});
      const bool none = best.knobs().empty();
      if (legal(w, s) && (none || is_lean(w, Plan(w, s).tile))) best = s;
    }
  return best;
}

template <Row row>
Schedule default_schedule(const Workload& w, const Device&) {
  return usual<row>(w, "layer");
}

template <Row row>
std::vector<Schedule> fallback_schedules(const Workload& w, const Device&) {
  return {usual<row>(w, "channel")};
}

int64_t scratch_bytes(const Workload&, const Schedule&) { return 0; }

// Packs tiles, front to back.
class Packer {
 public:
  Packer(const Workload& w, const LayerData& data, PackedEnds ends)
      : w_(w), data_(data), ends_(std::move(ends)), stream_(ends_.levels) {}

  Status add(const LanePairs& shape, int first, bool more_tiles) {
    const auto tile = weights_of_tile(w_, data_, first, 2 * shape.pairs);
    TT_TRY_ASSIGN(const auto lengths, lane_groups(tile, {1, 1, shape.longest}));
    const auto for_each_pair = [&](const auto& call) {
      for (int q = 0; q < shape.pairs; ++q) {
        const auto [low, high] = shape.channels_of(q);
        call(first + low, first + high);
      }
    };
    for_each_pair([&](int low, int high) {
      const PairStart start(folded_bias(w_, data_, low), folded_bias(w_, data_, high),
                            lengths.size());
      append({start.sum, start.high});
    });
    size_t k = 0;
    for (int length : lengths) {
      append(shape.group_words(length));
      for (const size_t end = k + static_cast<size_t>(length); k < end; ++k) {
        std::vector<int8_t> product;
        for (const std::vector<int8_t>& channel : tile) product.push_back(channel[k]);
        append(shape.product_words(product));
      }
    }
    append(shape.last_words(more_tiles));
    if (shape.by_layer)
      append(ends_.channels[0]);
    else
      for_each_pair([&](int low, int high) {
        append(ends_.channels[static_cast<size_t>(low)]);
        append(ends_.channels[static_cast<size_t>(high)]);
      });
    return {};
  }

  std::vector<PackedConstant> finish() const { return {words_constant("weights", stream_)}; }

 private:
  void append(const std::vector<int32_t>& words) {
    stream_.insert(stream_.end(), words.begin(), words.end());
  }

  const Workload& w_;
  const LayerData& data_;
  const PackedEnds ends_;
  std::vector<int32_t> stream_;
};

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  TT_TRY_ASSIGN(PackedEnds ends, pack_ends(w, data));
  if (plan.tile.by_layer && !ends.are_alike())
    return Error(ErrorCode::kUnsupported, "the channels of this layer are scaled differently");
  Packer packer(w, data, std::move(ends));
  for (int t = 0; t < plan.tiles; ++t)
    TT_TRY(packer.add(plan.tile, 2 * plan.tile.pairs * t, t + 1 < plan.tiles));
  if (plan.rest.pairs > 0) TT_TRY(packer.add(plan.rest, 2 * plan.tile.pairs * plan.tiles, false));
  return packer.finish();
}

std::function<bool(const Schedule&)> may_pack(const Workload& w, const LayerData& data) {
  const auto ends = pack_ends(w, data);
  return [packs = ends.has_value(), alike = ends && ends->are_alike()](const Schedule& s) {
    return packs && (alike || s.get("scale") == "channel");
  };
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int pairs = plan.tile.pairs;
  using Kind = Loop::Kind;
  const int64_t product_bytes = int64_t{plan.tile.in_bytes ? 2 : 4} * pairs;
  const int64_t channel_bytes = plan.tile.by_layer ? 0 : 4 * end_words(w.facts.requantise);
  NestBuilder build(1, 4, 4);
  build.loop({.name = "oc_outer",
              .extent = (w.out_c / 2 + pairs - 1) / pairs,
              .strides = {.weights = product_bytes * w.in_c,
                          .output = 2 * pairs,
                          .params = 2 * pairs * channel_bytes}});
  build.loop({.name = "reduction",
              .extent = w.in_c,
              .reduces = true,
              .strides = {.input = 1, .weights = product_bytes}});
  build.loop(
      {.name = "oc",
       .extent = pairs,
       .kind = Kind::kUnrolled,
       .strides = {.weights = product_bytes / pairs, .output = 2, .params = 2 * channel_bytes}});
  build.loop({.name = "lane", .extent = 2, .kind = Kind::kUnrolled, .strides = {.output = 1}});
  LoopNest nest = build.finish(schedule);
  nest.macs = w.macs();
  nest.multiplies_per_mac = 0.5;
  nest.accumulators = 3 * pairs;
  nest.outputs = w.out_c;
  nest.unrolled_body = int64_t{pairs} * plan.tile.longest;
  nest.switches.emplace_back("lanes", 1.0);
  if (plan.tile.by_layer) nest.switches.emplace_back("scaled_by_layer", 1.0);
  if (plan.tile.in_bytes) nest.switches.emplace_back("weights_in_bytes", 1.0);
  return nest;
}

Lowered lower(const Workload& w, const Schedule& schedule, const Halide::Target&,
              const std::string& symbol) {
  const Plan plan(w, schedule);
  IrText ir;
  const IrText::Value levels = IrText::argument("weights");
  const int64_t levels_bytes =
      w.facts.requantise == Requantise::kStepped ? sizeof(SteppedLevels) : 0;
  LaneCursors cursors{ir.at(levels, levels_bytes), IrText::argument("input"),
                      IrText::argument("output")};
  cursors = add_lane_pairs(w, plan.tile, cursors, levels, ir);
  if (plan.rest.pairs > 0) add_lane_pairs(w, plan.rest, cursors, levels, ir);
  return {nullptr, ir.function(symbol, {"input", "weights", "output"})};
}

template <Row row>
KernelTemplate kernel_template() {
  return {.name = name_of(row),
          .version = 1,
          .constants = {"weights"},
          .supports = supports<row>,
          .space = space<row>,
          .default_schedule = default_schedule<row>,
          .fallback_schedules = fallback_schedules<row>,
          .describe = describe,
          .pack = pack,
          .may_pack = may_pack,
          .scratch_bytes = scratch_bytes,
          .lower = lower};
}

}  // namespace

extern const KernelTemplate kPairsDense;
const KernelTemplate kPairsDense = kernel_template<Row::kPairs>();

extern const KernelTemplate kQuadsDense;
const KernelTemplate kQuadsDense = kernel_template<Row::kQuads>();

}  // namespace tinytune
