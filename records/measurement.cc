#include "records/measurement.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tinytune {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 8> kOutcomeNames = {{
    {Outcome::kOk, "ok"},
    {Outcome::kDoesNotFit, "does_not_fit"},
    {Outcome::kBuildFailed, "build_failed"},
    {Outcome::kBuildTimeout, "build_timeout"},
    {Outcome::kRunTimeout, "run_timeout"},
    {Outcome::kCrashed, "crashed"},
    {Outcome::kWrongOutput, "wrong_output"},
    {Outcome::kLost, "lost"},
}};

}  // namespace

std::string_view name_of(Outcome outcome) {
  for (const auto& [value, name] : kOutcomeNames)
    if (value == outcome) return name;
  return "unknown";
}

std::optional<Outcome> parse_outcome(std::string_view name) {
  for (const auto& [value, text] : kOutcomeNames)
    if (text == name) return value;
  return std::nullopt;
}

std::optional<uint64_t> Measurement::median_cycles() const {
  if (outcome != Outcome::kOk || cycles.empty()) return std::nullopt;
  std::vector<uint64_t> sorted = cycles;
  // Of an even number of repeats the lower middle: a cycle count that was really seen.
  const size_t middle = (sorted.size() - 1) / 2;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(middle), sorted.end());
  return sorted[middle];
}

}  // namespace tinytune
