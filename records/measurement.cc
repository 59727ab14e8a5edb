#include "records/measurement.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

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

constexpr std::array<std::pair<Fidelity, std::string_view>, 3> kFidelityNames = {{
    {Fidelity::kBuild, "build"},
    {Fidelity::kSimulate, "simulate"},
    {Fidelity::kBoard, "board"},
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

std::string_view name_of(Fidelity fidelity) {
  for (const auto& [value, name] : kFidelityNames)
    if (value == fidelity) return name;
  return "unknown";
}

std::optional<Fidelity> parse_fidelity(std::string_view name) {
  for (const auto& [value, text] : kFidelityNames)
    if (text == name) return value;
  return std::nullopt;
}

uint64_t median_of(std::vector<uint64_t> cycles) {
  TT_CHECK(!cycles.empty(), "a median of something");
  // For an even count the lower middle value, not a mean: a cycle count that was really measured.
  const auto middle = cycles.begin() + static_cast<ptrdiff_t>((cycles.size() - 1) / 2);
  std::nth_element(cycles.begin(), middle, cycles.end());
  return *middle;
}

std::optional<uint64_t> Measurement::median_cycles() const {
  if (outcome != Outcome::kOk || cycles.empty()) return std::nullopt;
  return median_of(cycles);
}

}  // namespace tinytune
