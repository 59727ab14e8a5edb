// Arguments of `tune report` that no other command has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.h"

namespace tinytune {

struct ReportArguments : Arguments {
  std::optional<std::string> html;     ///< the file to write
  std::optional<std::string> library;  ///< a CSV of what hand-written libraries need
  bool live = false;                   ///< serve it instead
  uint64_t port = 0;                   ///< there; 0: any
};

}  // namespace tinytune
