// The network that a model and its records make for a device: what `compile` writes and `run` runs.
//
// Moves find it (moves.h): layers one by one with the fastest kernels within the limits
// (kernel_moves.h), in strips where tensors do not fit (strip_moves.cc), on two cores
// (two_cores.cc), with weights that arrive (arriving_weights.cc). Both commands make it here, so
// that what was run is what is written.
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

/// The one that the device's file names so; none for an empty name. kInvalidInput: it has none.
Result<std::optional<ArrivalWay>> find_arrival(const std::string& device, const std::string& name);

/// A model, a device and limits: what a network is searched for.
struct Deployment {
  const Model& model;
  const Device& device;
  const Records& records;
  const MemoryLimits& limits;
  const MessageSink& sink;  ///< may be empty
  InputArrival input = InputArrival::kWhole;
  std::optional<ArenaShare> share = {};    ///< with networks that run before and after this one
  int cores = 1;                           ///< 2: layers are shared where that takes fewer cycles
  bool compress_weights = false;           ///< as CompileOptions'
  std::optional<ArrivalWay> arrival = {};  ///< by which weights come where that takes fewer cycles
  MoveTrace* trace = nullptr;              ///< notes what is tried; may be null

  /// The same on another device, or with other records.
  Deployment with(const Device& other, const Records& known) const;

  /// As the model and its layouts have them, layer by layer on one core.
  NetworkOptions options(LayoutChoice& layouts) const;

  /// With what it took, if it ran. Errors as generate_within(). kFailed: its arena does not fit the
  /// device, or all it takes not the limit on RAM. kInvalidInput, kUnsupported: cores, or a way of
  /// arrival, that the device or the other options do not allow.
  Result<Candidate> generate(LayoutChoice& layouts) const;
};

/// As the options of a run have it; all that it is given outlives it.
Deployment deployment_of(const Model& model, const Device& device, const Records& records,
                         const RunOptions& options, std::optional<ArrivalWay> arrival);

}  // namespace tinytune
