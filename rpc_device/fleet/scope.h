// What a process may do with a tuner: words of its certificate, or beside its token.
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
  bool view = false;    ///< look at the fleet, and do nothing

  static Scope all() { return {true, true, true, true}; }
};

/// "build", "run", "device", "view": those that hold.
std::vector<std::string> words_of(const Scope& scope);

/// The same with commas between them. kInvalidInput: another word, or none.
Result<Scope> parse_scope(std::string_view text);

/// Adds what a word allows. False: it is none of those words.
bool allow(Scope& scope, std::string_view word);

}  // namespace tinytune
