#include "cli/sparkline.h"

#include <algorithm>
#include <array>

namespace tinytune {

std::string sparkline(std::span<const double> values, size_t width) {
  static constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.size() < 2 || width == 0) return "";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double span = *high - *low;
  const size_t bars = std::min(width, values.size());
  std::string line;
  for (size_t bar = 0; bar < bars; ++bar) {
    // The last bar shows the last value, which matters most.
    const size_t at = bars == 1 ? values.size() - 1 : bar * (values.size() - 1) / (bars - 1);
    const double part = span > 0 ? (values[at] - *low) / span : 0;
    line += kBars[std::min(kBars.size() - 1, static_cast<size_t>(part * kBars.size()))];
  }
  return line;
}

}  // namespace tinytune
