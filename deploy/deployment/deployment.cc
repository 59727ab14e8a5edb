#include "deploy/deployment/deployment.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network_memory.h"
#include "deploy/deployment/slow_work.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/arena_worth.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/fast_memory.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/overflow.h"
#include "deploy/strip_plan/autotune.h"
#include "deploy/strip_plan/fallback.h"
#include "deploy/strip_plan/orders.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

/// Nobody chose this arena: what more of it would buy.
void tell_what_arena_buys(const ArenaWorth& worth, const MessageSink& sink) {
  constexpr double kWorthTelling = 1.05;
  const double faster = static_cast<double>(worth.cycles) /
                        static_cast<double>(std::max<uint64_t>(1, worth.fewest_cycles));
  if (!sink || faster < kWorthTelling || worth.most_bytes <= worth.arena_bytes) return;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", faster);
  sink(MessageKind::kInfo, "with " + std::to_string(worth.most_bytes - worth.arena_bytes) +
                               " bytes more (--arena " + std::to_string(worth.most_bytes) +
                               ") its kernels would be " + text + " times as fast");
}

/// Room for constants, once the code that pays most is copied: in all, and in one memory.
void leave_room(const FastBudget& budget, const FastPlacement& placement, KernelLimits& kernels) {
  const uint64_t copied_code = std::min(budget.total_bytes, placement.code_bytes);
  std::vector<uint64_t> rooms = budget.constant_bytes;
  if (budget.with_code) rooms[*budget.with_code] -= std::min(rooms[*budget.with_code], copied_code);
  const uint64_t all = std::accumulate(rooms.begin(), rooms.end(), uint64_t{0});
  kernels.fast_ram_bytes = std::min(all, budget.total_bytes - copied_code);
  kernels.largest_copy_bytes = *std::max_element(rooms.begin(), rooms.end());
}

/// Where nothing is copied: what a byte of constants waits, for layers whose kernel nobody
/// measured. Records of the others have their waits in their cycles.
FlashWaits waits_of_unmeasured(const GeneratedNetwork& network, const RunReport& ran,
                               const Records& records) {
  uint64_t waited = 0;
  for (const LayerCost& cost : ran.layers) waited += cost.read_wait_cycles;
  FlashWaits waits;
  if (waited == 0) return waits;
  for (const GeneratedLayer& layer : network.layers)
    if (layer.schedule && (!layer.tuned || records.are_of_other_memory()))
      waits[layer.index] =
          static_cast<double>(waited) / static_cast<double>(network.constant_bytes);
  return waits;
}

std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

/// A network in its places.
struct Deployment::Placed {
  GeneratedNetwork network;
  FastBudget budget;
  FastPlacement placement;
};

Result<GeneratedNetwork> Deployment::generate(LayoutChoice& layouts) const {
  NetworkOptions options;
  options.name = model.info().name;
  options.builds = model.state().builds;
  options.layouts = layouts.source();
  options.share = share;
  options.cores = cores;
  options.compress_weights = compress_weights;
  TT_TRY(check_cores());
  TT_TRY(check_arrival());
  if (copies_code_alone()) {
    // Without the way nothing is copied, code neither.
    const Device all_in_flash = in_flash(device);
    Deployment alone{model, all_in_flash, records, limits, sink};
    alone.compress_weights = compress_weights;
    TT_TRY_ASSIGN(GeneratedNetwork network, alone.generate(layouts));
    Result<GeneratedNetwork> arriving = with_arrivals(options, std::move(network));
    if (!arriving) return arriving.error().within(model.path());
    return arriving;
  }
  Result<GeneratedNetwork> network = input == InputArrival::kWhole  ? within_ram(options)
                                     : input == InputArrival::kRows ? in_rows(options)
                                                                    : in_frames(options);
  TT_TRY(layouts.status());
  if (wants_strips(options, network)) network = in_strips(options, std::move(network));
  if (network && cores > 1) network = on_two_cores(options, std::move(*network));
  if (network && arrival) network = with_arrivals(options, std::move(*network));
  if (!network) return network.error().within(model.path());
  if (sink)
    for (const std::string& warning : network->warnings) sink(MessageKind::kWarning, warning);
  if (sink && input == InputArrival::kWhole)
    if (const auto worth =
            arena_worth(model.state().network, device, records, network->arena_bytes, options);
        worth && *worth)
      tell_what_arena_buys(**worth, sink);
  return network;
}

// The records tell what kernels take; what the network takes beside them is the same for all.
Result<std::vector<FlashPoint>> Deployment::flash_front(LayoutChoice& layouts,
                                                        const GeneratedNetwork& network,
                                                        const Footprint& footprint) const {
  constexpr uint64_t kMost = 16;
  NetworkOptions options;
  options.name = model.info().name;
  options.builds = model.state().builds;
  options.layouts = layouts.source();
  const KernelLimits allowed{.arena_bytes = arena_allowance(limits).bytes};
  TT_TRY_ASSIGN(const MeasuredFront front,
                measured_front(model.state().network, device, records, allowed, options, network));
  TT_TRY(layouts.status());
  std::vector<FlashPoint> told;
  if (front.points.empty()) return told;
  told.push_back({footprint.flash_bytes, footprint.cycles});
  const uint64_t kernels = front.chosen.flash_bytes, least = front.points.front().flash_bytes;
  for (size_t i = front.points.size(); i-- > 0;) {
    const FlashPoint& point = front.points[i];
    if (point.flash_bytes >= kernels || point.cycles < front.chosen.cycles) continue;
    const uint64_t saved = kernels - point.flash_bytes;
    if (saved < told.size() * (kernels - least) / (kMost - 1) && i > 0) continue;
    told.push_back({footprint.flash_bytes - std::min(saved, footprint.flash_bytes),
                    footprint.cycles + point.cycles - front.chosen.cycles});
  }
  return told;
}

Result<Footprint> Deployment::measure(const GeneratedNetwork& network) const {
  TT_TRY_ASSIGN(const RunReport report, try_out(network));
  return report.footprint;
}

Result<RunReport> Deployment::try_out(const GeneratedNetwork& network) const {
  TT_TRY_ASSIGN(NetworkSimulation simulation,
                NetworkSimulation::load(model.state().graph, network, device));
  TT_TRY_ASSIGN(const auto inputs, generate_inputs(model, 1));
  TT_TRY_ASSIGN(RunReport first, simulation.invoke(inputs));
  if (input != InputArrival::kFrames) return first;
  TT_TRY_ASSIGN(RunReport step, simulation.invoke(inputs));
  step.outputs = std::move(first.outputs);
  return step;
}

// Half of the network's arena may be a whole input: what remains of the usual one is the limit that
// nobody chose.
Result<GeneratedNetwork> Deployment::in_rows(const NetworkOptions& options) const {
  const IntegerNetwork& network = model.state().network;
  if (!network.may_run_in_strips)
    return Error(ErrorCode::kUnsupported, "rows of the input need strips, which are disabled");
  TT_TRY(streams_rows(network, options));
  const StripOrders search(network, options, device, input);
  uint64_t allowed = search.smallest_arena() + search.smallest_arena() / 20 + kArenaAlignment;
  const uint64_t whole = network_memory(network, options).lower_bound;
  const auto input_bytes =
      static_cast<uint64_t>(network.graph.tensor(network.graph.inputs[0]).bytes());
  allowed = arena_allowance(limits).bytes.value_or(std::max(allowed, whole - input_bytes));
  return fastest_in_strips(
      search, options, allowed,
      Error(ErrorCode::kFailed, arena_allowance(limits).says +
                                    "; with rows that arrive the smallest arena achievable is " +
                                    std::to_string(search.smallest_arena())));
}

// What is not new in a step is in the arena already, so there is nothing to search: the more layers
// compute with frames, the less is computed twice.
Result<GeneratedNetwork> Deployment::in_frames(NetworkOptions options) const {
  const IntegerNetwork& network = model.state().network;
  if (!network.may_run_in_strips)
    return Error(ErrorCode::kUnsupported, "frames of the input need strips, which are disabled");
  TT_TRY_ASSIGN(const FramesGroup frames, group_of_frames(network, options));
  options.strips = {frames.group};
  if (sink)
    sink(MessageKind::kInfo, "operators " + std::to_string(frames.group.first) + " to " +
                                 std::to_string(frames.group.last) +
                                 " compute what is new in a step, those behind them all of their "
                                 "input: " +
                                 frames.why_no_longer);
  return within_ram(options);
}

Result<GeneratedNetwork> Deployment::fastest_in_strips(const StripOrders& search,
                                                       const NetworkOptions& options,
                                                       uint64_t allowed,
                                                       Result<GeneratedNetwork> otherwise,
                                                       const StripOrders* counted) const {
  const auto generate = [&](const StripPlan& plan) {
    NetworkOptions planned = options;
    plan.apply_to(planned);
    return within_ram(planned);
  };
  SlowWork work(sink);
  int tried = 0;
  uint64_t fewest = std::numeric_limits<uint64_t>::max();
  const auto run = [&](const GeneratedNetwork& network) {
    Result<RunReport> report = try_out(network);
    ++tried;
    if (!report) return report;
    fewest = std::min(fewest, report->footprint.cycles);
    work.step([&] {
      return "strips: " + std::to_string(tried) + " networks built and run, the fastest takes " +
             std::to_string(fewest) + " cycles";
    });
    return report;
  };
  return StripAutotuner(search, generate, run, std::move(otherwise), counted).fastest(allowed);
}

// Where not all that waits for flash finds room in fast memory, or in the fast memory that weights
// prefer, kernels that take scratch or widen their weights may lose there what they win in
// instructions. The first network tells what bytes elsewhere cost, so that schedules and what is
// copied of them are chosen together; what two caches or another number of passes make of it is
// simulated, and the faster network stays.
Result<GeneratedNetwork> Deployment::fastest(const NetworkOptions& options,
                                             const ArenaAllowance& arena,
                                             uint64_t stack_bytes) const {
  const KernelLimits allowed{.arena_bytes = arena.bytes,
                             .flash_bytes = limits.flash_bytes,
                             .memory = limits,
                             .arena_says = arena.says};
  TT_TRY_ASSIGN(Placed best, place(options, allowed, {}, stack_bytes));
  const bool waits_for_flash = best.placement.left_out_cycles > 0;
  const bool copies_nothing = device.fast_rodata_memories.empty() && !device.caches.empty();
  if (!waits_for_flash && !best.placement.overflows && !copies_nothing)
    return std::move(best.network);
  TT_TRY_ASSIGN(const RunReport first, try_out(best.network));
  FlashWaits waits = best.placement.waits;
  std::vector<KernelLimits> thriftier;
  if (!device.fast_rodata_memories.empty()) {
    thriftier.push_back(allowed);
    leave_room(best.budget, best.placement, thriftier.back());
  }
  if (copies_nothing) {
    waits = waits_of_unmeasured(best.network, first, records);
    if (waits.empty()) return std::move(best.network);
    thriftier.push_back(allowed);
    thriftier.back().fast_ram_bytes = 0;
  } else if (!waits_for_flash) {
    waits = overflow_costs(network_memory(model.state().network, options), best.network, first,
                           device, records);
    if (waits.empty()) return std::move(best.network);
    thriftier.back().fast_ram_bytes = best.budget.constant_bytes.front();
  }
  if (limits.ram_bytes && !limits.arena_bytes && arena.bytes) {
    thriftier.push_back(allowed);
    thriftier.back().arena_bytes =
        std::min<uint64_t>(*arena.bytes, usual_arena(best.network.arena_lower_bound));
  }
  Footprint least = first.footprint;
  for (const KernelLimits& kernels : thriftier) {
    Result<Placed> other = place(options, kernels, waits, stack_bytes);
    if (!other) continue;  // nothing fits
    TT_TRY_ASSIGN(const Footprint takes, measure(other->network));
    if (takes.cycles >= least.cycles) continue;
    least = takes;
    best = std::move(*other);
  }
  if (records.are_of_other_memory()) {
    // The order of another memory may be worse than none.
    const Records none;
    const Deployment untuned{model, device, none, limits, sink, input, share};
    Result<GeneratedNetwork> other = untuned.fastest(options, arena, stack_bytes);
    if (!other) return std::move(best.network);
    TT_TRY_ASSIGN(const Footprint takes, measure(*other));
    if (takes.cycles < least.cycles) return other;
  }
  return std::move(best.network);
}

Result<Deployment::Placed> Deployment::place(const NetworkOptions& options,
                                             const KernelLimits& kernels, const FlashWaits& waits,
                                             uint64_t stack_bytes) const {
  TT_TRY_ASSIGN(GeneratedNetwork network, choose_kernels(options, kernels, waits));
  TT_TRY(check_arena(network));
  Placed placed{std::move(network), {}, {}};
  placed.budget = fast_budget(device, placed.network.arena_bytes, limits, stack_bytes,
                              options.share ? options.share->networks : 1);
  auto placement = place_in_fast_memory(model.state().graph, device, placed.budget, placed.network);
  // Without a compiler everything stays in flash.
  if (!placement && placement.error().code() != ErrorCode::kNotFound) return placement.error();
  if (placement) placed.placement = std::move(*placement);
  return placed;
}

Result<GeneratedNetwork> Deployment::choose_kernels(const NetworkOptions& options,
                                                    const KernelLimits& kernels,
                                                    const FlashWaits& waits) const {
  const IntegerNetwork& executed = model.state().network;
  Result<GeneratedNetwork> fastest =
      generate_within(executed, device, records, kernels, options, waits);
  if (!fastest || kernels.flash_bytes || !may_overflow(*fastest, device)) return fastest;
  KernelLimits within_device = kernels;
  within_device.flash_bytes = device.memory(device.rodata_memory).size_bytes;
  auto fitting = generate_within(executed, device, records, within_device, options, waits);
  return fitting ? std::move(fitting) : std::move(fastest);  // else the linker has the last word
}

Status Deployment::check_arena(const GeneratedNetwork& network) const {
  const MemoryRegion& ram = device.memory(device.data_memory);
  if (network.arena_bytes <= ram.size_bytes) return ok_status();
  const std::string without_strips =
      model.state().network.may_run_in_strips ? "" : "let layers run in strips, or ";
  return Error(ErrorCode::kFailed, "it does not fit " + device.name + ": its arena takes " +
                                       bytes_text(network.arena_bytes) + ", " + ram.name + " has " +
                                       std::to_string(ram.size_bytes) + "; " + without_strips +
                                       "take a device with more RAM or a smaller network");
}

Status Deployment::check(const Footprint& footprint) const {
  const uint64_t flash = flash_of(device), ram = ram_of(device), takes = footprint.ram_bytes();
  if (footprint.flash_bytes > flash) {
    return Error(ErrorCode::kFailed, model.path() + ": it does not fit " + device.name +
                                         ": the library takes " +
                                         bytes_text(footprint.flash_bytes) +
                                         " of flash, there are " + std::to_string(flash) +
                                         "; take a device with more flash or a smaller network; "
                                         "--flash limits kernels");
  }
  if (!sink) return ok_status();
  const MemoryRegion& data = device.memory(device.data_memory);
  const uint64_t in_data = in_data_memory(footprint, device);
  if (in_data + kSmallApplicationBytes > data.size_bytes) {
    sink(MessageKind::kWarning,
         model.info().name + " takes " + bytes_text(in_data) + " of " + data.name + ", which has " +
             std::to_string(data.size_bytes) +
             ": an application of 8 KiB with 2 KiB of stack and heap does not fit beside it");
  } else if (takes * 10 > ram * 7) {
    sink(MessageKind::kInfo, model.info().name + " takes " + std::to_string(takes * 100 / ram) +
                                 " % of the RAM of " + device.name + ": " + bytes_text(takes) +
                                 " of " + std::to_string(ram) +
                                 "; --fast-ram and --ram make it less");
  }
  return ok_status();
}

}  // namespace tinytune
