#include "bench/search/regret_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tinytune::bench {
namespace {

constexpr double kWidth = 640, kHeight = 360, kLeft = 60, kTop = 20;
constexpr double kLowest = 1e-3, kHighest = 1;
constexpr const char* kColours[] = {"#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad",
                                    "#d68910", "#555555", "#16a2b8", "#a0522d"};

double y_of(double regret) {
  const double clamped = std::clamp(regret, kLowest, kHighest);
  return kTop + kHeight * std::log(kHighest / clamped) / std::log(kHighest / kLowest);
}

}  // namespace

std::string regret_svg(const std::vector<NamedCurve>& curves) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\""
      " font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth + kLeft + 140, kHeight + kTop + 50);
  for (const double share : {1.0, 0.1, 0.01, 0.001})
    svg += fmt::format(
        "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{1:.1f}\" "
        "text-anchor=\"end\">{4:g} %</text>\n",
        kLeft, y_of(share), kLeft + kWidth, kLeft - 6, 100 * share);
  size_t drawn = 0;
  for (const NamedCurve& curve : curves) {
    if (!curve.of_test_half) continue;
    const char* const colour = kColours[drawn % std::size(kColours)];
    std::string path;
    for (size_t t = 0; t < curve.regret.size(); ++t)
      path += fmt::format(
          "{}{:.1f} {:.1f}", t == 0 ? "M" : "L",
          kLeft + kWidth * static_cast<double>(t + 1) / static_cast<double>(curve.regret.size()),
          y_of(curve.regret[t]));
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path,
                       colour);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", kLeft + kWidth + 12,
                       kTop + 16 + 18 * static_cast<double>(drawn), colour, curve.name);
    ++drawn;
  }
  const size_t trials = curves.empty() ? 0 : curves.front().regret.size();
  for (size_t t = 16; t <= trials; t += 16)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       kLeft + kWidth * static_cast<double>(t) / static_cast<double>(trials),
                       kTop + kHeight + 18, t);
  svg += fmt::format("<text x=\"{}\" y=\"{}\">trials; mean share above the best</text>\n", kLeft,
                     kTop + kHeight + 40);
  return svg + "</svg>\n";
}

}  // namespace tinytune::bench
