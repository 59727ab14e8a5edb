// Finds the network of a model for a device, which `compile` writes and `run` runs.
//
// It is found by moves (moves.h): layers one by one with the fastest kernels within the limits
// (kernel_moves.h), in strips if tensors do not fit (strip_moves.cc), on two cores (two_cores.cc),
// with weights that arrive (arriving_weights.cc). Both commands use this search, so that the
// network that was run is the one that is written.
#pragma once

#include <optional>
#include <string>

#include "codegen/networks/network.h"
#include "deploy/execution/candidate.h"
#include "deploy/selection/layouts.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/deploy.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

class MoveTrace;

/// Returns the way of that name in the device's file; nothing for an empty name. kInvalidInput: the
/// file has no such way.
Result<std::optional<ArrivalWay>> find_arrival(const std::string& device, const std::string& name);

/// The problem of a search: a model, a device and limits.
struct Deployment {
  const Model& model;
  const Device& device;
  const Records& records;
  const MemoryLimits& limits;
  const MessageSink& sink;  ///< may be empty
  InputArrival input = InputArrival::kWhole;
  std::optional<ArenaShare> share = {};    ///< with networks that run before and after this one
  int cores = 1;                           ///< 2: layers are shared if that takes fewer cycles
  bool compress_weights = false;           ///< as in CompileOptions
  std::optional<ArrivalWay> arrival = {};  ///< weights arrive by it if that takes fewer cycles
  MoveTrace* trace = nullptr;              ///< records the moves tried; may be null

  /// Returns the same deployment on another device, or with other records.
  Deployment with(const Device& other, const Records& known) const;

  /// Returns the options of the network layer by layer on one core, with these layouts.
  NetworkOptions options(LayoutChoice& layouts) const;

  /// Generates the network, with its report if it ran. Errors as for generate_within(). kFailed:
  /// its arena does not fit the device, or its RAM exceeds the limit. kInvalidInput, kUnsupported:
  /// the device or the other options do not allow these cores or this way of arrival.
  Result<Candidate> generate(LayoutChoice& layouts) const;
};

/// Returns the deployment for the options of a run; all arguments must outlive it.
Deployment deployment_of(const Model& model, const Device& device, const Records& records,
                         const RunOptions& options, std::optional<ArrivalWay> arrival);

}  // namespace tinytune
