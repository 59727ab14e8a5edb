// A table for a terminal: columns as wide as their widest cell, numbers aligned to the right.
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

/// The lines of `text`, broken at spaces; a word that is longer than `width` stays whole.
std::vector<std::string> wrapped(const std::string& text, size_t width);

}  // namespace tinytune
