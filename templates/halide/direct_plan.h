// The plan of a schedule of halide/direct.cc: the tile, and the loops of the reduction, from which
// description, packing and code are all derived.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"

namespace tinytune {

/// The loops' view of a workload's output.
struct DirectShape {
  int images, rows, columns;
  int channels, outputs;  ///< per group
  /// Pixels of a 1x1 convolution without padding or stride are one long row: of an image, and with
  /// NHWC of all images.
  bool flat;

  explicit DirectShape(const Workload& workload);
};

/// A loop of the reduction, and how far each turn moves along an axis of the kernel.
struct DirectLoop {
  enum Place { kChannel, kColumn, kRow };

  const char* name;
  int extent;
  bool unrolled;  ///< straight-line code
  Place place;    ///< axis of the kernel
  int by = 1;     ///< places per turn
};

/// `oc` output channels by `px` neighbouring pixels of `py` rows, summed in registers.
struct DirectPlan {
  enum Tiles { kChannels, kColumns, kRows };

  DirectShape shape;
  bool depthwise;
  int oc, px, py;
  std::vector<Tiles> walk;  ///< the loops over tiles, innermost first
  bool images_outermost;    ///< else images are more rows
  bool tile_inside;         ///< the tile's loops are innermost, else the reduction's first loop is
  bool by_layer;            ///< all channels share the words of the requantisation
  std::string border;
  /// Innermost first. Weights are packed in the order that these run, so that their pointer only
  /// ever advances.
  std::vector<DirectLoop> reduction;

  DirectPlan(const Workload& workload, const Schedule& schedule);

  /// Returns the multiplications in the straight-line body.
  int body() const;
  /// Returns whether sums fit registers, pixels fit a row, and the body is short enough for
  /// straight-line code. Beyond that, builds take half a second and spill more than they save.
  bool fits() const;
};

/// For dense layers whose channels share the requantisation; a separate row because its constants
/// differ.
inline constexpr const char* kDirectDenseName = "direct_dense";

/// For every layer. Layouts and depthwise convolution have their own knobs, and so their own rows.
ConfigSpace direct_space(const Workload& workload, const Device& device);
Schedule direct_default(const Workload& workload, const Device& device);
ConfigSpace direct_dense_space(const Workload& workload, const Device& device);
Schedule direct_dense_default(const Workload& workload, const Device& device);

}  // namespace tinytune
