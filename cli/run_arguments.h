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
  std::optional<std::string> input_set, labels;  ///< a folder or a file; a file
  bool reference = false;                        ///< the operators instead of kernels
  uint64_t steps = 1;
  bool verify = false;
  std::optional<std::string> on;  ///< a board's address
  std::optional<std::string> dump_directory;
};

}  // namespace tinytune
