#include "schedules/knob_size.h"

#include <charconv>
#include <cmath>

namespace tinytune {

std::optional<double> knob_size(const std::string& value) {
  int number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) return std::nullopt;
  return std::log2(1 + number);
}

}  // namespace tinytune
