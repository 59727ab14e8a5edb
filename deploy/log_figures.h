// What a log promises of a network's kernels, against what the network takes.
//
// A kernel is measured alone. In a network its code and weights may lie elsewhere, caches hold what
// the layer before left, and a log may be edited, or of another machine: what differs is said.
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
