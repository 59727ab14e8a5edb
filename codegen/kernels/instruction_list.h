// List scheduling: searches the order of a straight-line list of instructions, without a label or a
// jump between them, that a timing model issues fastest.
//
// An order is built front to back. Of the instructions whose operands are ready, the next one is
// that with the least lower bound of all cycles, then with the least cycles so far; ties go, e.g.,
// to the longest chain of dependents. A value that is defined and consumed within the list may get
// another register than in the text, so that loads need not wait for theirs. The look-ahead is
// limited then, since each waiting value occupies a register. Several limits and tie-breaks are
// tried, and the fastest order is taken; the text's own stays if none is faster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/kernels/value_flow.h"
#include "simulator/timing_model.h"

namespace tinytune {

/// Returns the lines in the fastest order. `end`: the branch behind them, if they end a loop.
std::vector<std::string> fastest_order(const std::vector<ListedInstruction>& list,
                                       const std::optional<Instruction>& end,
                                       const TimingModel& model);

}  // namespace tinytune
