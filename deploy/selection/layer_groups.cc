#include "deploy/selection/layer_groups.h"

#include <map>

namespace tinytune {

std::vector<LayerGroup> group_by_workload(const NetworkMemory& memory) {
  std::vector<LayerGroup> groups;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < memory.layers.size(); ++i) {
    const std::string text = to_text(memory.layers[i].op.workload);
    const auto [at, is_new] = known.try_emplace(text, groups.size());
    if (is_new) groups.push_back({text, {}});
    groups[at->second].layers.push_back(i);
  }
  return groups;
}

}  // namespace tinytune
