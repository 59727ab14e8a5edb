// C text with marks in it: "%L" is the network's name, "%U" that in capitals, other marks are the
// text's own.
#pragma once

#include <string>

#include "codegen/operators/c_writer.h"

namespace tinytune {

/// The text with `word` in place of each `mark`.
inline std::string with(std::string text, const std::string& mark, const std::string& word) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + word.size()))
    text.replace(at, mark.size(), word);
  return text;
}

inline std::string with_names(const std::string& text, const std::string& name) {
  return with(with(text, "%U", c_upper(name)), "%L", name);
}

}  // namespace tinytune
