// The inner loop of wide lanes (wide_lanes_nhwc.cc) on Thumb-1, of whose sixteen registers most
// instructions see eight.
//
// What the others can do is to be added to: sums live there, r8 and up, and everything else below.
// LDM loads a product's words in one instruction and moves the cursor on. A product destroys one of
// its factors: the last channel may have the words, the channels before it multiply copies.
//
// A byte with its sign takes an index register or a second instruction, so weights are stored with
// 128 added. What that adds to every channel's sums is 128 times the words' own sum: they start
// from that much less. It is the same for all channels, so it is staged once, before the words.
#pragma once

#include <cstdint>

#include "templates/lanes/lane_products.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// What is added to weights.
inline constexpr int kThumbWeightOffset = 128;

/// Whether registers suffice, and a conditional branch reaches over the loop.
bool thumb_tile_fits(const LaneTile& tile);

/// Returns the sums ([channel][word]) of all products from `weights` to `weights_end`
/// ([product][channel]) with the words that follow the first ones in `staged`, which are what
/// sums start from.
IrText::Values thumb_lane_products(const LaneTile& tile, const IrText::Value& weights,
                                   const IrText::Value& weights_end, const IrText::Value& staged,
                                   IrText& ir);

}  // namespace tinytune
