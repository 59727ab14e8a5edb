#include "rpc_device/fleet/scope.h"

namespace tinytune {
namespace {

struct Word {
  const char* text;
  bool Scope::*allows;
};
constexpr Word kWords[] = {{"build", &Scope::build},
                           {"run", &Scope::run},
                           {"device", &Scope::device},
                           {"view", &Scope::view}};

}  // namespace

std::vector<std::string> words_of(const Scope& scope) {
  std::vector<std::string> words;
  for (const Word& word : kWords)
    if (scope.*word.allows) words.emplace_back(word.text);
  return words;
}

bool allow(Scope& scope, std::string_view text) {
  for (const Word& word : kWords) {
    if (text != word.text) continue;
    scope.*word.allows = true;
    return true;
  }
  return false;
}

Result<Scope> parse_scope(std::string_view text) {
  Scope scope;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    if (!allow(scope, word))
      return Error(ErrorCode::kInvalidInput,
                   "'" + std::string(word) + "' is none of build, run, device, view");
    if (comma == std::string_view::npos) return scope;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tinytune
