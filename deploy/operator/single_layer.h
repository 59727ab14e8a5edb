// One layer of a network by itself, and what a kernel of it costs.
#pragma once

#include <string>

#include "devices/device.h"
#include "models/integer_network.h"
#include "schedules/schedule.h"
#include "tinytune/explain.h"
#include "tinytune/result.h"

namespace tinytune {

/// The operator `index` of the model as a network of its own. Its tensors are what they are there:
/// that the model's have more channels is nothing to it.
IntegerNetwork single_layer(const IntegerNetwork& network, int index);

/// One call of the layer with `schedule`, in the simulator. kFailed: it does not build or run;
/// kNotFound: no compiler on this machine.
Result<KernelCost> cost_of(const IntegerNetwork& layer, const Device& device,
                           const Schedule& schedule, std::string role);

}  // namespace tinytune
