// Instruction counts of hand-written libraries for the same network, for comparison in a report:
// read from a user-supplied CSV, because a log has none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tinytune/result.h"

namespace tinytune {

/// Instructions of one inference by library and by operator of the model.
using LibraryCounts = std::map<std::string, std::map<int, uint64_t>>;

/// Reads columns `library`, `layer` and `instructions` of a CSV with a header; lines that start
/// with '#' are comments. If there are columns `model` and `core`, only rows are used whose `model`
/// is the argument `model` (the model file's stem) and whose `core` is part of the argument `core`
/// (the device's). Of several rows for a layer the smallest count is used. kNotFound,
/// kInvalidInput: no such file, a missing column, or a malformed number.
Result<LibraryCounts> read_library_counts(const std::string& path, const std::string& model,
                                          const std::string& core);

}  // namespace tinytune
