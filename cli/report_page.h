// The report as one self-contained page with style, scripts, charting library and data.
#pragma once

#include <string>

namespace tinytune {

/// Returns the page; `data` is the result of page_data().
std::string page_of(const std::string& data);

/// Returns whether this build has a charting library; without it the page has only tables.
bool page_has_charts();

}  // namespace tinytune
