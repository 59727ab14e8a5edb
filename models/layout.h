// Converts the bytes of an activation between NHWC and NCHW.
//
// Graphs, files and reports use NHWC throughout; NCHW exists only inside a generated network and in
// workloads of NCHW kernels. So only this file converts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/workload.h"

namespace tinytune {

/// Extents of an int8 activation.
struct ImageShape {
  int batch = 1, rows = 1, columns = 1, channels = 1;
};

/// Converts `bytes`, images in layout `from`, to the other layout.
std::vector<uint8_t> transposed(std::span<const uint8_t> bytes, const ImageShape& shape,
                                Layout from);

/// Returns whether both layouts give the same bytes: one pixel, or one channel.
bool layout_is_free(const ImageShape& shape);

}  // namespace tinytune
