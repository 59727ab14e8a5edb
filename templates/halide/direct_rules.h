// What direct convolutions of both layouts have in common: tiles of `oc` output channels by `px`
// neighbouring pixels, summed in registers.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "schedules/loop_nest.h"
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

struct DirectTile {
  int oc, px;
};

/// Whether its sums fit registers, its pixels a row, and `body` multiplies straight-line code.
/// Beyond that, builds take half a second and spill more than they save.
bool direct_tile_fits(const DirectTile& tile, const DirectShape& shape, int body);

/// "oc" and "px".
Knob direct_channels_knob(const DirectShape& shape);
Knob direct_pixels_knob(const DirectShape& shape);
/// "order": whether tiles of channels or of pixels are the outer loop.
Knob direct_order_knob(const DirectShape& shape);

/// "inside": what runs innermost, the tile. The reduction never won there; the knob stays with the
/// value it has because records name it.
Knob direct_inside_knob();

/// The usual tile: the squarest of at most 16 sums (they, their operands and the pointers fill the
/// registers of RV32). Where instructions reach eight registers, up to four pixels of one channel:
/// 21 to 30 % fewer cycles than the squarest tile on bench/spaces' tables of rp2040.
DirectTile usual_direct_tile(const DirectShape& shape, const Target& target);
/// The largest of `unrolls` that makes at most some 64 products, where 1 makes `products`.
int usual_unroll(const std::vector<int>& unrolls, int products);

/// What a description says besides its loops.
void describe_direct(const Workload& workload, const Schedule& schedule, const DirectShape& shape,
                     const DirectTile& tile, int body, LoopNest& nest);

}  // namespace tinytune
