// Draws the regret of strategies over the trials.
#pragma once

#include <string>
#include <vector>

namespace tinytune::bench {

struct NamedCurve {
  std::string name;
  bool of_test_half = false;
  std::vector<double> regret;  ///< share above the optimum, after each trial
};

/// Draws the test half's curves in one picture, the regret on a logarithmic axis from 0.1 to 100 %.
std::string regret_svg(const std::vector<NamedCurve>& curves);

}  // namespace tinytune::bench
