// What each workload of a network is computed with, so that it can be generated again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network.h"

namespace tinytune {

using Schedules = std::map<std::string, GivenSchedule>;  // by workload

/// Of a layer, and of both halves where cores share it.
using LayerWorkloads = std::vector<std::vector<std::string>>;  // by step

LayerWorkloads workloads_of(const LaidOutGraph& graph, const std::vector<CoreSplit>& splits);

Schedules schedules_of(const LayerWorkloads& workloads, const GeneratedNetwork& network);

}  // namespace tinytune
