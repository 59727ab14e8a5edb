// Measures the cycles of copying an image from one layout to the other on a device.
#pragma once

#include <cstdint>

#include "codegen/networks/layout.h"
#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

struct TransformCycles {
  /// Value if there is no such transform: more than any kernel, less than a kernel that was never
  /// measured.
  static constexpr uint64_t kImpossible = uint64_t{1} << 40;
  uint64_t to_nchw = kImpossible, to_nhwc = kImpossible;
};

/// Runs the generated code in the simulator. kFailed: two copies of the image do not fit the
/// device. kNotFound: no compiler on this machine. kUnsupported: the device has no simulator.
Result<TransformCycles> measure_transforms(const ImageShape& shape, const Device& device);

}  // namespace tinytune
