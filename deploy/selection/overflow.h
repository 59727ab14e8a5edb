// What weights cost that found no room in the memory their device prefers for them.
//
// Kernels are measured with their weights in the first memory that may take copies, because which
// layers of a network overflow it shows only when the network is placed. Once it is, one run of it
// says what each of those layers takes where its weights are now; what that is more than its record
// has, is what its bytes cost there. Choosing kernels again with that cost finds those that fit the
// preferred memory, or lose less outside it. On the STM32L4R5 loads of tensors in SRAM1 and weights
// in SRAM3 do not overlap, which costs a tuned pointwise loop 11 %.
#pragma once

#include "codegen/networks/network.h"
#include "codegen/networks/network_memory.h"
#include "deploy/selection/kernel_options.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/deploy.h"

namespace tinytune {

/// Cycles a byte, by layer, of those that overflowed and whose kernel has a record. `ran` is of
/// `network`, which was made of `memory`.
FlashWaits overflow_costs(const NetworkMemory& memory, const GeneratedNetwork& network,
                          const RunReport& ran, const Device& device, const Records& records);

}  // namespace tinytune
