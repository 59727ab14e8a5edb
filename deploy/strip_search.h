// Which consecutive layers run strip by strip, and in how many rows, so that an arena is enough.
//
// What a step needs depends on its own group alone: tensors that pass by keep their bytes, whoever
// is grouped elsewhere. So the fewest extra cycles within a limit are a shortest path over the
// steps, each edge a single layer or a group of one height, and the search is exact in its estimate
// of cycles. What it leaves out are gaps between buffers, which the planner shows; the limit is
// then tightened by what was too much. The estimate only ranks: whoever can run networks measures
// the few that it is asked for (deployment.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/layout.h"
#include "codegen/networks/network.h"
#include "models/integer_network.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Whether the input may arrive in rows. kUnsupported: why not.
Status streams_rows(const IntegerNetwork& network, const NetworkOptions& options);

/// The operators that compute with the frames that arrive: as many from the first one on as can.
struct FramesGroup {
  StripGroup group;
  std::string why_no_longer;  ///< the operator behind it
};
/// kUnsupported: why not even the first one.
Result<FramesGroup> group_of_frames(const IntegerNetwork& network, const NetworkOptions& options);

class StripSearch {
 public:
  /// With rows that arrive, the first group is where they do: streams_rows() is asked before.
  StripSearch(const IntegerNetwork& network, const NetworkOptions& options,
              InputArrival input = InputArrival::kWhole);

  /// The groups with the fewest extra cycles whose tensors and windows fit; nothing where none do.
  /// Kernels' scratch comes on top. Empty: layer by layer.
  std::optional<std::vector<StripGroup>> within(uint64_t arena_bytes) const;

  /// The smallest arena of tensors and windows that was found.
  uint64_t smallest_arena() const;

 private:
  struct Edge {
    int first = 0, last = 0;  ///< steps
    int rows = 0;             ///< 0: one layer, as a whole
    uint32_t live_bytes = 0;  ///< the most in any of its steps
    uint64_t extra_cycles = 0;
  };
  struct Path {
    std::vector<StripGroup> groups;
    uint32_t live_bytes = 0;
  };

  InputArrival arrival_at(int first) const { return first == 0 ? input_ : InputArrival::kWhole; }
  void add_layers();
  void add_groups_from(int first);
  std::optional<Path> shortest(uint64_t live_limit) const;
  uint64_t least_live() const;
  uint64_t planned_arena(const std::vector<StripGroup>& groups) const;

  const IntegerNetwork& network_;
  NetworkOptions options_;
  InputArrival input_;
  LaidOutGraph laid_out_;
  std::vector<std::vector<Edge>> edges_;  // by their last step
};

}  // namespace tinytune
