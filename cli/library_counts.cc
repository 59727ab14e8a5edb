#include "cli/library_counts.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace tinytune {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;

using Row = std::vector<std::string>;

// Splits a line at commas; quoting is not needed for names and numbers.
Row cells_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  Row cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

std::optional<uint64_t> number_in(std::string_view text) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

class Header {
 public:
  explicit Header(Row names) : names_(std::move(names)) {}

  bool has(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  /// Returns a cell; empty if the row is too short or there is no such column.
  std::string of(const Row& row, const std::string& name) const {
    const auto at =
        static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    return at < row.size() && at < names_.size() ? row[at] : "";
  }

 private:
  Row names_;
};

}  // namespace

Result<LibraryCounts> read_library_counts(const std::string& path, const std::string& model,
                                          const std::string& core) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMostBytes));
  std::istringstream lines{std::string(text_of(bytes))};
  std::optional<Header> header;
  LibraryCounts counts;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const Row row = cells_of(line);
    const auto wrong = [&](const std::string& why) {
      return Error(ErrorCode::kInvalidInput,
                   path + ": line " + std::to_string(number) + ": " + why);
    };
    if (!header) {
      header.emplace(row);
      for (const char* needed : {"library", "layer", "instructions"})
        if (!header->has(needed))
          return wrong("no column '" + std::string(needed) +
                       "'; library, layer and instructions are needed");
      continue;
    }
    if (header->has("model") && header->of(row, "model") != model) continue;
    if (header->has("core") && core.find(header->of(row, "core")) == std::string::npos) continue;
    const auto layer = number_in(header->of(row, "layer"));
    const auto instructions = number_in(header->of(row, "instructions"));
    if (!layer || *layer > INT32_MAX || !instructions)
      return wrong("layer and instructions are whole numbers");
    const auto [at, is_first] =
        counts[header->of(row, "library")].try_emplace(static_cast<int>(*layer), *instructions);
    if (!is_first) at->second = std::min(at->second, *instructions);
  }
  return counts;
}

}  // namespace tinytune
