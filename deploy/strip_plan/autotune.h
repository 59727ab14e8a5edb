// Finds the fastest of the networks that a search for strips proposes, by running some of them.
//
// The search neglects gaps between scratch and tensors, and waits for flash. For the gaps, the best
// plans for smaller limits, whose kernels have more room here, are tried too, also with groups of
// one plan in place of another's. The waits are measured by runs: layers that wait longer for their
// weights than they compute get no kernels that would read the weights more often, and the search
// is repeated.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "deploy/execution/candidate.h"
#include "deploy/strip_plan/orders.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

class StripAutotuner {
 public:
  using Generate = std::function<Result<Candidate>(const StripPlan&)>;
  using Run = std::function<Status(Candidate&)>;  ///< fills `ran`

  /// `otherwise`: the network without strips, or why there is none. `counted`: another search, with
  /// losses of counted kernels, whose plans are tried after those of `search`; may be null.
  StripAutotuner(const StripOrders& search, Generate generate, Run run, Result<Candidate> otherwise,
                 const StripOrders* counted = nullptr)
      : search_(search),
        counted_(counted),
        generate_(std::move(generate)),
        run_(std::move(run)),
        best_(std::move(otherwise)) {}

  /// Returns the fastest network; the first that can be generated if networks cannot run here;
  /// `otherwise` if nothing fits.
  Result<Candidate> fastest(uint64_t arena_bytes) &&;

 private:
  /// Each of these returns false if networks cannot run here, so that none can be compared.
  bool try_within(const StripOrders& search, uint64_t arena_bytes);
  bool try_groups_of_others();
  bool try_plan(const StripPlan& plan);
  void learn(const RunReport& report);

  const StripOrders& search_;
  const StripOrders* counted_;
  Generate generate_;
  Run run_;
  Result<Candidate> best_;
  StripPlan best_plan_;
  uint64_t fewest_cycles_ = std::numeric_limits<uint64_t>::max();
  std::vector<StripPlan> tried_ = {{}};
  size_t run_count_ = 0;
  SlowWhenLean slow_;
};

}  // namespace tinytune
