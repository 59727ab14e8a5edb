// Cost of weights that do not fit the memory that their device prefers for them.
//
// Kernels are measured with their weights in the first memory for copies, because only placing a
// network shows which of its layers overflow that memory. A run of the placed network then measures
// each of those layers with its weights where they are; the excess over its record is the cost of
// its bytes there. Choosing kernels again with that cost finds kernels that fit the preferred
// memory, or lose less outside it. On the STM32L4R5 loads of tensors in SRAM1 and weights in SRAM3
// do not overlap, which costs a tuned pointwise loop 11 %.
#pragma once

#include "codegen/networks/network.h"
#include "codegen/networks/network_memory.h"
#include "deploy/selection/kernel_options.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/deploy.h"

namespace tinytune {

/// Returns the cost in cycles per byte of each layer that overflowed and whose kernel has a record.
/// `ran` is a run of `network`, which was generated from `memory`.
FlashWaits overflow_costs(const NetworkMemory& memory, const GeneratedNetwork& network,
                          const RunReport& ran, const Device& device, const Records& records);

}  // namespace tinytune
