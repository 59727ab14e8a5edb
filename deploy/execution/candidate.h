// A network that may be deployed, with its report once it has run.
#pragma once

#include <optional>

#include "codegen/networks/network.h"
#include "tinytune/deploy.h"

namespace tinytune {

struct Candidate {
  GeneratedNetwork network;
  std::optional<RunReport> ran = {};  ///< set once it has run
};

}  // namespace tinytune
