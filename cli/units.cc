#include "cli/units.h"

#include <fmt/format.h>

#include <cmath>

namespace tinytune {

std::optional<double> milliseconds(uint64_t cycles, std::optional<uint64_t> clock_hz) {
  if (!clock_hz || *clock_hz == 0) return std::nullopt;
  return static_cast<double>(cycles) * 1e3 / static_cast<double>(*clock_hz);
}

std::string latency_text(uint64_t cycles, std::optional<uint64_t> clock_hz) {
  const auto ms = milliseconds(cycles, clock_hz);
  return ms ? fmt::format("{:.2f} ms", *ms) : grouped(cycles) + " cycles";
}

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string arena_text(uint64_t arena_bytes, uint64_t lower_bound) {
  const double above =
      lower_bound == 0
          ? 0
          : 100 * (static_cast<double>(arena_bytes) / static_cast<double>(lower_bound) - 1);
  return fmt::format("{} bytes (lower bound {}, {:+.1f} %)", grouped(arena_bytes),
                     grouped(lower_bound), above);
}

std::string speedup_text(std::optional<uint64_t> before, std::optional<uint64_t> after) {
  if (!before || !after || *after == 0) return "-";
  return fmt::format("{:.2f}x", static_cast<double>(*before) / static_cast<double>(*after));
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace tinytune
