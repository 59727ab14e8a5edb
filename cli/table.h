// A table for a terminal: columns as wide as their widest cell, numbers right-aligned.
#pragma once

#include <string>
#include <vector>

namespace tinytune {

class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }

  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  bool numeric(size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> width_;
};

/// Returns the lines of `text`, broken at spaces; a word longer than `width` is not broken.
std::vector<std::string> wrapped(const std::string& text, size_t width);

}  // namespace tinytune
