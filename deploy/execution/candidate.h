// A network that may be deployed, and what it took.
#pragma once

#include <optional>

#include "codegen/networks/network.h"
#include "tinytune/deploy.h"

namespace tinytune {

struct Candidate {
  GeneratedNetwork network;
  std::optional<RunReport> ran = {};  ///< once it ran
};

}  // namespace tinytune
