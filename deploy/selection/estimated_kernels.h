// Which kernels a layer is offered that nobody tuned: templates' defaults, each with the cycles
// that it takes.
//
// On a device with a simulator these are counted: the kernel is built and called once. A build
// takes tens of milliseconds and a call less, and no rule from outside knows a loop as well as its
// instructions do. Outputs are not looked at; that is for measuring (measure/runner.h). What was
// counted is kept as long as the process lives, so that a network that is made again counts
// nothing.
//
// Few are counted. Templates whose loops are for any core lose by far to those for this one, so
// they are only where no other takes the layer, or where constants have to be few and theirs are
// the fewest. Less scratch is of use only where a layer's scratch makes the arena larger; there a
// ladder of leaner variants is counted too. It depends on the network and on no limit, so who has
// more memory chooses among no fewer kernels.
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
  uint64_t cycles = 0;          ///< of a call; a guess where there is nothing to choose from
  uint64_t constant_bytes = 0;  ///< packed, of all arrays
};

/// Where a layer's kernel will run.
struct LayerPlace {
  /// Scratch that it may have without making the arena larger.
  uint64_t free_scratch = std::numeric_limits<uint64_t>::max();
  uint64_t grain = 1;               ///< bytes of arena that are too few to look for
  bool constants_in_flash = false;  ///< or in fast memory, as far as they fit there
  bool bytes_count = false;         ///< a slower kernel with fewer constants is of use
  bool in_strips = false;           ///< any room may be what there is
};

/// The place to count a whole layer for that runs in strips: no scratch is free, and kernels are
/// counted for any amount of it.
inline LayerPlace place_of_strips(bool constants_in_flash) {
  constexpr uint64_t kGrain = 512;
  return {.free_scratch = 0,
          .grain = kGrain,
          .constants_in_flash = constants_in_flash,
          .in_strips = true};
}

/// Cycles that a strip's call waits for code and constants in flash, which other layers' have
/// pushed out of its cache since the last one; none if fast memory has them. Counts are of one
/// call, so it is what each of the others adds.
uint64_t reload_cycles(const EstimatedKernel& kernel, const Device& device,
                       bool constants_in_flash);

/// The fastest first. None where nothing can be counted, as on a device without a simulator.
/// `also`: points of the layer's space that are worth a look beside templates' defaults; those of 0
/// cycles are counted.
std::vector<EstimatedKernel> estimated_kernels(const Workload& workload, const LayerData& data,
                                               const Device& device, const LayerPlace& place,
                                               std::span<const EstimatedKernel> also = {});

/// What an untuned layer gets that may have all the scratch it wants: the first of those;
/// permitted_default_of() where there are none. kUnsupported: nothing takes it.
Result<PackedSchedule> usual_kernel(const Workload& workload, const LayerData& data,
                                    const Device& device);

}  // namespace tinytune
