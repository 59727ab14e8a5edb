// The report as one page that needs nothing else: style, scripts, charting library and data inside.
#pragma once

#include <string>

namespace tinytune {

/// `data` is page_data()'s.
std::string page_of(const std::string& data);

/// Whether this build has a charting library; a page without has tables only.
bool page_has_charts();

}  // namespace tinytune
