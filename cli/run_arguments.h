// Arguments of `tune run` that no other command has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace tinytune {

struct RunArguments : Arguments {
  std::vector<std::string> inputs, outputs;
  std::optional<std::string> input_set, labels;  ///< folder or file; file
  bool reference = false;                        ///< run the reference operators, not kernels
  uint64_t steps = 1;
  bool verify = false;
  std::optional<std::string> on;  ///< address of a board
  std::optional<std::string> dump_directory;
};

}  // namespace tinytune
