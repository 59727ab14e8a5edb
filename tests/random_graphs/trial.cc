#include "tests/random_graphs/trial.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/rng.h"
#include "codegen/networks/layout.h"
#include "codegen/networks/placement.h"
#include "codegen/passes/passes.h"
#include "examples/tflite_writer.h"
#include "models/integer_op.h"
#include "models/operator_kind.h"
#include "models/tflite/tflite.h"
#include "templates/kernel_template.h"
#include "tests/random_graphs/drawn_arrivals.h"
#include "tests/random_graphs/drawn_splits.h"
#include "tests/random_graphs/drawn_strips.h"
#include "tests/random_graphs/network_run.h"
#include "tests/random_graphs/random_graph.h"

namespace tinytune::bench {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kInputVariants = 5;

std::string_view name_of(LayoutDraw draw) {
  switch (draw) {
    case LayoutDraw::kNhwc:
      return "nhwc";
    case LayoutDraw::kNchw:
      return "nchw";
    case LayoutDraw::kMixed:
      return "mixed";
  }
  return "";
}

// Draws any legal schedule, of `family` where the workload has one. Equal workloads, which share a
// kernel, get the same.
ScheduleSource drawn_schedules(const Plan& plan, const std::string& family) {
  if (plan.default_schedules && family.empty()) return {};
  return [&plan, family](const Workload& workload) -> std::optional<GivenSchedule> {
    const ConfigSpace space = space_of(workload, plan.device);
    if (space.size() == 0) return std::nullopt;
    Rng rng = Rng(plan.seed).fork(to_text(workload));
    // Draws the template first: one may have a hundred times as many points as another.
    std::vector<size_t> first(space.family_count(), space.size());
    for (size_t point = space.size(); point-- > 0;) first[space.family_of(point)] = point;
    std::erase(first, space.size());
    const auto other = [&](size_t point) {
      return !space.schedule(point).template_name().starts_with(family);
    };
    if (const auto others = std::remove_if(first.begin(), first.end(), other);
        others != first.begin())
      first.erase(others, first.end());
    const size_t from = first[rng.below(first.size())];
    size_t points = 0;
    while (from + points < space.size() && space.family_of(from + points) == space.family_of(from))
      ++points;
    return GivenSchedule{space.schedule(from + rng.below(points))};
  };
}

bool has_family(const IntegerNetwork& network, const Device& device, const std::string& family) {
  const auto of_family = [&](const Workload& workload) {
    const ConfigSpace space = space_of(workload, device);
    for (size_t point = 0; point < space.size(); ++point)
      if (space.schedule(point).template_name().starts_with(family)) return true;
    return false;
  };
  return std::any_of(network.ops.begin(), network.ops.end(), [&](const IntegerOp& op) {
    const auto* kernel = std::get_if<KernelOp>(&op);
    if (kernel == nullptr) return false;
    Workload other = kernel->workload;
    other.layout = other.layout == Layout::kNhwc ? Layout::kNchw : Layout::kNhwc;
    return of_family(kernel->workload) || of_family(other);
  });
}

// Costs drawn at random for layout "auto": they reach any mixture that measurements could lead to.
LayoutCosts drawn_costs(uint64_t seed) {
  return {[seed](const Workload& w) -> std::optional<uint64_t> {
            return 1 + Rng(seed).fork(to_text(w)).below(10'000);
          },
          [seed](const ImageShape& s, Layout from) {
            return Rng(seed ^ static_cast<uint64_t>(s.channels))
                .fork(tinytune::name_of(from))
                .below(4'000);
          }};
}

LayoutSource drawn_layouts(const Plan& plan) {
  if (plan.layouts == LayoutDraw::kNhwc) return {};
  return [&plan](const Graph& graph, std::span<const IntegerOp> ops) {
    const LayoutCosts costs =
        plan.layouts == LayoutDraw::kNchw ? all_nchw_costs() : drawn_costs(plan.seed);
    return choose_layouts(graph, ops, costs).layouts;
  };
}

// Draws which parts are in fast memory; constants only as far as they fit.
std::vector<FastHome> drawn_placement(const Plan& plan, const GeneratedNetwork& network) {
  constexpr uint64_t kSlack = 64;  // bytes that a linker may add to a part
  const Device& device = plan.device;
  std::vector<uint64_t> rooms;
  for (const std::string& memory : device.fast_rodata_memories) {
    rooms.push_back(device.memory(memory).size_bytes);
    if (memory == device.data_memory)
      rooms.back() -= std::min<uint64_t>(rooms.back(), network.arena_bytes + kSlack);
    if (memory == device.fast_code_memory) rooms.back() /= 2;  // the other half is the code's
  }
  Rng rng = Rng(plan.seed).fork("placement");
  std::vector<FastHome> homes;
  for (const PlaceablePart& part : network.placeable) {
    const uint64_t needs = part.code ? 0 : part.bytes + kSlack;
    FastHome home = rng.below(2) == 0 ? 1 : 0;
    if (home == 1 && !part.code) {
      home = static_cast<FastHome>(1 + rng.below(rooms.size()));
      if (needs > rooms[home - 1u]) home = 0;
    }
    if (home != 0 && !part.code) rooms[home - 1u] -= needs;
    homes.push_back(home);
  }
  return homes;
}

std::string difference(const std::string& what, const Bytes& expected, const Bytes& got) {
  if (expected == got) return {};
  if (expected.size() != got.size())
    return what + " holds " + std::to_string(got.size()) + " bytes, not " +
           std::to_string(expected.size());
  const auto at = std::mismatch(expected.begin(), expected.end(), got.begin());
  const auto count = std::inner_product(expected.begin(), expected.end(), got.begin(), 0,
                                        std::plus<>(), std::not_equal_to<>());
  return what + " byte " + std::to_string(at.first - expected.begin()) + " is " +
         std::to_string(static_cast<int8_t>(*at.second)) + ", the reference has " +
         std::to_string(static_cast<int8_t>(*at.first)) + " (" + std::to_string(count) + " of " +
         std::to_string(expected.size()) + " bytes differ)";
}

std::string writer_of(const Graph& graph, int tensor) {
  for (const Operator& op : graph.operators)
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor) != op.outputs.end())
      return "operator " + std::to_string(op.index) + " " + std::string(tinytune::name_of(op.kind));
  return "an input";
}

std::string difference_in_outputs(const Graph& graph, const std::vector<Bytes>& expected,
                                  const std::vector<Bytes>& got, const std::string& after) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const int id = graph.outputs[i];
    const std::string d = difference("output " + std::to_string(i) + ", t" + std::to_string(id) +
                                         " of " + writer_of(graph, id) + ", after " + after + ":",
                                     expected[static_cast<size_t>(id)], got[i]);
    if (!d.empty()) return d;
  }
  return {};
}

std::string first_difference(const Graph& graph, const IntegerNetwork& executed,
                             const std::vector<Bytes>& expected, const Computed& got) {
  // Compares in execution order, so that the operator named is the one at fault.
  for (const Operator& op : graph.operators)
    for (const int id : op.outputs) {
      const auto computed = got.tensors.find(id);
      // Passes may drop unused channels of inner tensors.
      if (computed == got.tensors.end() || executed.altered[static_cast<size_t>(id)]) continue;
      const std::string d = difference("t" + std::to_string(id) + " of " + writer_of(graph, id),
                                       expected[static_cast<size_t>(id)], computed->second);
      if (!d.empty()) return d;
    }
  return difference_in_outputs(graph, expected, got.outputs, "invoke");
}

void count_kernels(const GeneratedNetwork& network, Tally& tally) {
  for (const KernelTemplate& t : kernel_templates()) tally[std::string("template ") + t.name] += 0;
  for (const GeneratedLayer& layer : network.layers) {
    if (layer.schedule) ++tally["template " + layer.schedule->template_name()];
    const bool copies = layer.op == tinytune::name_of(OperatorKind::kStridedSlice);
    if (layer.index == kTransformIndex)
      ++tally[copies ? "case shortcut that reads a copy" : "case layout transform"];
  }
  tally["schedule not permitted by the weights"] += static_cast<int>(network.warnings.size());
}

Status expect_equal_files(const GeneratedNetwork& once, const GeneratedNetwork& again) {
  for (size_t i = 0; i < once.files.size(); ++i)
    if (i >= again.files.size() || once.files[i].contents != again.files[i].contents)
      return Error(ErrorCode::kFailed,
                   "generated twice, " + once.files[i].name + " has other bytes");
  return ok_status();
}

// Writes a .tflite file and imports it. Graphs of plain integers skip this: only ONNX import makes
// such operators.
Result<Graph> imported_graph(const Graph& graph, const Plan& plan) {
  if (std::any_of(graph.operators.begin(), graph.operators.end(),
                  [](const Operator& op) { return is_integer_operator(op.kind); })) {
    Graph same = graph;
    same.name = "net";
    return same;
  }
  return import_tflite(write_tflite(plan.code ? with_compressed_weights(graph, *plan.code) : graph),
                       "net");
}

// Error kInvalidInput or kUnsupported: a valid graph was refused. Any other: a later step failed.
Status check(const Graph& graph, const Plan& plan, const Damage& damage, Verdict& verdict) {
  TT_TRY_ASSIGN(const Graph imported, imported_graph(graph, plan));
  NetworkOptions options;
  options.name = imported.name;
  options.layouts = drawn_layouts(plan);
  TT_TRY_ASSIGN(IntegerNetwork executed, executed_network(imported, plan.disabled_passes));
  if (!damage.family.empty() && !has_family(executed, plan.device, damage.family))
    return ok_status();
  if (damage.network) {
    verdict.damaged = damage.network(executed);
    if (!verdict.damaged) return ok_status();
    TT_TRY(prove_facts(executed));  // of the damaged constants
  }
  options.early_shortcuts = plan.early_shortcuts;
  options.compress_weights = plan.compress_weights;
  if (plan.strips) options.strips = drawn_strips(executed, options, plan.seed);
  options.cores = 1 + static_cast<int>(Rng(plan.seed).fork("cores").below(2));
  if (options.cores > 1) options.splits = drawn_splits(executed, options, plan.seed);
  verdict.tally["case layer on two cores"] += static_cast<int>(options.splits.size());
  if (damage.family.empty() && !damage.network && !damage.files)
    options.arrivals = drawn_arrivals(executed, options, plan.device.name, plan.seed);
  verdict.tally["case layer whose weights arrive"] +=
      options.arrivals ? static_cast<int>(options.arrivals->layers.size()) : 0;
  verdict.tally["case group of strips"] += static_cast<int>(options.strips.size());
  for (const StripGroup& group : options.strips) {
    verdict.tally["case group of strips, of several layers"] += group.last > group.first ? 1 : 0;
    verdict.tally["case input that arrives in rows"] += group.input == InputArrival::kRows ? 1 : 0;
  }
  auto network =
      generate_network(executed, plan.device, drawn_schedules(plan, damage.family), options);
  if (!network) return network.error().within("generating");
  count_kernels(*network, verdict.tally);
  verdict.tally["case weights that a layer decodes"] += static_cast<int>(std::count_if(
      network->functions.begin(), network->functions.end(),
      [](const LayerFunction& f) { return !f.uses.kernels.empty() && !f.uses.helpers.empty(); }));
  for (const Operator& op : imported.operators)
    verdict.tally["case weights decoded at import"] +=
        plan.code && op.kind == OperatorKind::kDecode ? 1 : 0;
  if (plan.twice) {
    TT_TRY_ASSIGN(
        const GeneratedNetwork again,
        generate_network(executed, plan.device, drawn_schedules(plan, damage.family), options));
    TT_TRY(expect_equal_files(*network, again));
  }
  verdict.tally["case with parts in fast memory"] +=
      plan.placed && !network->placeable.empty() ? 1 : 0;
  if (plan.placed && !network->placeable.empty())
    place(*network, plan.device, drawn_placement(plan, *network));
  if (damage.files) {
    verdict.damaged = damage.files(*network);
    if (!verdict.damaged) return ok_status();
    network->parts = nullptr;  // so that the damaged files are built
  }
  const auto elf = build_network(*network, plan.device);
  if (!elf) return elf.error().within("building");
  TT_TRY_ASSIGN(const IntegerNetwork made, integer_network(graph));
  TT_TRY_ASSIGN(NetworkRun run, NetworkRun::load(imported, *network, plan.device, elf->elf));
  for (int variant = 0; variant < kInputVariants; ++variant) {
    const std::vector<Bytes> inputs = random_inputs(graph, plan.seed, variant);
    NetworkState state = initial_state(graph);
    TT_TRY_ASSIGN(const std::vector<Bytes> expected, run_reference(made, inputs, state));
    const auto computed = run.run(inputs);
    if (!computed) return computed.error().within("running");
    verdict.difference = first_difference(graph, executed, expected, *computed);
    if (verdict.difference.empty() && !computed->later_outputs.empty()) {
      TT_TRY_ASSIGN(const std::vector<Bytes> later, run_reference(made, inputs, state));
      verdict.difference =
          difference_in_outputs(graph, later, computed->later_outputs, "the second invoke");
    }
    verdict.differs = !verdict.difference.empty();
    if (verdict.differs) {
      verdict.difference += ", inputs " + std::to_string(variant);
      return ok_status();
    }
  }
  return ok_status();
}

}  // namespace

std::string Plan::text() const {
  std::string passes;
  for (const std::string& name : disabled_passes) passes += " --disable-pass " + name;
  return device.name + ", " + std::string(name_of(layouts)) + ", " +
         (default_schedules ? "default schedules" : "drawn schedules") +
         (placed ? ", drawn placement" : "") + (strips ? ", strips" : "") +
         (early_shortcuts ? ", early shortcuts" : "") + (code ? ", weights to decode" : "") +
         (compress_weights ? ", compressed weights" : "") + passes;
}

Plan draw_plan(uint64_t seed, uint64_t index, const std::vector<Device>& devices) {
  Rng rng = Rng(seed).fork("plan " + std::to_string(index));
  Plan plan;
  plan.device = devices[rng.below(devices.size())];
  plan.layouts = static_cast<LayoutDraw>(rng.below(3));
  plan.default_schedules = rng.below(5) == 0;
  plan.seed = rng.next();
  plan.twice = rng.below(8) == 0;
  plan.placed = rng.below(2) == 0;
  // All passes, none, or any subset.
  const uint64_t dice = rng.below(10);
  if (dice == 0) plan.disabled_passes = {"all"};
  for (const GraphPass& pass : graph_passes())
    if (dice > 5 && rng.below(3) == 0) plan.disabled_passes.emplace_back(pass.name);
  plan.strips = rng.below(2) == 0;
  plan.early_shortcuts = rng.below(2) == 0;
  if (rng.below(3) == 0) plan.code = static_cast<WeightCode>(rng.below(3));
  plan.compress_weights = rng.below(3) == 0;
  return plan;
}

Verdict try_graph(const Graph& graph, const Plan& plan, const Damage& damage) {
  Verdict verdict;
  if (const Status status = check(graph, plan, damage, verdict); !status)
    verdict.difference = status.error().message();
  std::replace(verdict.difference.begin(), verdict.difference.end(), '\n', ' ');
  verdict.exact = verdict.difference.empty();
  return verdict;
}

}  // namespace tinytune::bench
