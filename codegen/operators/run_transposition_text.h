// A transposition of runs in place (models/operators/kernels/form.h) as C.
//
// Where each run goes is known, so the cycles of the permutation are a constant array: a cycle's
// first run is kept aside, a few words at a time, while the others move.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/constant_pool.h"
#include "models/operators/kernels/form.h"

namespace tinytune {

/// Runs of a block, cycle by cycle: each is filled from the next, and the first ends its cycle.
struct RunCycles {
  CType type;
  std::vector<uint8_t> bytes;  ///< of `count` elements
  size_t count;

  explicit RunCycles(const RunTransposition& transposition);
};

/// Statements that transpose what is at `address`, which C aligns to words; `array` holds the
/// cycles.
void print_run_transposition(CWriter& w, const RunTransposition& transposition,
                             const RunCycles& cycles, const std::string& array,
                             const std::string& address);

}  // namespace tinytune
