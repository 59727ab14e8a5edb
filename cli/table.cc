#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace tinytune {

void Table::add(std::vector<std::string> row) {
  width_.resize(std::max(width_.size(), row.size()));
  for (size_t i = 0; i < row.size(); ++i) width_[i] = std::max(width_[i], row[i].size());
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<bool> is_number;
  for (size_t i = 0; i < width_.size(); ++i) is_number.push_back(numeric(i));
  std::string all;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += is_number[i] ? fmt::format("{:>{}}", row[i], width_[i])
                           : fmt::format("{:<{}}", row[i], width_[i]);
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  }
  return all;
}

// A dash or an empty cell is a missing number; words that begin with a digit do not occur.
bool Table::numeric(size_t column) const {
  return std::all_of(rows_.begin() + 1, rows_.end(), [column](const auto& row) {
    return column >= row.size() || row[column].empty() || row[column] == "-" ||
           std::isdigit(static_cast<unsigned char>(row[column][0])) != 0;
  });
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines{""};
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    std::string& line = lines.back();
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    from = end + 1;
  }
  return lines;
}

}  // namespace tinytune
