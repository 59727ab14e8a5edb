// The network that a model and its records make for a device: what `compile` writes and `run` runs.
//
// Kernels are chosen within limits (selection/fitting.h), code and weights placed in fast memory
// (selection/fast_memory.h), layouts compared (selection/layouts.h); where tensors do not fit,
// layers run in strips (strip_plan/orders.h). Both commands make it here, so that what was run is
// what is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/layouts.h"
#include "deploy/strip_plan/orders.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/deploy.h"
#include "tinytune/footprint.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

class StripFallback;

/// The one that the device's file names so; none for an empty name. kInvalidInput: it has none.
Result<std::optional<ArrivalWay>> find_arrival(const std::string& device, const std::string& name);

struct Deployment {
  const Model& model;
  const Device& device;
  const Records& records;
  const MemoryLimits& limits;
  const MessageSink& sink;  ///< may be empty
  InputArrival input = InputArrival::kWhole;
  std::optional<ArenaShare> share = {};    ///< with networks that run before and after this one
  int cores = 1;                           ///< 2: layers are shared where that takes fewer cycles
  bool compress_weights = false;           ///< as CompileOptions'
  std::optional<ArrivalWay> arrival = {};  ///< by which weights come where that takes fewer cycles

  /// Errors as generate_within(). kFailed: its arena does not fit the device, or all it takes not
  /// the limit on RAM.
  Result<GeneratedNetwork> generate(LayoutChoice& layouts) const;

  /// RunReport::flash_front of what generate() made, and of which `footprint` was measured. Errors
  /// as there.
  Result<std::vector<FlashPoint>> flash_front(LayoutChoice& layouts,
                                              const GeneratedNetwork& network,
                                              const Footprint& footprint) const;

  /// RunReport::arena_front, likewise.
  Result<std::vector<ArenaPoint>> arena_front(LayoutChoice& layouts,
                                              const GeneratedNetwork& network,
                                              const Footprint& footprint) const;

  /// Built, and run once on the generator's first inputs; where frames arrive, what it takes is of
  /// the step after that. kNotFound: no compiler on this machine.
  /// kUnsupported: the device has no simulator. kFailed: it does not build or run, or does not fit.
  Result<RunReport> try_out(const GeneratedNetwork& network) const;
  Result<Footprint> measure(const GeneratedNetwork& network) const;
  /// As far as excess() asks for it: with the stack where there is a limit on all RAM.
  Result<Footprint> footprint(const GeneratedNetwork& network) const;

  /// Says what there is to say of RAM: that much of it is the network's, or that no application
  /// fits beside it. kFailed: it takes more flash than there is.
  Status check(const Footprint& footprint) const;

  /// How it runs within the limits and the device, and the arena that those leave. `options` say
  /// nothing of strips. Arithmetic; where what lies beside the arena counts, also a network built
  /// and run. kFailed: it does not fit; with the smallest limit that is achievable.
  struct Plan {
    StripPlan strips;
    uint64_t arena_bytes = 0;
  };
  Result<Plan> plan(const NetworkOptions& options) const;

  /// What the network of the least RAM takes, layer by layer or in strips, and the bytes of RAM
  /// that the device or the limits lack for it; where that cannot be built, its arena alone. Flash
  /// has to be enough. kFailed: no arena is enough.
  struct Need {
    Footprint takes;
    uint64_t missing_ram = 0;
  };
  Result<Need> least_need(const NetworkOptions& options) const;

  /// What the network of the least flash takes, layer by layer, with nothing copied to RAM. The
  /// device's flash has to be enough. kFailed: it does not fit the RAM.
  Result<Footprint> least_flash(const NetworkOptions& options) const;

 private:
  struct Placed;
  struct Least;
  class ArrivalSearch;
  Status check_cores() const;
  bool wants_strips(const NetworkOptions& options, const Result<GeneratedNetwork>& whole) const;
  Result<GeneratedNetwork> in_strips(const NetworkOptions& options,
                                     Result<GeneratedNetwork> layer_by_layer) const;
  Status check_arrival() const;
  bool copies_code_alone() const;
  Result<GeneratedNetwork> with_arrivals(const NetworkOptions& options,
                                         GeneratedNetwork alone) const;
  Result<GeneratedNetwork> on_two_cores(const NetworkOptions& options,
                                        GeneratedNetwork alone) const;
  Result<GeneratedNetwork> in_rows(const NetworkOptions& options) const;
  Result<GeneratedNetwork> in_frames(NetworkOptions options) const;
  Result<GeneratedNetwork> fastest_in_strips(const StripOrders& search,
                                             const NetworkOptions& options, uint64_t arena_bytes,
                                             Result<GeneratedNetwork> otherwise,
                                             const StripOrders* counted = nullptr) const;
  Result<GeneratedNetwork> within_ram(const NetworkOptions& options) const;
  Result<GeneratedNetwork> faster_in_flash(const NetworkOptions& options,
                                           GeneratedNetwork best) const;
  Result<GeneratedNetwork> keep_ram(const NetworkOptions& options) const;
  Result<GeneratedNetwork> fastest(const NetworkOptions& options, const ArenaAllowance& arena,
                                   uint64_t stack_bytes) const;
  Result<Placed> place(const NetworkOptions& options, const KernelLimits& kernels,
                       const FlashWaits& waits, uint64_t stack_bytes) const;
  Result<GeneratedNetwork> choose_kernels(const NetworkOptions& options,
                                          const KernelLimits& kernels,
                                          const FlashWaits& waits) const;
  Status check_arena(const GeneratedNetwork& network) const;
  uint64_t excess(const Footprint& takes) const;
  Error exceeded(const Footprint& takes) const;
  bool is_close(uint64_t arena_bytes) const;
  Result<Least> least(const StripFallback& fallback, const NetworkOptions& options) const;
  Result<Least> lean(const StripPlan& plan, uint64_t arena_bytes,
                     const NetworkOptions& options) const;
  Result<Least> whole_below(Least least, const NetworkOptions& options) const;
  Result<Least> smallest(const StripFallback& fallback, const NetworkOptions& options) const;
  uint64_t needs(const Footprint& takes) const;
  Error refused(const Least& least) const;
};

}  // namespace tinytune
