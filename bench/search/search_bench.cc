// How many trials each strategy needs, its processor time, and how fast points are scored.
//
//   search_bench [--seeds N]
//
// Replays on AutoTVM's measured tables (skipped with a message if they are absent) and on synthetic
// landscapes; trials are medians over the seeds. No task has a default, because AutoTVM's tuners
// start anywhere. "ahead": proposals pending before the first outcome is told, as with that many
// builders and boards. Exits with 1 if ours needs more trials than a row allows: half of a table's
// points (they are few, and single seeds scatter), and twice what it needed on a synthetic
// landscape when the row was written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "bench/search/autotvm_tables.h"
#include "search/shared_model.h"

namespace tinytune::bench {
namespace {

/// The default strategy of `tune`.
constexpr const char* kOurs = "bayes";

/// Processor time of this process, because the machine may be busy otherwise.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<size_t> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return static_cast<double>(values[(n - 1) / 2] + values[n / 2]) / 2;
}

Published replay(const landscapes::Landscape& landscape, std::string_view strategy, size_t ahead,
                 uint64_t seeds) {
  std::vector<size_t> five, two;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    auto made = make_strategy(strategy, landscape.problem(seed));
    const auto trials = landscapes::trials_until(**made, landscape, ahead, {0.05, 0.02});
    five.push_back(trials[0]);
    two.push_back(trials[1]);
  }
  return {median(five), median(two)};
}

struct Verdict {
  bool lost = false;       ///< a rival needed fewer trials somewhere
  bool regressed = false;  ///< ours needed more trials than allowed
};

void print_row(const landscapes::Landscape& landscape, const std::optional<Published>& xgb,
               const std::optional<Published>& random, uint64_t seeds, double allowed,
               Verdict& verdict) {
  const auto cell = [](const std::optional<Published>& p) {
    return p ? fmt::format("{:g} / {:g}", p->to_5_percent, p->to_2_percent) : std::string("–");
  };
  const Published ours = replay(landscape, kOurs, 1, seeds);
  const Published window = replay(landscape, kOurs, 16, seeds);
  const Published uniform = replay(landscape, "random", 1, seeds);
  const Published grid = replay(landscape, "grid", 1, seeds);
  const double rival =
      std::min(xgb ? xgb->to_2_percent : 1e9, std::min(uniform.to_2_percent, grid.to_2_percent));
  const double worse = std::max(ours.to_2_percent, window.to_2_percent);
  const bool loses = worse > rival;
  verdict.lost |= loses;
  verdict.regressed |= worse > allowed;
  fmt::print("| {}{}{} | {} | {} | {} | {} | {} | {} | {} |\n", landscape.name,
             loses ? " (lost)" : "", worse > allowed ? " (REGRESSED)" : "", landscape.space.size(),
             cell(ours), cell(window), cell(uniform), cell(grid), cell(xgb), cell(random));
  std::fflush(stdout);
}

void print_overhead(const landscapes::Landscape& landscape, size_t trials) {
  auto strategy = make_strategy(kOurs, landscape.problem(1));
  double slowest = 0;
  const double begin = cpu_seconds();
  for (size_t t = 0; t < trials; ++t) {
    const double before = cpu_seconds();
    const auto point = (*strategy)->propose();
    if (!point) break;
    slowest = std::max(slowest, cpu_seconds() - before);
    (*strategy)->observe(landscape.outcomes[point->point]);
  }
  const double seconds = cpu_seconds() - begin;
  fmt::print("| {} | {} | {} | {:.3f} | {:.1f} |\n", landscape.name, landscape.space.size(), trials,
             seconds * 64 / static_cast<double>(trials), slowest * 1e3);
}

/// Prints how fast the ranker scores a space after few observations: points seen for the first
/// time, whose description and features are computed, and the same points again.
void print_scoring(const landscapes::Landscape& landscape) {
  constexpr size_t kHeard = 256;
  SharedModel model(1);
  const size_t task = model.add_task(landscape.problem(1));
  Rng rng(1);
  for (size_t i = 0; i < kHeard; ++i)
    model.observe(task, landscape.outcomes[rng.below(landscape.outcomes.size())]);
  model.scores(task, std::array<size_t, 1>{0});  // fits the model
  std::vector<size_t> every(landscape.space.size());
  std::iota(every.begin(), every.end(), size_t{0});
  const auto million_a_second = [&] {
    const auto begin = std::chrono::steady_clock::now();
    model.scores(task, every);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(every.size()) / took.count() / 1e6;
  };
  const double first = million_a_second(), again = million_a_second();
  fmt::print("| {} | {} | {:.2f} | {:.2f} |\n", landscape.name, every.size(), first, again);
}

/// Tunes a network's tasks in turn with 16 proposals pending, until each is within 5 %; returns
/// the total number of trials.
size_t trials_in_turn(const std::vector<landscapes::Landscape>& tasks, uint64_t seed, bool shared) {
  const auto model = std::make_shared<SharedModel>(seed);
  std::vector<std::unique_ptr<Strategy>> strategies;
  for (const landscapes::Landscape& task : tasks) {
    SearchProblem problem = task.problem(Rng(seed).fork(task.name).next());
    if (shared) problem.model = model;
    strategies.push_back(std::move(*make_strategy(kOurs, std::move(problem))));
  }
  std::vector<bool> reached(tasks.size(), false);
  std::deque<std::pair<size_t, size_t>> out;
  size_t trials = 0, next = 0;
  while (std::find(reached.begin(), reached.end(), false) != reached.end()) {
    while (reached[next % tasks.size()]) ++next;
    const size_t task = next++ % tasks.size();
    const auto proposal = strategies[task]->propose();
    if (!proposal) return trials;
    out.emplace_back(task, proposal->point);
    ++trials;
    if (out.size() < 16) continue;
    const auto [told, point] = out.front();
    out.pop_front();
    const Observation& outcome = tasks[told].outcomes[point];
    strategies[told]->observe(outcome);
    const auto cycles = outcome.cycles();
    if (cycles && *cycles <= 1.05 * tasks[told].optimum) reached[told] = true;
  }
  return trials;
}

void print_networks(uint64_t seeds) {
  fmt::print(
      "\nTrials until every task of a network is within 5 %, tuned in turn, 16 ahead\n\n"
      "| tasks | each its own model | one model |\n|---|---|---|\n");
  std::vector<landscapes::Landscape> tasks;
  for (const landscapes::Shape shape :
       {landscapes::Shape{64, 120}, {32, 120}, {64, 30}, {128, 24}, {32, 60}, {16, 240}}) {
    tasks.push_back(landscapes::tiled_convolution(0.03, 0.05, shape));
    tasks.back().name += fmt::format(" {}x{}", shape.channels, shape.pixels);
    if (tasks.size() % 3 != 0) continue;
    std::vector<size_t> apart, together;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      apart.push_back(trials_in_turn(tasks, seed, false));
      together.push_back(trials_in_turn(tasks, seed, true));
    }
    fmt::print("| {} | {:g} | {:g} |\n", tasks.size(), median(apart), median(together));
    std::fflush(stdout);
  }
}

int run(uint64_t seeds) {
  fmt::print("Trials until within 5 % / 2 % of the optimum, medians over {} seeds\n\n", seeds);
  fmt::print(
      "| landscape | points | bayes | bayes, 16 ahead | random | grid | AutoTVM XGBTuner | "
      "AutoTVM random |\n|---|---|---|---|---|---|---|---|\n");
  Verdict verdict;
  const auto tables = read_autotvm_tables(TINYTUNE_SOURCE_DIR "/../shared/peers/autotvm");
  if (!tables) {
    fmt::print("| AutoTVM's tables: skipped, {} | | | | | | | |\n", tables.error().message());
  } else {
    for (const Table& table : *tables)
      print_row(table.landscape, table.xgb, table.random, seeds,
                static_cast<double>(table.landscape.space.size()) / 2, verdict);
  }
  print_row(landscapes::tiled_convolution(0.03, 0), {}, {}, seeds, 160, verdict);
  print_row(landscapes::tiled_convolution(0.1, 0.2), {}, {}, seeds, 600, verdict);
  print_row(landscapes::blind_knobs(), {}, {}, seeds, 92, verdict);
  fmt::print("\n{}\n", verdict.lost ? "Rows marked (lost): a rival needed fewer trials for 2 %."
                                    : "No row is lost for 2 %.");

  print_networks(seeds);
  fmt::print(
      "\nThinking of bayes, describing and features included\n\n"
      "| landscape | points | trials | seconds per 64 trials | slowest proposal, ms |\n"
      "|---|---|---|---|---|\n");
  const landscapes::Landscape tiles = landscapes::tiled_convolution(0.03, 0);
  const landscapes::Landscape large = landscapes::large_space(), huge = landscapes::huge_space();
  for (size_t trials : {size_t{64}, size_t{512}}) {
    print_overhead(tiles, trials);
    print_overhead(large, trials);
    print_overhead(huge, trials);
  }
  fmt::print(
      "\nScoring by the ranking, millions of points a second, by the clock\n\n"
      "| landscape | points | first time | again |\n|---|---|---|---|\n");
  print_scoring(large);
  return verdict.regressed ? 1 : 0;
}

}  // namespace
}  // namespace tinytune::bench

int main(int argc, char** argv) {
  uint64_t seeds = 10;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string(argv[i]) == "--seeds") seeds = std::max(1, std::atoi(argv[i + 1]));
  return tinytune::bench::run(seeds);
}
