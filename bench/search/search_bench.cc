// How many trials each strategy needs, and what it costs to think.
//
//   search_bench [--seeds N]
//
// Replays on AutoTVM's measured tables (skipped, aloud, where they are absent) and on synthetic
// landscapes; trials are medians over the seeds. "ahead" is how many proposals are out before the
// first outcome is told, as with that many builders and boards.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/rng.h"
#include "bench/search/autotvm_tables.h"

namespace tinytune::bench {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<size_t> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return static_cast<double>(values[(n - 1) / 2] + values[n / 2]) / 2;
}

Published replay(const testing::Landscape& landscape, std::string_view strategy, size_t ahead,
                 uint64_t seeds) {
  std::vector<size_t> five, two;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const size_t start = Rng(seed).fork("default point").below(landscape.space.size());
    auto made = make_strategy(strategy, landscape.problem(seed, start));
    const auto trials = testing::trials_until(**made, landscape, ahead, {0.05, 0.02});
    five.push_back(trials[0]);
    two.push_back(trials[1]);
  }
  return {median(five), median(two)};
}

void print_row(const testing::Landscape& landscape, const std::optional<Published>& xgb,
               const std::optional<Published>& random, uint64_t seeds, bool& lost) {
  const auto cell = [](const std::optional<Published>& p) {
    return p ? fmt::format("{:g} / {:g}", p->to_5_percent, p->to_2_percent) : std::string("–");
  };
  const Published ours = replay(landscape, "xgb", 1, seeds);
  const Published window = replay(landscape, "xgb", 16, seeds);
  const Published uniform = replay(landscape, "random", 1, seeds);
  const Published grid = replay(landscape, "grid", 1, seeds);
  const double rival =
      std::min(xgb ? xgb->to_2_percent : 1e9, std::min(uniform.to_2_percent, grid.to_2_percent));
  const bool loses = std::max(ours.to_2_percent, window.to_2_percent) > rival;
  lost |= loses;
  fmt::print("| {}{} | {} | {} | {} | {} | {} | {} | {} |\n", landscape.name,
             loses ? " (lost)" : "", landscape.space.size(), cell(ours), cell(window),
             cell(uniform), cell(grid), cell(xgb), cell(random));
  std::fflush(stdout);
}

void print_overhead(const testing::Landscape& landscape, size_t trials) {
  auto strategy = make_strategy("xgb", landscape.problem(1));
  double slowest = 0;
  const auto begin = Clock::now();
  for (size_t t = 0; t < trials; ++t) {
    const auto before = Clock::now();
    const auto point = (*strategy)->propose();
    if (!point) break;
    slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - before).count());
    (*strategy)->observe(landscape.outcomes[*point]);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print("| {} | {} | {} | {:.3f} | {:.1f} |\n", landscape.name, landscape.space.size(), trials,
             seconds * 64 / static_cast<double>(trials), slowest * 1e3);
}

int run(uint64_t seeds) {
  fmt::print("Trials until within 5 % / 2 % of the optimum, medians over {} seeds\n\n", seeds);
  fmt::print(
      "| landscape | points | xgb | xgb, 16 ahead | random | grid | AutoTVM XGBTuner | "
      "AutoTVM random |\n|---|---|---|---|---|---|---|---|\n");
  bool lost = false;
  const auto tables = read_autotvm_tables(TINYTUNE_SOURCE_DIR "/../shared/peers/autotvm");
  if (!tables) {
    fmt::print("| AutoTVM's tables: skipped, {} | | | | | | | |\n", tables.error().message());
  } else {
    for (const Table& table : *tables)
      print_row(table.landscape, table.xgb, table.random, seeds, lost);
  }
  print_row(testing::tiled_convolution(0.03, 0), {}, {}, seeds, lost);
  print_row(testing::tiled_convolution(0.1, 0.2), {}, {}, seeds, lost);
  print_row(testing::blind_knobs(), {}, {}, seeds, lost);
  fmt::print("\n{}\n", lost ? "Rows marked (lost): a rival needed fewer trials for 2 %."
                            : "No row is lost for 2 %.");

  fmt::print(
      "\nThinking of xgb, describing and features included\n\n"
      "| landscape | points | trials | seconds per 64 trials | slowest proposal, ms |\n"
      "|---|---|---|---|---|\n");
  const testing::Landscape tiles = testing::tiled_convolution(0.03, 0);
  const testing::Landscape large = testing::large_space();
  for (size_t trials : {size_t{64}, size_t{512}}) {
    print_overhead(tiles, trials);
    print_overhead(large, trials);
  }
  return 0;
}

}  // namespace
}  // namespace tinytune::bench

int main(int argc, char** argv) {
  uint64_t seeds = 10;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string(argv[i]) == "--seeds") seeds = std::max(1, std::atoi(argv[i + 1]));
  return tinytune::bench::run(seeds);
}
