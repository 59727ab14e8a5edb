// Tasks: the distinct workloads of a network, each with the layers that share it.
#pragma once

#include <string>
#include <vector>

#include "models/integer_network.h"

namespace tinytune {

struct Task {
  std::string name;  ///< short, for people: "conv2d 1x1 64->64 @25x5"
  Workload workload;
  LayerData data;               ///< of the first layer: what candidates are verified and timed with
  std::vector<int> layers;      ///< operator indices that share the workload
  std::vector<int> calls = {};  ///< of its kernel, by layer, where they run in strips; empty: one
  /// Of the layers behind the first: one kernel runs all of them, so their constants must permit
  /// it.
  std::vector<LayerData> others = {};
};

/// In order of first appearance; this order is the task index of `tune inspect` and `--tasks`.
/// Facts must have been proved.
std::vector<Task> extract_tasks(const IntegerNetwork& network);

}  // namespace tinytune
