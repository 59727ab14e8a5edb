// Weighs flash against cycles. Some measured kernels save 0.1 % of a layer's cycles with separate
// code for every loop length; a network does not deploy them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/networks/network_memory.h"
#include "deploy/selection/kernel_choice.h"
#include "deploy/selection/layer_groups.h"
#include "records/records.h"

namespace tinytune {

/// Returns the cycles of an inference that a byte of flash has to save: 1/16 of cycles per byte of
/// the network's fastest records. 0 without records.
double worth_of_flash_byte(const NetworkMemory& memory, const std::vector<LayerGroup>& groups,
                           const Records& records);

/// Returns the cycles of a workload's first valid record, of the kernel that tuning started with.
uint64_t first_cycles(const Records& records, const std::string& workload);

/// Prices a kernel: its cycles plus the worth of its flash. Kernels slower than `most_cycles` cost
/// more than all others, however small they are.
struct KernelPrice {
  double of_byte = 0;  ///< 0: the price is the cycles
  double most_cycles = 0;

  double operator()(const KernelOption& option) const;
};

}  // namespace tinytune
