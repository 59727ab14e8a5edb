// What hand-written libraries need for the same network, for a report to stand beside: a CSV of
// somebody's measurements, because a log has none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tinytune/result.h"

namespace tinytune {

/// Instructions of one inference by library and by operator of the model.
using LibraryCounts = std::map<std::string, std::map<int, uint64_t>>;

/// Reads columns `library`, `layer` and `instructions` of a CSV with a header; lines that start
/// with
/// '#' are comments. Where there are columns `model` and `core`, a row counts if `model` is the
/// model file's stem, and the other is contained in `core`, which names the device's. Of several
/// rows the least counts. kNotFound, kInvalidInput: no such file, a column is missing, or a number
/// is none.
Result<LibraryCounts> read_library_counts(const std::string& path, const std::string& model,
                                          const std::string& core);

}  // namespace tinytune
