// The network that a model and its records make for a device: what `compile` writes and `run` runs.
//
// Kernels are chosen within limits (fitting.h), code and weights placed in fast memory
// (fast_memory.h), layouts compared (layouts.h). Both commands make it here, so that what was run
// is what is written.
#pragma once

#include "codegen/networks/network.h"
#include "deploy/layouts.h"
#include "devices/device.h"
#include "records/records.h"
#include "tinytune/memory.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

struct Deployment {
  const Model& model;
  const Device& device;
  const Records& records;
  const MemoryLimits& limits;
  const MessageSink& sink;  ///< may be empty

  /// Errors as generate_within(). kFailed: its arena does not fit the device.
  Result<GeneratedNetwork> generate(LayoutChoice& layouts) const;

 private:
  Result<GeneratedNetwork> choose_kernels(const NetworkOptions& options) const;
  Status check_arena(const GeneratedNetwork& network) const;
  Status place(const NetworkOptions& options, GeneratedNetwork& network) const;
};

}  // namespace tinytune
