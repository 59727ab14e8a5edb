// The bytes of an activation in one layout or the other.
//
// Graphs, files and reports speak NHWC throughout; NCHW exists only inside a generated network and
// in workloads of NCHW kernels. So this is the one place where bytes cross over.
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

/// `bytes` hold an image in layout `from`; the result holds it in the other one.
std::vector<uint8_t> transposed(std::span<const uint8_t> bytes, const ImageShape& shape,
                                Layout from);

/// Whether both layouts are the same bytes: one pixel, or one channel.
bool layout_is_free(const ImageShape& shape);

}  // namespace tinytune
