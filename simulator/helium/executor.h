// Executes the instructions that the emulator's cores lack: integer vectors (MVE-I), low-overhead
// loops and the other instructions of Armv8.1-M, one at a time, on a State beside the core's own.
//
// The tables of rows.h define all encodings. An instruction that is not in them is not executed,
// and one whose effect in its context is undefined or unpredictable is refused.
#pragma once

#include <cstdint>

#include "simulator/helium/rows.h"
#include "simulator/helium/state.h"

namespace tinytune::helium {

/// Returns the row of an instruction; null: unknown. `code` has the half word at the lower address
/// in its upper bits.
const Row* find_row(uint32_t code);

class Executor {
 public:
  enum class Result {
    kDone,     ///< next() is the address of the next instruction
    kUnknown,  ///< not in the tables
    kRefused,  ///< undefined or unpredictable in its context
    kFault,    ///< a memory access that the core refused
  };

  /// Executes `code` at `address`; requires that no IT block makes it conditional.
  Result execute(uint32_t code, uint32_t address, Core& core);

  uint32_t next() const { return next_; }
  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  State state_;
  uint32_t next_ = 0;
};

}  // namespace tinytune::helium
