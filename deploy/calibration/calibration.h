// Fits figures of a device file to the cycles that a board took for the layers of a network.
//
// The simulator counts the number of waits exactly and multiplies it by figures of the device file,
// some of which have never been measured. The derivative of a layer's cycles by such a figure is
// found by simulating the network with the figure increased by one cycle; so the fit needs no model
// of caches or pipelines, and any figure of a device file can be fitted. Cycles are exactly linear
// in the waits of memories and nearly so in the core's own figures, so a few rounds are enough.
// Only layers of kernels are used: they are assembly, while layers in C differ with every compiler.
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
  /// Options that select the network that ran on the board, as it was compiled.
  RunOptions network;
  std::vector<std::string> costs;  ///< names of devices/costs.h; empty: the uncertain ones
};

struct FittedCost {
  Cost cost;
  uint32_t before = 0, after = 0;  ///< cycles
  int layers = 0;                  ///< layers that depend on it; 0: it cannot be fitted and stays
};

struct CalibratedLayer {
  int index = 0;                                     ///< of the model's operator
  std::string op;                                    ///< TFLite's name
  uint64_t measured = 0, simulated = 0, fitted = 0;  ///< cycles: board, simulator before, after
};

struct Calibration {
  std::vector<FittedCost> costs;
  std::vector<CalibratedLayer> layers;
  /// Mean relative error of the simulator over the layers, before and after.
  double error_before = 0, error_after = 0;
  Device device;  ///< with the fitted figures
};

/// Fits the figures. kInvalidInput: the times are of another library or device than these options
/// produce, they have no simulated layer, or the device has no such figure. kUnsupported: no
/// simulator. Other errors: those of run_model().
Result<Calibration> calibrate(const Model& model, const std::string& device,
                              const BoardTimes& times, const CalibrationOptions& options);

}  // namespace tinytune
