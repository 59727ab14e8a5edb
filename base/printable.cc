#include "base/printable.h"

#include <algorithm>
#include <cstdio>

namespace tinytune {
namespace {

/// Returns the size of the first character of `text`; 0 for a control character or invalid UTF-8
/// (RFC 3629, section 4).
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < size) return 0;
  // Refuses overlong forms, surrogates, code points above U+10FFFF, and controls U+0080 to U+009F.
  const unsigned low = first == 0xc2 || first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < size; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return size;
}

}  // namespace

std::string printable(std::string_view text, size_t limit_bytes) {
  std::string out;
  while (!text.empty()) {
    const size_t size = character_bytes(text);
    std::string next(text.substr(0, size));
    if (size == 0) {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[0]));
      next = escaped;
    }
    if (out.size() + next.size() > limit_bytes) return out + "…";
    out += next;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

std::string without_controls(std::string_view text) {
  std::string out;
  for (; !text.empty(); text.remove_prefix(std::max<size_t>(character_bytes(text), 1))) {
    const size_t size = character_bytes(text);
    const bool is_layout = text[0] == '\n' || text[0] == '\t' || text.starts_with("\r\n");
    const bool is_control = size == 0 && !is_layout;
    out += is_control ? printable(text.substr(0, 1))
                      : std::string(text.substr(0, std::max<size_t>(size, 1)));
  }
  return out;
}

bool is_one_line(std::string_view text) {
  while (!text.empty()) {
    const size_t size = character_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string shortened_list(std::span<const std::string> items, size_t most) {
  std::string list;
  for (const std::string& item : items.first(std::min(most, items.size())))
    list += (list.empty() ? "" : ", ") + item;
  return items.size() > most ? list + " and " + std::to_string(items.size() - most) + " more"
                             : list;
}

}  // namespace tinytune
