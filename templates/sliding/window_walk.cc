#include "templates/sliding/window_walk.h"

#include <algorithm>

namespace tinytune {

TapRange WindowAxis::taps(int output) const {
  const int origin = output * stride - pad;
  const int first = std::clamp(-origin, 0, kernel);
  return {first, std::clamp(inputs - origin, first, kernel)};
}

std::vector<Blocks> blocks_across(const WindowAxis& axis, int outputs) {
  std::vector<Blocks> all;
  for (int first = 0; first < axis.outputs; first += outputs) {
    const int count = std::min(outputs, axis.outputs - first);
    const auto as_in_last = [&] {
      const Blocks& last = all.back();
      if (last.outputs != count) return false;
      for (int i = 0; i < count; ++i)
        if (axis.taps(last.first + i) != axis.taps(first + i)) return false;
      return true;
    };
    if (!all.empty() && as_in_last())
      ++all.back().times;
    else
      all.push_back({first, count, 1});
  }
  return all;
}

std::vector<Blocks> blocks_along(const WindowAxis& axis, int outputs) {
  const TapRange whole{0, axis.kernel};
  int first = 0, end = axis.outputs;
  while (first < end && axis.taps(first) != whole) ++first;
  while (end > first && axis.taps(end - 1) != whole) --end;
  const int times = (end - first) / outputs;
  if (times < 2) return {{0, axis.outputs, 1}};
  first = end - times * outputs;
  std::vector<Blocks> all;
  if (first > 0) all.push_back({0, first, 1});
  all.push_back({first, outputs, times});
  if (end < axis.outputs) all.push_back({end, axis.outputs - end, 1});
  return all;
}

}  // namespace tinytune
