// What a network is called: the prefix of its symbols and macros, the stem of its files and the
// target of its build files. The grammar and what is reserved stand in doc/naming.md.
//
// Everything else that comes from outside (tensors' names, devices' descriptions) is only ever
// printed as text, through codegen/operators/outside_text.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tinytune {

/// Symbols, paths in a tar and Arduino's names of libraries (63) leave room for this many.
inline constexpr size_t kMostNameLength = 60;

/// Words of letters and digits, joined by single underscores, a letter first; not too long and
/// nobody else's.
bool is_network_name(std::string_view name);

/// The name for a model file with this stem, any bytes at all. A stem that is a name stays as it
/// is. Where characters were lost a hash of the stem tells such names apart.
std::string network_name(std::string_view stem);

}  // namespace tinytune
