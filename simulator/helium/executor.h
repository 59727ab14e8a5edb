// Executes what the emulator's cores lack: the vector extension with integers (MVE-I), low-overhead
// loops and the other instructions of Armv8.1-M, one at a time, on a State beside the core's own.
//
// Everything that an encoding means is in the tables of rows.h. An instruction that is not in them
// is not executed, and one in a place where the architecture leaves its effect open is refused.
#pragma once

#include <cstdint>

#include "simulator/helium/rows.h"
#include "simulator/helium/state.h"

namespace tinytune::helium {

/// The row of an instruction; null for one that is none of these. Of the half words, the one at the
/// lower address is the upper.
const Row* find_row(uint32_t code);

class Executor {
 public:
  enum class Result {
    kDone,     ///< next() tells where the core goes on
    kUnknown,  ///< none of these instructions
    kRefused,  ///< undefined or unpredictable, here at least
    kFault,    ///< a memory access that the core refused
  };

  /// The instruction `code` at `address`, which no IT block makes conditional.
  Result execute(uint32_t code, uint32_t address, Core& core);

  uint32_t next() const { return next_; }
  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  State state_;
  uint32_t next_ = 0;
};

}  // namespace tinytune::helium
