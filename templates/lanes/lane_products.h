// The inner loop of wide lanes (wide_lanes_nhwc.cc): words of inputs times bytes of weights, into a
// tile of sums.
//
// As assembly it has a register for everything in it, whatever must rest on the stack around it.
// What differs between instruction sets is in isa/product_isa.h. LLVM has its own order, and spills
// large tiles.
#pragma once

#include "templates/isa/product_isa.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

enum class LaneLoop { kLlvm, kRv32, kThumb1, kThumb2 };

/// Of the assembly; LLVM's loop has RV32's limits.
const ProductIsa& isa_of(LaneLoop loop);

/// Adds all products from `weights` to `weights_end` ([product][channel]) with the words from
/// `inputs` on ([product][word]) to `sums` ([channel][word]), and returns those. Where the
/// instruction set has them staged, what sums start from are the first words instead.
IrText::Values add_lane_products(const LaneTile& tile, LaneLoop loop, const IrText::Value& weights,
                                 const IrText::Value& weights_end, const IrText::Value& inputs,
                                 const IrText::Values& sums, IrText& ir);

}  // namespace tinytune
