// The text of one step of the SMLAD loop, its registers assigned by counting.
//
// What a step reads is a queue in the order of use: the inputs of a pair, then its words of
// weights. A register that has served takes the queue's next entry; left to decide is when. Where
// one register more saves more than it costs, the loop's end waits on the stack.
#pragma once

#include <cstdint>
#include <string>

#include "devices/device.h"
#include "schedules/config_space.h"
#include "templates/smlad/smlad_weights.h"

namespace tinytune {

/// When a free register is loaded again.
enum class SmladLoads {
  /// Once nothing loaded is left: all together. On a Cortex-M4 the second and later loads of a
  /// group take one cycle, and one by itself two.
  kGrouped,
  /// At once, between products: a Cortex-M7 does both in one cycle, and waits for a word that was
  /// loaded just before it is multiplied.
  kSpread,
  /// As grouped, neighbours by one LDRD: fewer instructions. On a Cortex-M4 it takes as many cycles
  /// as two loads by themselves, and more than the later ones of a group.
  kPaired,
};

/// "loads": {"grouped", "spread", "paired"}.
Knob loads_knob();
/// `value` is that knob's.
SmladLoads smlad_loads(const std::string& value);
/// The value for an untuned layer: spread on a core that issues two instructions a cycle, paired
/// where instructions are counted.
std::string usual_loads(const Device& device);

/// Where the inputs of a tile are, in bytes from the loop's cursor.
struct SmladInputs {
  int64_t pair_bytes;     ///< from a pair to the next of its step
  int64_t pixel_bytes;    ///< from a pixel to the next
  int64_t step_bytes;     ///< from a step to the next
  bool as_bytes = false;  ///< words of four inputs, widened in the loop: of one pixel
};

struct SmladStep {
  static constexpr int kCursors = 2;

  /// Lines of LLVM assembly that add a step's products and advance the cursors. Operands by
  /// number: the cursors of weights and of inputs, the sums pixel by pixel, the end of the weights,
  /// temporaries.
  std::string text;
  int temporaries = 0;
  /// Then the end's register is lost as well, and what the stack pointer points to is the end.
  bool end_on_stack = false;
};

/// Whether registers and the reach of a load's offset suffice. `pairs`: between tests of the loop.
bool smlad_step_fits(const SmladTile& tile, const SmladInputs& inputs, int pairs);

/// Of a step that fits.
SmladStep smlad_step(const SmladTile& tile, const SmladInputs& inputs, int pairs, SmladLoads loads);

}  // namespace tinytune
