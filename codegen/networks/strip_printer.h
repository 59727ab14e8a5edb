// Prints the function of a group of operators that run strip by strip.
//
// Each strip is a list of statements with addresses. Consecutive strips whose addresses differ by
// constant steps become iterations of one loop. If rows of the input arrive, one call computes one
// strip, whose number is kept in the arena.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/kernel_set.h"
#include "codegen/networks/layer_function.h"
#include "codegen/networks/layer_printer.h"
#include "codegen/strips/strip_flow.h"
#include "models/graph.h"

namespace tinytune {

/// A move of bytes within the arena; source and target may overlap.
struct ArenaMove {
  ArenaPlace from, to;
};

/// A group with every decision made.
struct StripSite {
  std::string symbol;  ///< of the group's function
  std::string comment;
  std::vector<std::string> layer_symbols;          ///< by step of the group
  std::vector<std::optional<KernelCall>> calls;    ///< by variant
  std::vector<std::optional<ArenaPlace>> scratch;  ///< by step of the group
  std::vector<std::optional<ArenaPlace>> places;   ///< by tensor; of windows the whole buffer
  std::optional<ArenaMove> first = {};             ///< initial move of an input to its `places`
  std::optional<ArenaPlace> progress = {};         ///< RowProgress, of a flow with a streamed input
};

LayerFunction print_strips(LayerPrinter& printer, const Graph& graph, const StripFlow& flow,
                           const StripSite& site);

}  // namespace tinytune
