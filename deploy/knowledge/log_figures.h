// Compares the logged cycles of a network's kernels with those in the network.
//
// They may differ because a kernel is measured alone: in a network its code and weights may be in
// other memory, and the previous layer leaves its data in the caches. A log may also have been
// edited, or come from another machine.
#pragma once

#include <optional>
#include <string>

#include "codegen/networks/network.h"
#include "models/integer_network.h"
#include "records/records.h"
#include "tinytune/deploy.h"

namespace tinytune {

struct LogFigures {
  MessageKind kind = MessageKind::kInfo;  ///< kWarning: wrong for some layer
  std::string line;
};

/// Returns nothing if every tuned layer takes the cycles of its record. A simulator's figures have
/// no noise, so any difference counts; a board's count only beyond its simulator's error.
std::optional<LogFigures> compare_with_log(const IntegerNetwork& executed,
                                           const GeneratedNetwork& network, const RunReport& ran,
                                           const Records& records);

}  // namespace tinytune
