// Costs of units beside a core: a second core at the same banks, and the transfer of weights from
// flash. For each such figure of the device files a short piece of code shows it alone; the result
// is compared with the range derived from documents.
#pragma once

namespace tinytune {

/// Prints a table; returns false if a figure is outside its expected range.
bool print_beside_core();

}  // namespace tinytune
