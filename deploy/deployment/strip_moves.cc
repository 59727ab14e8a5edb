// Layers one by one, or in strips: of all of the input, of rows as they arrive, of new frames.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network_memory.h"
#include "deploy/deployment/kernel_moves.h"
#include "deploy/deployment/least_memory.h"
#include "deploy/deployment/network_moves.h"
#include "deploy/deployment/slow_work.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/arena_worth.h"
#include "deploy/selection/device_memory.h"
#include "deploy/selection/fast_memory.h"
#include "deploy/strip_plan/autotune.h"
#include "deploy/strip_plan/fallback.h"
#include "deploy/strip_plan/orders.h"

namespace tinytune {
namespace {

Result<Candidate> fastest_in_strips(const Deployment& deployment, const StripOrders& search,
                                    const NetworkOptions& options, uint64_t arena_bytes,
                                    Result<Candidate> otherwise,
                                    const StripOrders* counted = nullptr) {
  const auto generate = [&](const StripPlan& plan) {
    NetworkOptions planned = options;
    plan.apply_to(planned);
    return fastest_kernels(deployment, planned);
  };
  SlowWork work(deployment.sink);
  int tried = 0;
  uint64_t fewest = std::numeric_limits<uint64_t>::max();
  const auto run = [&](Candidate& candidate) -> Status {
    const Status ran = run_once(deployment, candidate);
    ++tried;
    if (!ran) return ran;
    fewest = std::min(fewest, candidate.ran->footprint.cycles);
    work.step([&] {
      return "strips: " + std::to_string(tried) + " networks built and run, the fastest takes " +
             std::to_string(fewest) + " cycles";
    });
    return ran;
  };
  return StripAutotuner(search, generate, run, std::move(otherwise), counted).fastest(arena_bytes);
}

Status check_may_run_in_strips(const IntegerNetwork& network, const char* what) {
  if (network.may_run_in_strips) return ok_status();
  return Error(ErrorCode::kUnsupported,
               std::string(what) + " of the input need strips, which are disabled");
}

/// Returns the reason why layers do not have to run in strips; empty: they may. Without a limit, a
/// network may fail for lack of a template or of flash, which strips do not cure.
std::string why_no_strips(const NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  const auto& [device, records] = std::tie(deployment.device, deployment.records);
  const IntegerNetwork& network = deployment.model.state().network;
  const std::optional<uint64_t> asked = arena_allowance(deployment.limits).bytes;
  if (search.best) {
    // Tensors of strips may leave room for scratch that whole tensors do not leave.
    constexpr double kNoticeable = 1.02;
    if (!asked) return "layers fit, and nothing limits their arena";
    if (!network.may_run_in_strips) return "they are disabled";
    const auto worth = arena_worth(network, device, records, *asked, search.options);
    const bool is_slow = worth && *worth &&
                         static_cast<double>((*worth)->cycles) >
                             static_cast<double>((*worth)->fewest_cycles) * kNoticeable;
    return is_slow ? "" : "a larger arena would make kernels at most 2 % faster";
  }
  if (asked) return "";
  if (search.best.error().code() != ErrorCode::kFailed) return "memory is not what it fails for";
  const uint64_t room = *room_for_arena(deployment.limits, device).bytes;
  const StripFallback fallback(network, device, records, search.options);
  return fallback.whole_within(room - std::min(room, kDataBytes)) ? "layers fit without" : "";
}

}  // namespace

Proposal by_layers(NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  if (deployment.input != InputArrival::kWhole) return {};
  if (!copies_code_alone(deployment))
    return proposal_of(fastest_kernels(deployment, search.options));
  // Without the way of arrival nothing is copied, not even code.
  const Device flash_alone = in_flash(deployment.device);
  Deployment alone = deployment.with(flash_alone, deployment.records);
  alone.arrival.reset();
  TT_TRY_ASSIGN(Candidate found, fastest_network(alone, search.options));
  return Candidate{std::move(found.network)};  // it ran with the costs of that device
}

// A whole input may be half of the network's arena. So without a limit the arena may take the lower
// bound of whole tensors minus the input, or slightly more than the smallest possible one.
Proposal by_rows(NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  const IntegerNetwork& network = deployment.model.state().network;
  if (deployment.input != InputArrival::kRows) return {};
  TT_TRY(check_may_run_in_strips(network, "rows"));
  TT_TRY(streams_rows(network, search.options));
  const StripOrders orders(network, search.options, deployment.device, deployment.input);
  const uint64_t smallest = orders.smallest_arena();
  const uint64_t whole = network_memory(network, search.options).lower_bound;
  const auto input_bytes =
      static_cast<uint64_t>(network.graph.tensor(network.graph.inputs[0]).bytes());
  const ArenaAllowance asked = arena_allowance(deployment.limits);
  const uint64_t arena_bytes = asked.bytes.value_or(
      std::max(smallest + smallest / 20 + kArenaAlignment, whole - input_bytes));
  return proposal_of(fastest_in_strips(
      deployment, orders, search.options, arena_bytes,
      Error(ErrorCode::kFailed, asked.says +
                                    "; with rows that arrive the smallest arena achievable is " +
                                    std::to_string(smallest))));
}

// Rows of earlier steps are in the arena already, so nothing needs to be searched: the more layers
// compute with frames, the less is computed twice.
Proposal by_frames(NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  const IntegerNetwork& network = deployment.model.state().network;
  if (deployment.input != InputArrival::kFrames) return {};
  TT_TRY(check_may_run_in_strips(network, "frames"));
  NetworkOptions options = search.options;
  TT_TRY_ASSIGN(const FramesGroup frames, group_of_frames(network, options));
  options.strips = {frames.group};
  if (deployment.sink)
    deployment.sink(MessageKind::kInfo,
                    "operators " + std::to_string(frames.group.first) + " to " +
                        std::to_string(frames.group.last) +
                        " compute what is new in a step, those behind them all of their "
                        "input: " +
                        frames.why_no_longer);
  return proposal_of(fastest_kernels(deployment, options));
}

// Groups are planned by their tensors; the best room for kernels' scratch is found by running
// networks. Layer by layer, the network is slow or does not fit.
Proposal in_strips(NetworkSearch& search) {
  const Deployment& deployment = search.deployment;
  const auto& [device, limits] = std::tie(deployment.device, deployment.limits);
  if (deployment.input != InputArrival::kWhole || copies_code_alone(deployment)) return {};
  if (std::string why = why_no_strips(search); !why.empty()) return NotProposed{std::move(why)};
  const IntegerNetwork& network = deployment.model.state().network;
  const Device roomy = with_data_memory(device, kMuchRam);
  const StripFallback fallback(network, roomy, deployment.records, search.options);
  const ArenaAllowance room = room_for_arena(limits, device);
  const uint64_t tensors = network.may_run_in_strips
                               ? fallback.search().smallest_arena()
                               : uint64_t{network_memory(network, search.options).lower_bound};
  const bool is_near = *room.bytes < tensors + kBesideArena;
  const bool is_first = !search.best && (is_near || !network.may_run_in_strips);
  Result<Candidate> best = search.best;
  // Sets `best` to the smallest network or to its refusal; returns whether it is refused.
  const auto use_smallest = [&] {
    auto smallest = smallest_within(deployment, fallback, search.options);
    if (smallest) best = std::move(*smallest);
    return smallest && !best;
  };
  // A limit below the smallest network is refused before anything else is tried.
  if (is_first && use_smallest()) return best.error();
  if (!network.may_run_in_strips) return proposal_of(std::move(best));
  if (deployment.sink && fallback.search().within(*room.bytes))
    deployment.sink(MessageKind::kInfo,
                    "the arena may take " + std::to_string(*room.bytes) +
                        " bytes: building and running networks whose layers run in "
                        "strips, which takes a while");
  const bool in_flash =
      constants_stay_in_flash(network_memory(network, search.options), device, {.memory = limits});
  const StripOrders counted(network, search.options, device, InputArrival::kWhole, in_flash);
  best = fastest_in_strips(deployment, fallback.search(), search.options, *room.bytes,
                           std::move(best), &counted);
  if (!best && !is_first) use_smallest();
  if (search.best && best && best->network.strips.empty())
    return NotProposed{"none takes fewer cycles"};
  return proposal_of(std::move(best));
}

}  // namespace tinytune
