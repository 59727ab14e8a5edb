// The inner loop of all lanes: words that hold several values times bytes, into a tile of sums.
// Of convolutions inputs are in words and weights in bytes, of dense layers it is the other way.
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

/// One product after another of every word of a tile with every byte, `terms` times, for LLVM to
/// order: those of one kind are kept, each of the other passes by. Carries the cursors of weights
/// and of inputs, then sums, [word][byte] if `sums_by_word`, else [byte][word].
struct LaneOrder {
  bool keeps_words, weights_in_words, sums_by_word;
};
Values multiply_lanes(const LaneTile& tile, const LaneOrder& order, int terms,
                      const Values& carried, IrText& ir);

/// Adds all products from `weights` to `weights_end` ([product][channel]) with the words from
/// `inputs` on ([product][word]) to `sums` ([channel][word]), and returns those. Where the
/// instruction set has them staged, what sums start from are the first words instead.
Values add_lane_products(const LaneTile& tile, LaneLoop loop, const Value& weights,
                         const Value& weights_end, const Value& inputs, const Values& sums,
                         IrText& ir);

}  // namespace tinytune
