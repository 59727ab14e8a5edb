#include "codegen/kernels/compiled_text.h"

#include <algorithm>

namespace tinytune {
namespace {

/// The end of a literal that begins at `from`, behind its quote.
size_t end_of_literal(std::string_view text, size_t from) {
  const char quote = text[from];
  size_t at = from + 1;
  while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

}  // namespace

std::string compiled_text(std::string_view text) {
  constexpr std::string_view kError = "#error";
  std::string kept;
  kept.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find_first_of("/#\"'", at), text.size());
    kept += text.substr(at, end - at);
    at = end;
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("/*")) {
      const size_t closed = text.find("*/", at + 2);
      kept += ' ';
      at = closed == text.npos ? text.size() : closed + 2;
    } else if (rest.starts_with(kError) && (at == 0 || text[at - 1] == '\n')) {
      kept += kError;
      at = std::min(text.find('\n', at), text.size());
    } else if (!rest.empty()) {
      end = at + 1;
      if (rest.starts_with("//")) end = std::min(text.find('\n', at), text.size());
      if (rest[0] == '"' || rest[0] == '\'') end = end_of_literal(text, at);
      kept += text.substr(at, end - at);
      at = end;
    }
  }
  return kept;
}

}  // namespace tinytune
