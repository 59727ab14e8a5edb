// What flash is worth in cycles. Logs have kernels that save a thousandth of a layer's cycles by
// code for every length of a loop; such code is not deployed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/networks/network_memory.h"
#include "deploy/selection/kernel_choice.h"
#include "deploy/selection/layer_groups.h"
#include "records/records.h"

namespace tinytune {

/// Cycles of an inference that a byte of flash has to save: a hundredth of what a network's fastest
/// records take, a sixteenth of a hundredth of their cycles. 0 without records.
double worth_of_flash_byte(const NetworkMemory& memory, const std::vector<LayerGroup>& groups,
                           const Records& records);

/// Of a workload's first valid record, which tuning began with.
uint64_t first_cycles(const Records& records, const std::string& workload);

/// A kernel's cycles with what its bytes are worth. Kernels slower than `most_cycles` are behind
/// all others, however small.
struct KernelPrice {
  double of_byte = 0;  ///< 0: the price is the cycles
  double most_cycles = 0;

  double operator()(const KernelOption& option) const;
};

}  // namespace tinytune
