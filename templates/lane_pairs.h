// The inner loops of lane-packed dense layers (lanes_dense.cc) in one piece of assembly for RV32.
//
// Groups, their products and what empties the lanes behind each: every sum has its registers, and
// LLVM, which spills a tile of four pairs, writes nothing between them. A group's length is loaded
// behind the group before. The next pair of weights is loaded before the product of this one.
#pragma once

#include "templates/ir_text.h"

namespace tinytune {

struct LanePairs {
  int pairs;        ///< of channels, a tile
  int first, step;  ///< products before a group's first test, and between tests
};

/// Whether RV32's registers suffice.
bool lane_pairs_fit(const LanePairs& tile);

/// Adds all groups of a tile: `carried` are the cursors of weights, of group lengths and of inputs,
/// then (sum, high) of every pair. Returns them; that of lengths is at the 0 behind the last.
IrText::Values add_lane_pairs(const LanePairs& tile, const IrText::Values& carried, IrText& ir);

}  // namespace tinytune
