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

// A dash or nothing stands for a missing number; words with a digit first do not occur.
bool Table::numeric(size_t column) const {
  return std::all_of(rows_.begin() + 1, rows_.end(), [column](const auto& row) {
    return column >= row.size() || row[column].empty() || row[column] == "-" ||
           std::isdigit(static_cast<unsigned char>(row[column][0])) != 0;
  });
}

}  // namespace tinytune
