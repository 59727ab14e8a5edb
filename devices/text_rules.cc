#include "devices/text_rules.h"

#include "base/printable.h"

namespace tinytune::internal {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <typename First, typename Rest>
bool is_word(std::string_view text, First first, Rest rest) {
  if (text.empty() || text.size() > 64 || !first(text[0])) return false;
  for (const char c : text.substr(1))
    if (!rest(c)) return false;
  return true;
}

bool joins(char c) { return c == '.' || c == '_' || c == '-'; }

}  // namespace

bool is_device_name(std::string_view text) {
  const auto first = [](char c) { return is_lower(c) || is_digit(c); };
  return is_word(text, first, [&](char c) { return first(c) || joins(c); });
}

bool is_name(std::string_view text) {
  const auto first = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); };
  return is_word(text, first, [&](char c) { return first(c) || joins(c); });
}

bool is_section(std::string_view text) {
  const auto first = [](char c) { return is_lower(c) || is_upper(c) || c == '.' || c == '_'; };
  return is_word(text, first, [&](char c) { return first(c) || is_digit(c); });
}

bool is_line(std::string_view text) {
  const bool ends_a_comment = text.find("*/") != text.npos || text.ends_with('\\');
  return !text.empty() && text.size() <= 300 && is_one_line(text) && !ends_a_comment;
}

}  // namespace tinytune::internal
