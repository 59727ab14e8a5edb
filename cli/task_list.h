// Parses lists of tasks on the command line.
#pragma once

#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// Parses "0,2-5" to {0, 2, 3, 4, 5}, sorted, without duplicates. kInvalidInput: another form, or
/// an index that is not below `count`.
Result<std::vector<int>> parse_task_list(std::string_view text, int count);

}  // namespace tinytune
