#include "codegen/operators/outside_text.h"

#include <cctype>

namespace tinytune {
namespace {

bool is_printable(char c) { return c >= ' ' && c < 127; }

// Replaces each forbidden byte by an underscore, so that lengths still show.
std::string replacing(std::string_view text, std::string_view forbidden) {
  std::string out;
  for (const char c : text)
    out += is_printable(c) && forbidden.find(c) == std::string_view::npos ? c : '_';
  return out;
}

}  // namespace

// A '*' could end the comment or seem to open one, a '\' join lines, a '?' begin a trigraph.
std::string in_c_comment(std::string_view text) { return replacing(text, "*\\?"); }

std::string in_c_string(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_printable(c) && c != '"' && c != '\\' && c != '?') {
      out += c;
      continue;
    }
    // Octal: three digits at most, so that what follows cannot join them.
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return out;
}

std::string in_hash_comment(std::string_view text) { return replacing(text, ""); }

std::string in_properties(std::string_view text) { return replacing(text, "\\"); }

std::string in_markdown(std::string_view text) {
  std::string out;
  for (const char c : replacing(text, "")) {
    if (std::string_view("\\`*[]<>#|&~!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string in_markdown_code(std::string_view text) { return replacing(text, "`|"); }

std::string as_symbol_word(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ? c : '_';
  return out;
}

}  // namespace tinytune
