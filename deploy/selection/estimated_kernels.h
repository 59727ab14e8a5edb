// Candidate kernels of an untuned layer: the defaults of the templates, with their cycles.
//
// On a device with a simulator the cycles are counted: the kernel is built and called once. A build
// takes tens of milliseconds and a call less, and no analytic rule is as accurate as running the
// instructions. Outputs are not checked; that is for measuring (measure/runner.h). Counts are
// cached for the life of the process, so that making a network again counts nothing.
//
// Few kernels are counted. General templates, whose loops suit any core, are much slower than those
// for this core. They are counted only if no other takes the layer, or if constants have to be
// small and theirs are the smallest. Less scratch is useful only if a layer's scratch enlarges the
// arena; then leaner variants are counted too. These depend on the network and on no limit, so more
// memory never means fewer candidates.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "devices/device.h"
#include "schedules/layer_data.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"
#include "tinytune/result.h"

namespace tinytune {

struct EstimatedKernel {
  Schedule schedule;
  uint64_t cycles = 0;          ///< of a call; a guess if there is only one kernel
  uint64_t constant_bytes = 0;  ///< packed, of all arrays
};

/// The memory conditions under which a layer's kernel will run.
struct LayerPlace {
  /// Bytes of scratch that do not enlarge the arena.
  uint64_t free_scratch = std::numeric_limits<uint64_t>::max();
  uint64_t grain = 1;               ///< bytes of scratch below which no leaner kernel is sought
  bool constants_in_flash = false;  ///< false: in fast memory, as far as they fit there
  bool bytes_count = false;         ///< a slower kernel with fewer constants is useful
  bool in_strips = false;           ///< the room for scratch is not known yet
};

/// Returns the place for counting a whole layer that runs in strips: no scratch is free, and
/// kernels are counted for many amounts of it.
inline LayerPlace place_of_strips(bool constants_in_flash) {
  constexpr uint64_t kGrain = 512;
  return {.free_scratch = 0,
          .grain = kGrain,
          .constants_in_flash = constants_in_flash,
          .in_strips = true};
}

/// Returns the cycles that a strip's call waits for code and constants in flash, which other layers
/// have evicted from the cache since its last call; 0 if they are in fast memory. A count is of one
/// call, so every further call adds these cycles.
uint64_t reload_cycles(const EstimatedKernel& kernel, const Device& device,
                       bool constants_in_flash);

/// Returns the candidates, the fastest first; none if nothing can be counted, as on a device
/// without a simulator. `also`: additional schedules of the layer's space; those with 0 cycles are
/// counted.
std::vector<EstimatedKernel> estimated_kernels(const Workload& workload, const LayerData& data,
                                               const Device& device, const LayerPlace& place,
                                               std::span<const EstimatedKernel> also = {});

/// Returns the kernel of an untuned layer with unlimited scratch: the fastest candidate, or
/// permitted_default_of() if there is none. kUnsupported: no template takes the layer.
Result<PackedSchedule> usual_kernel(const Workload& workload, const LayerData& data,
                                    const Device& device);

}  // namespace tinytune
