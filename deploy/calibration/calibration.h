// Figures of a device file fitted to what a board took for the layers of a network.
//
// The simulator counts how often something is waited for exactly, and multiplies by figures of the
// device file, some of which nobody has measured. How a layer's cycles depend on such a figure is
// asked of the simulator itself, by running the network with one cycle more of it; so a fit knows
// nothing of caches or pipelines, and whatever a device file has can be fitted. Cycles are exactly
// linear in what memories make wait and nearly so in the core's own figures: a few rounds do. Only
// layers of kernels are fitted to: those are assembly, while a layer in C is other instructions
// with every compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deploy/calibration/board_times.h"
#include "devices/costs.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

struct CalibrationOptions {
  /// The network that ran on the board, as it was compiled; of these only what chooses it counts.
  RunOptions network;
  std::vector<std::string> costs;  ///< names of devices/costs.h; empty: those uncertain
};

struct FittedCost {
  Cost cost;
  uint32_t before = 0, after = 0;  ///< cycles
  int layers = 0;                  ///< in which it shows; 0: nothing is known of it, and it stays
};

struct CalibratedLayer {
  int index = 0;                                     ///< of the model's operator
  std::string op;                                    ///< TFLite's name
  uint64_t measured = 0, simulated = 0, fitted = 0;  ///< cycles: board; simulator before and after
};

struct Calibration {
  std::vector<FittedCost> costs;
  std::vector<CalibratedLayer> layers;
  /// Mean over the layers of the share by which the simulator is off, before and after.
  double error_before = 0, error_after = 0;
  Device device;  ///< with the fitted figures
};

/// kInvalidInput: the times are of another library or device than these options make, they have no
/// layer that is simulated, or the device has no such figure. kUnsupported: no simulator. Others as
/// run_model().
Result<Calibration> calibrate(const Model& model, const std::string& device,
                              const BoardTimes& times, const CalibrationOptions& options);

}  // namespace tinytune
