#include "base/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tinytune {
namespace {

/// Returns the Levenshtein distance: letters to add, remove or change.
size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
  // A prefix of 4 letters or more is an abbreviation, however much is missing.
  constexpr size_t kLeastBeginning = 4;
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  if (word.size() >= kLeastBeginning && std::ranges::any_of(candidates, begins)) {
    std::string shortest;
    for (const std::string& candidate : candidates)
      if (begins(candidate) && (shortest.empty() || candidate.size() < shortest.size()))
        shortest = candidate;
    return shortest;
  }
  const size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  size_t least = letters / 3 + 1;  // a word with more edits is not similar
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const size_t edits = edits_between(word, candidate);
    if (edits >= letters || edits > least || (edits == least && !nearest.empty())) continue;
    least = edits;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace tinytune
