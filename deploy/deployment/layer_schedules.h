// The schedule of each workload of a network, so that the network can be generated again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network.h"

namespace tinytune {

using Schedules = std::map<std::string, GivenSchedule>;  // by workload

/// Workloads of each layer; of both halves if cores share it.
using LayerWorkloads = std::vector<std::vector<std::string>>;  // by step

LayerWorkloads workloads_of(const LaidOutGraph& graph, const std::vector<CoreSplit>& splits);

Schedules schedules_of(const LayerWorkloads& workloads, const GeneratedNetwork& network);

}  // namespace tinytune
