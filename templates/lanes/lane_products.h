// The inner loop of wide lanes (wide_lanes_nhwc.cc): words of inputs times bytes of weights, into a
// tile of sums.
//
// A step loads the fewer of words and weights into registers, and the others one by one. As
// assembly for RV32 it has a register for everything in it, whatever must rest on the stack around
// it, and loads the next word or weight before the products of this one where a register is left:
// cores wait for what they just loaded. LLVM has its own order, and spills large tiles.
#pragma once

#include <cstdint>

#include "templates/tile/ir_text.h"

namespace tinytune {

struct LaneTile {
  int channels, words;  ///< sums: one for each of both
  int step;             ///< products between tests of the loop

  int64_t weight_bytes() const { return int64_t{step} * channels; }  ///< of a step
  int64_t word_bytes() const { return int64_t{4} * step * words; }
};

/// Whether RV32's registers suffice.
bool lane_tile_fits(const LaneTile& tile);

enum class LaneLoop { kLlvm, kRiscv, kThumb };  ///< the last is thumb_lanes.h

/// Adds all products from `weights` to `weights_end` ([product][channel]) with the words from
/// `inputs` on ([product][word]) to the sums ([channel][word]), and returns those.
IrText::Values add_lane_products(const LaneTile& tile, LaneLoop loop, const IrText::Value& weights,
                                 const IrText::Value& weights_end, const IrText::Value& inputs,
                                 const IrText::Values& sums, IrText& ir);

}  // namespace tinytune
