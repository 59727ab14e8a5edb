// One step of the SMLAD loop: which values it reads and what it computes from them.
//
// A step reads the inputs of a pair, then its words of weights, pair by pair; every word meets the
// inputs of all pixels. When values are loaded, and where to, is the scheduler's
// (tile/load_scheduler.h). Where one register more saves more than it costs, the loop's end waits
// on the stack.
#pragma once

#include <cstdint>

#include "templates/smlad/smlad_weights.h"
#include "templates/tile/assembly.h"
#include "templates/tile/load_scheduler.h"

namespace tinytune {

/// Where the inputs of a tile are, in bytes from the loop's cursor.
struct SmladInputs {
  int64_t pair_bytes;     ///< from a pair to the next of its step
  int64_t pixel_bytes;    ///< from a pixel to the next
  int64_t step_bytes;     ///< from a step to the next
  bool as_bytes = false;  ///< words of four inputs, widened in the loop: of one pixel
};

struct SmladStep {
  static constexpr int kCursors = 2;

  /// Adds a step's products and advances the cursors. Operands: the cursors of weights and of
  /// inputs, the sums pixel by pixel, the end of the weights, temporaries.
  Assembly code;
  int temporaries = 0;
  /// Then the end's register is lost as well, and what the stack pointer points to is the end.
  bool end_on_stack = false;
};

/// Whether registers and the reach of a load's offset suffice. `pairs`: between tests of the loop.
bool smlad_step_fits(const SmladTile& tile, const SmladInputs& inputs, int pairs);

/// Of a step that fits.
SmladStep smlad_step(const SmladTile& tile, const SmladInputs& inputs, int pairs, LoadOrder loads);

}  // namespace tinytune
