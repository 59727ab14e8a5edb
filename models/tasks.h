// Tasks: the distinct workloads of a network, each with the layers that share it.
#pragma once

#include <string>
#include <vector>

#include "models/integer_network.h"

namespace tinytune {

struct Task {
  std::string name;  ///< short, for people: "conv2d 1x1 64->64 @25x5"
  Workload workload;
  LayerData data;               ///< of the first layer; candidates are verified and timed with it
  std::vector<int> layers;      ///< operator indices that share the workload
  std::vector<int> calls = {};  ///< kernel calls by layer, if they run in strips; empty: one each
  /// Constants of the other layers, which must permit the kernel, too: it runs all of them.
  std::vector<LayerData> others = {};
};

/// Returns tasks in order of first appearance, which gives the task index of `tune inspect` and
/// `--tasks`. Requires proved facts.
std::vector<Task> extract_tasks(const IntegerNetwork& network);

}  // namespace tinytune
