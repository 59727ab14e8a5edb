// Instructions without a label or a jump between them, and the search for the order that a timing
// model issues fastest.
//
// An order is made front to back: of the instructions whose operands are decided, next comes the
// one that costs least behind what was issued, and of several the one that most depends on. A value
// that is made and used up within the list may be kept in another register than in the text, so
// that loads need not wait for the register they had; how far ahead of the others an instruction
// may come then is limited, since each value that waits takes a register. Several limits and
// measures of what depends on an instruction are tried, and the fastest order is taken; none, if
// the text's own is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/kernels/value_flow.h"
#include "simulator/timing_model.h"

namespace tinytune {

/// The lines in their best order. `end`: the branch behind them, if they are a loop's last ones.
std::vector<std::string> fastest_order(const std::vector<ListedInstruction>& list,
                                       const std::optional<Instruction>& end,
                                       const TimingModel& model);

}  // namespace tinytune
