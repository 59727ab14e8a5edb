// Isolates one layer of a network, and measures the cost of a kernel for it.
#pragma once

#include <string>

#include "devices/device.h"
#include "models/integer_network.h"
#include "schedules/schedule.h"
#include "tinytune/explain.h"
#include "tinytune/result.h"

namespace tinytune {

/// Returns the operator `index` of the model as a network of its own, with the tensors of the
/// executed network, which may have fewer channels than the model's.
IntegerNetwork single_layer(const IntegerNetwork& network, int index);

/// Runs the layer once with `schedule` in the simulator. kFailed: it does not build or run;
/// kNotFound: no compiler on this machine.
Result<KernelCost> cost_of(const IntegerNetwork& layer, const Device& device,
                           const Schedule& schedule, std::string role);

}  // namespace tinytune
