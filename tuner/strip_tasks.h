// The tasks of a network whose whole tensors do not fit: kernels of strips in place of whole
// layers.
//
// A whole layer that does not fit is not measured either, and its kernels would tell little of
// those for a few of its rows. So the network is made first as `compile` makes it of default
// kernels (deployment.h): its strips are tuned, and the same limit gives the same tasks whatever
// the log holds.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/networks/network.h"
#include "codegen/networks/network_memory.h"
#include "deploy/selection/layouts.h"
#include "devices/device.h"
#include "models/tasks.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// What there is to tune. Those of the model keep their numbers; strips' follow.
struct TunedTasks {
  NetworkOptions options = {"network"};  ///< with the strips
  std::vector<Task> tasks;
  std::vector<int> selected;  ///< of them; sorted
  uint64_t arena_bytes = 0;   ///< that the limits, or the device, leave beside data and stack
};

/// In strips where the limits, or the device, leave no room for whole tensors: then a selected
/// task's strips stand for its layers. `selected` are numbers of `tasks`. `sink` hears of networks
/// that are built and run for it; may be empty. kFailed: it does not fit; with the smallest limit
/// that is achievable.
Result<TunedTasks> tuned_tasks(const Model& model, const Device& device, const MemoryLimits& limits,
                               LayoutPolicy layout, const MessageSink& sink,
                               std::vector<Task> tasks, std::vector<int> selected);

/// The tasks of what is deployed within the limits: those of the model, or of its strips. Errors as
/// tuned_tasks().
Result<std::vector<Task>> deployed_tasks(const Model& model, const Device& device,
                                         const MemoryLimits& limits, LayoutPolicy layout,
                                         const MessageSink& sink = {});

}  // namespace tinytune
