// Groups layers by workload: layers of one workload share a kernel.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/networks/network_memory.h"

namespace tinytune {

struct LayerGroup {
  std::string workload;
  std::vector<size_t> layers;  ///< indices into NetworkMemory::layers
};

std::vector<LayerGroup> group_by_workload(const NetworkMemory& memory);

}  // namespace tinytune
