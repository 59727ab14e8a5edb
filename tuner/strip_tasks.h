// The tasks of a network whose whole tensors do not fit: kernels of strips instead of whole layers.
//
// A whole layer that does not fit cannot be measured, and its kernels would say little about those
// for a few of its rows. So the network is first planned as `compile` does with default kernels
// (deployment.h), and its strips are tuned. The same limit gives the same tasks, independent of the
// log.
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

/// The tasks to tune. The model's tasks keep their numbers; those of strips follow.
struct TunedTasks {
  NetworkOptions options = {"network"};  ///< includes the strips
  std::vector<Task> tasks;
  std::vector<int> selected;  ///< indices of the tasks to tune; sorted
  uint64_t arena_bytes = 0;   ///< bytes that the limits, or the device, leave beside data and stack
};

/// Returns the tasks to tune. If the limits, or the device, leave no room for whole tensors, the
/// strips of a selected task's layers replace these layers. `selected`: indices into `tasks`.
/// `sink`, which may be empty, is told about networks that are built and run meanwhile. kFailed:
/// the network does not fit; the message names the smallest achievable limit.
Result<TunedTasks> tuned_tasks(const Model& model, const Device& device, const MemoryLimits& limits,
                               LayoutPolicy layout, const MessageSink& sink,
                               std::vector<Task> tasks, std::vector<int> selected);

/// Returns the tasks of the network deployed within the limits: those of the model, or of its
/// strips. Errors as for tuned_tasks().
Result<std::vector<Task>> deployed_tasks(const Model& model, const Device& device,
                                         const MemoryLimits& limits, LayoutPolicy layout,
                                         const MessageSink& sink = {});

}  // namespace tinytune
