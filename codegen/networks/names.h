// A network's name: the prefix of its symbols and macros, the stem of its files and the target of
// its build files. doc/naming.md has the grammar and the reserved words.
//
// Everything else that comes from outside (tensors' names, devices' descriptions) is only ever
// printed as text, through codegen/operators/outside_text.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tinytune {

/// Maximum length of a name: symbols, paths in a tar and Arduino's library names (63) limit it.
inline constexpr size_t kMostNameLength = 60;

/// Whether `name` consists of words of letters and digits joined by single underscores, begins with
/// a letter, is not too long and not reserved.
bool is_network_name(std::string_view name);

/// Returns a name for a model file with this stem, which may be any bytes. A stem that is a valid
/// name stays unchanged. If characters were lost, a hash of the stem keeps names distinct.
std::string network_name(std::string_view stem);

}  // namespace tinytune
