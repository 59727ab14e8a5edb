#include "models/c_array.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include "models/file_formats.h"

namespace tinytune {
namespace {

/// A cursor over C source: the text not read yet.
class Source {
 public:
  explicit Source(std::string_view text) : rest_(text) {}

  bool ended() const { return rest_.empty(); }
  void skip_to(char c) {
    while (!ended() && rest_.front() != c)
      if (!skip_comment() && !skip_directive() && !skip_literal()) skip(1);
  }
  bool take(char c) {
    skip_space();
    if (ended() || rest_.front() != c) return false;
    skip(1);
    return true;
  }
  /// Takes an integer from -128 to 255; returns its low byte.
  std::optional<uint8_t> take_byte() {
    const bool negative = take('-');
    skip_space();
    const int base = take_base();
    int value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc() || value > (negative ? 128 : 255)) return std::nullopt;
    skip(static_cast<size_t>(end - rest_.data()));
    while (!ended() && std::string_view("uUlL").find(rest_.front()) != std::string_view::npos)
      skip(1);
    return static_cast<uint8_t>(negative ? -value : value);
  }

 private:
  void skip(size_t count) {
    for (const char c : rest_.substr(0, count))
      if (std::isspace(static_cast<unsigned char>(c)) == 0)
        is_line_begun_ = true;
      else if (c == '\n')
        is_line_begun_ = false;
    rest_.remove_prefix(std::min(count, rest_.size()));
  }
  // Returns the base of C's 0x1c, 034, 28 and 0b11100; skips a prefix 0x or 0b.
  int take_base() {
    const auto begins = [&](const char* lower, const char* upper) {
      return rest_.starts_with(lower) || rest_.starts_with(upper);
    };
    const int base = begins("0x", "0X") ? 16 : begins("0b", "0B") ? 2 : 0;
    if (base != 0) skip(2);
    if (base != 0) return base;
    const bool is_octal = rest_.size() > 1 && rest_[0] == '0' && rest_[1] >= '0' && rest_[1] <= '7';
    return is_octal ? 8 : 10;
  }
  // Skips to the end of the directive's line, or of its last continuation line.
  bool skip_directive() {
    if (ended() || is_line_begun_ || rest_.front() != '#') return false;
    while (!ended()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      const bool goes_on = end > 0 && rest_[end - 1] == '\\';
      skip(end + 1);
      if (!goes_on) break;
    }
    return true;
  }
  // Skips a string or character literal, to its closing quote or the end of the line.
  bool skip_literal() {
    const char quote = ended() ? ' ' : rest_.front();
    if (quote != '"' && quote != '\'') return false;
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote && rest_[end] != '\n')
      end += rest_[end] == '\\' ? 2 : 1;
    skip(end + 1);
    return true;
  }
  bool skip_comment() {
    const bool is_line = rest_.starts_with("//"), is_block = rest_.starts_with("/*");
    if (!is_line && !is_block) return false;
    const std::string_view mark = is_line ? "\n" : "*/";
    const size_t end = rest_.find(mark, 2);
    skip(end == rest_.npos ? rest_.size() : end + mark.size());
    return true;
  }
  void skip_space() {
    while (!ended())
      if (std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
        skip(1);
      else if (!skip_comment() && !skip_directive())
        return;
  }

  std::string_view rest_;
  bool is_line_begun_ = false;  // the current line has a character other than white space
};

}  // namespace

bool is_c_source(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* known : {".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".inc", ".ino"})
    if (extension == known) return true;
  return false;
}

std::vector<std::vector<uint8_t>> models_in_c_source(std::string_view text) {
  std::vector<std::vector<uint8_t>> models;
  Source source(text);
  for (source.skip_to('{'); !source.ended(); source.skip_to('{')) {
    source.take('{');
    std::vector<uint8_t> bytes;
    while (const auto byte = source.take_byte()) {
      bytes.push_back(*byte);
      if (!source.take(',')) break;
    }
    const bool is_new = std::ranges::find(models, bytes) == models.end();
    if (source.take('}') && begins_as_tflite(bytes) && is_new) models.push_back(std::move(bytes));
  }
  return models;
}

}  // namespace tinytune
