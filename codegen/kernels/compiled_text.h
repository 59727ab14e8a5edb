// Removes the parts of source text that cannot change an object file.
#pragma once

#include <string>
#include <string_view>

namespace tinytune {

/// Returns C or assembly without block comments and without the text of `#error` lines, both of
/// which name the device. A file for another core does not compile either way.
std::string compiled_text(std::string_view text);

}  // namespace tinytune
