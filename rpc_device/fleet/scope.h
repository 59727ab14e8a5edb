// Permissions of a process at a tuner: words in its certificate, or next to its token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

struct Scope {
  bool build = false;   ///< compile candidates
  bool run = false;     ///< run them in a simulator
  bool device = false;  ///< run them on a board
  bool view = false;    ///< look at the fleet, read-only

  static Scope all() { return {true, true, true, true}; }
};

/// Returns the granted permissions as words: "build", "run", "device", "view".
std::vector<std::string> words_of(const Scope& scope);

/// Parses these words, separated by commas. kInvalidInput: another word, or none.
Result<Scope> parse_scope(std::string_view text);

/// Adds the permission of a word. Returns false for any other word.
bool allow(Scope& scope, std::string_view word);

}  // namespace tinytune
