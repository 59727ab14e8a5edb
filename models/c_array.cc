#include "models/c_array.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string>

namespace tinytune {
namespace {

/// The rest of a source text, without the comments that it begins with.
class Source {
 public:
  explicit Source(std::string_view text) : rest_(text) {}

  bool ended() const { return rest_.empty(); }
  void skip_to(char c) {
    while (!ended() && rest_.front() != c) {
      if (!skip_comment()) rest_.remove_prefix(1);
    }
  }
  bool take(char c) {
    skip_space();
    if (ended() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// An integer from -128 to 255, with the bits of its byte.
  std::optional<uint8_t> take_byte() {
    const bool negative = take('-');
    skip_space();
    const bool is_hex = rest_.starts_with("0x") || rest_.starts_with("0X");
    if (is_hex) rest_.remove_prefix(2);
    int value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, is_hex ? 16 : 10);
    if (error != std::errc() || value > (negative ? 128 : 255)) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    while (!ended() && (rest_.front() == 'u' || rest_.front() == 'U')) rest_.remove_prefix(1);
    return static_cast<uint8_t>(negative ? -value : value);
  }

 private:
  bool skip_comment() {
    const bool is_line = rest_.starts_with("//"), is_block = rest_.starts_with("/*");
    if (!is_line && !is_block) return false;
    const std::string_view mark = is_line ? "\n" : "*/";
    const size_t end = rest_.find(mark, 2);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + mark.size());
    return true;
  }
  void skip_space() {
    while (!ended())
      if (std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
        rest_.remove_prefix(1);
      else if (!skip_comment())
        return;
  }

  std::string_view rest_;
};

}  // namespace

bool is_c_source(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* known : {".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".inc"})
    if (extension == known) return true;
  return false;
}

std::optional<std::vector<uint8_t>> model_in_c_source(std::string_view text) {
  constexpr uint8_t kIdentifier[] = {'T', 'F', 'L', '3'};
  Source source(text);
  for (source.skip_to('{'); !source.ended(); source.skip_to('{')) {
    source.take('{');
    std::vector<uint8_t> bytes;
    while (const auto byte = source.take_byte()) {
      bytes.push_back(*byte);
      if (!source.take(',')) break;
    }
    if (source.take('}') && bytes.size() >= 8 &&
        std::equal(std::begin(kIdentifier), std::end(kIdentifier), bytes.begin() + 4))
      return bytes;
  }
  return std::nullopt;
}

}  // namespace tinytune
