// A network's footprint on a device: RAM by its parts, flash, and the time of one inference.
//
// RAM is all that a linked firmware gives to the network, not only the arena: where flash is slow,
// weights and code are copied to RAM and may take more than all tensors together. The parts are
// sizes of sections of the linked library, so that a firmware that links the same files finds the
// same bytes in its own map. Only the stack is in no section; it is measured: the deepest word that
// one inference in the simulator wrote, rounded up to the stack alignment of the calling
// convention. Generated code has no recursion, no function pointers and no variable-length array,
// so that every inference goes equally deep. Interrupts use the same stack; the firmware has to add
// their part.
#pragma once

#include <cstdint>

namespace tinytune {

/// RAM by its parts, flash and time of one network.
struct Footprint {
  uint64_t arena_bytes = 0;    ///< tensors and kernels' scratch, inputs and outputs included
  uint64_t weights_bytes = 0;  ///< constants that start-up code copies to RAM
  uint64_t weights_beside_arena_bytes = 0;  ///< part of weights_bytes in the arena's memory
  uint64_t code_bytes = 0;                  ///< functions that start-up code copies to RAM
  uint64_t data_bytes = 0;                  ///< the library's other .data and .bss
  uint64_t stack_bytes = 0;                 ///< deepest stack of one inference, sum over all cores
  int stacks = 1;                           ///< cores with a stack, all equally deep
  /// Text, constants and initial data of the library, including everything copied to RAM.
  uint64_t flash_bytes = 0;
  uint64_t cycles = 0;  ///< of one inference

  uint64_t ram_bytes() const {  ///< the sum of the five parts
    return arena_bytes + weights_bytes + code_bytes + data_bytes + stack_bytes;
  }
};

}  // namespace tinytune
