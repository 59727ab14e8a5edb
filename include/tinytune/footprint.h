// What a network takes of a device: RAM by its parts, flash, and the time of one inference.
//
// RAM is all that a linked firmware gives to the network, and not the arena alone: where flash is
// slow, weights and code are copied next to it and may take more than every tensor together. The
// parts are sizes of sections of the linked library, so that a firmware that links the same files
// finds the same bytes in its own map. Only the stack is in no section; it is measured: the deepest
// word that one inference in the simulator wrote, rounded up to the alignment that the calling
// convention gives the stack pointer. Generated code has no recursion, no function pointers and no
// array whose size depends on data, so that one inference goes as deep as any. Interrupts use the
// same stack and are the firmware's to add.
#pragma once

#include <cstdint>

namespace tinytune {

/// RAM by its parts, flash and time of one network.
struct Footprint {
  uint64_t arena_bytes = 0;    ///< tensors and kernels' scratch, inputs and outputs included
  uint64_t weights_bytes = 0;  ///< constants that start-up code copies to RAM
  uint64_t weights_beside_arena_bytes = 0;  ///< those of them in the memory that the arena is in
  uint64_t code_bytes = 0;                  ///< functions that start-up code copies to RAM
  uint64_t data_bytes = 0;                  ///< .data and .bss of the library beside those
  uint64_t stack_bytes = 0;                 ///< the deepest of one inference, of all its cores
  int stacks = 1;                           ///< cores that have one, each as deep
  /// Text, constants and initial data of the library; what is copied to RAM is in here too.
  uint64_t flash_bytes = 0;
  uint64_t cycles = 0;  ///< of one inference

  uint64_t ram_bytes() const {  ///< the sum of the five parts
    return arena_bytes + weights_bytes + code_bytes + data_bytes + stack_bytes;
  }
};

}  // namespace tinytune
