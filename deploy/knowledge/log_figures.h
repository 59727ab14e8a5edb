// Compares the cycles that a log has for a network's kernels with those that the network takes.
//
// They may differ because a kernel is measured alone: in a network its code and weights may lie in
// other memory, and caches hold what the layer before left. A log may also be edited, or come from
// another machine.
#pragma once

#include <optional>
#include <string>

#include "codegen/networks/network.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "tinytune/deploy.h"

namespace tinytune {

struct LogFigures {
  MessageKind kind = MessageKind::kInfo;  ///< a warning: of some layer they do not hold
  std::string line;
};

/// Nothing where every tuned layer takes what its record has. Figures of a simulator have no noise,
/// so any other one counts; of a board's, only what its simulator's errors do not explain.
std::optional<LogFigures> compare_with_log(const IntegerNetwork& executed,
                                           const GeneratedNetwork& network, const RunReport& ran,
                                           const Records& records);

}  // namespace tinytune
