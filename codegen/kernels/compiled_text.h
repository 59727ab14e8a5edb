// Source text as far as it can change an object file.
#pragma once

#include <string>
#include <string_view>

namespace tinytune {

/// C or assembly without comments between slash and star, and without the words of `#error` lines,
/// both of which name the device. A file that is not for the core does not compile either way.
std::string compiled_text(std::string_view text);

}  // namespace tinytune
