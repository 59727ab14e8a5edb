// Arguments of `tune report` that no other command has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.h"

namespace tinytune {

struct ReportArguments : Arguments {
  std::optional<std::string> html;     ///< file to write
  std::optional<std::string> library;  ///< CSV of hand-written libraries' instruction counts
  bool live = false;                   ///< serve the page instead of writing it
  uint64_t port = 0;                   ///< of the server; 0: any
};

}  // namespace tinytune
