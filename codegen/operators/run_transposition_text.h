// Prints a transposition of runs in place (models/operators/kernels/form.h) as C.
//
// The code follows the cycles of the permutation, which are a constant array. It saves a cycle's
// first run, moves the others, and stores the first last, a few words of each run at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/constant_pool.h"
#include "models/operators/kernels/form.h"

namespace tinytune {

/// Runs of a block, cycle by cycle: each is filled from the next, and the first is repeated at the
/// end of its cycle.
struct RunCycles {
  CType type;
  std::vector<uint8_t> bytes;  ///< of `count` elements
  size_t count;

  explicit RunCycles(const RunTransposition& transposition);
};

/// Prints statements that transpose the bytes at `address`, a multiple of a word; `array` is the
/// symbol of the cycles.
void print_run_transposition(CWriter& w, const RunTransposition& transposition,
                             const RunCycles& cycles, const std::string& array,
                             const std::string& address);

}  // namespace tinytune
