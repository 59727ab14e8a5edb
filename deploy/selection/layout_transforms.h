// What it costs on a device to copy an image from one layout to the other.
#pragma once

#include <cstdint>

#include "codegen/networks/layout.h"
#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

struct TransformCycles {
  /// Where there is no such transform: dearer than any kernel, cheaper than a kernel that was never
  /// measured.
  static constexpr uint64_t kImpossible = uint64_t{1} << 40;
  uint64_t to_nchw = kImpossible, to_nhwc = kImpossible;
};

/// In the simulator, as the generated code it will be. kFailed: two copies do not fit the device.
/// kNotFound: no compiler on this machine. kUnsupported: the device has no simulator.
Result<TransformCycles> measure_transforms(const ImageShape& shape, const Device& device);

}  // namespace tinytune
