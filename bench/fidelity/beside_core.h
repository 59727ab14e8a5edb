// Costs of units beside a core: a second core at the same banks, and weights on their way from
// flash. Each figure of the device files has a short piece of code here that shows it alone, with
// what documents let expect.
#pragma once

namespace tinytune {

/// Prints a table; false where a figure is not what documents let expect.
bool print_beside_core();

}  // namespace tinytune
