// How many trials each strategy needs on the measured tables of bench/spaces.
//
//   space_replay [--seeds N] [--strategy NAME]… [--window W]… [--half tuning|test] [--blind]
//                [--svg FILE]
//
// Prints medians over the seeds of the trials to within 10, 5, 2 and 1 % of a table's optimum; then
// the median and the worst table of each half, the mean regret after 16, 32 and 64 trials, and when
// a run would have left the task; and whole networks. "warm": with a model trained on the other
// half's tables of the same device.
// --svg draws the mean regret over the trials.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/files.h"
#include "bench/search/regret_svg.h"
#include "bench/search/replay.h"

namespace tinytune::bench {
namespace {

constexpr size_t kTrials = 96;
constexpr size_t kLogged = 64;  // trials of each task in another network's log
constexpr double kShares[] = {0.10, 0.05, 0.02, 0.01};
constexpr size_t kAfter[] = {16, 32, 64};

struct Options {
  std::string folder = TINYTUNE_SOURCE_DIR "/bench/spaces/tables";
  uint64_t seeds = 20;
  std::vector<std::string> strategies;
  std::vector<size_t> windows;
  std::string half, svg;
  bool blind = false;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// Results over all seeds of one table.
struct Figures {
  std::vector<double> trials;  ///< medians over the seeds, one per share
  Curve regret;                ///< mean share above the optimum, after each trial
  double done_after = 0;       ///< mean trials after which a run leaves the task
  double done_over = 0;        ///< mean share above the optimum at that time
};

Figures figures_of(const std::vector<Replayed>& runs) {
  Figures figures;
  for (const double share : kShares) {
    std::vector<double> needed;
    for (const Replayed& run : runs)
      needed.push_back(static_cast<double>(trials_to(run.curve, share)));
    figures.trials.push_back(median(needed));
  }
  for (size_t t = 0; t < kTrials; ++t) {
    double sum = 0;
    for (const Replayed& run : runs) sum += std::min(run.curve[t], 10.0) - 1;
    figures.regret.push_back(sum / static_cast<double>(runs.size()));
  }
  for (const Replayed& run : runs) {
    figures.done_after += static_cast<double>(run.done_after) / static_cast<double>(runs.size());
    const double over = run.curve[std::max<size_t>(1, run.done_after) - 1] - 1;
    figures.done_over += over / static_cast<double>(runs.size());
  }
  return figures;
}

class Report {
 public:
  Report(const std::vector<SpaceTable>& tables, const Options& options)
      : tables_(tables), options_(options) {}

  void strategy(const std::string& name, size_t window, bool warm) {
    std::map<Half, std::vector<Figures>> by_half;
    for (const SpaceTable& table : tables_) {
      if (!options_.half.empty() && options_.half != name_of(table.half)) continue;
      std::vector<Replayed> runs;
      for (uint64_t seed = 1; seed <= options_.seeds; ++seed)
        runs.push_back(replay(table, {name, window, seed, options_.blind}, kTrials,
                              warm ? taught_by(others(table, seed), seed) : nullptr));
      by_half[table.half].push_back(figures_of(runs));
      print_table(table, name, window, warm, by_half[table.half].back());
    }
    for (const auto& [half, all] : by_half) summarise(half, all, name, window, warm);
  }

  void networks(const std::string& name) const {
    std::map<std::string, std::vector<const SpaceTable*>> networks;
    for (const SpaceTable& table : tables_)
      if (table.task.starts_with("kws-") && !table.task.ends_with("nchw"))
        networks["kws on " + table.device].push_back(&table);
    for (const auto& [network, tasks] : networks) {
      if (tasks.size() != 4) continue;
      std::vector<double> at_64, at_128;
      for (uint64_t seed = 1; seed <= options_.seeds; ++seed) {
        const Curve curve = replay_network(tasks, {name, 16, seed}, 128);
        at_64.push_back(100 * (curve[63] - 1));
        at_128.push_back(100 * (curve[127] - 1));
      }
      fmt::print(
          "network {:20} {:10} {:5.1f} % above the best after 64 trials, {:4.1f} after 128\n",
          network, name, median(at_64), median(at_128));
    }
  }

  std::string svg() const { return regret_svg(curves_); }

 private:
  /// Logs of another network's tuning: the device's tables of the other half, each tuned without
  /// prior knowledge.
  std::vector<const Log*> others(const SpaceTable& table, uint64_t seed) {
    std::vector<const Log*> others;
    for (const SpaceTable& other : tables_) {
      if (other.device != table.device || other.half == table.half) continue;
      const auto [entry, is_new] = logs_.try_emplace({&other, seed});
      if (is_new) entry->second = logged(other, {"bayes", 4, seed}, kLogged);
      others.push_back(&entry->second);
    }
    return others;
  }

  void print_table(const SpaceTable& table, const std::string& name, size_t window, bool warm,
                   const Figures& figures) const {
    fmt::print("{:6} {:10} {:10} {:4} points {:9} window {:2}{}  {:5g} {:5g} {:5g} {:5g}\n",
               name_of(table.half), table.device, table.task, table.space.size(), name, window,
               warm ? " warm" : "", figures.trials[0], figures.trials[1], figures.trials[2],
               figures.trials[3]);
    std::fflush(stdout);
  }

  void summarise(Half half, const std::vector<Figures>& all, const std::string& name, size_t window,
                 bool warm) {
    std::vector<double> to_2;
    double done_after = 0, done_over = 0;
    Curve mean(kTrials, 0);
    for (const Figures& figures : all) {
      to_2.push_back(figures.trials[2]);
      done_after += figures.done_after / static_cast<double>(all.size());
      done_over += figures.done_over / static_cast<double>(all.size());
      for (size_t t = 0; t < kTrials; ++t)
        mean[t] += figures.regret[t] / static_cast<double>(all.size());
    }
    fmt::print("{:6} half, {} tables: {:9} window {:2}{}: to 2 % median {:g}, worst {:g}; regret",
               name_of(half), all.size(), name, window, warm ? " warm" : "", median(to_2),
               *std::max_element(to_2.begin(), to_2.end()));
    for (const size_t after : kAfter)
      fmt::print(" {:.2f} % after {},", 100 * mean[after - 1], after);
    fmt::print(" {:.2f} % where it is done, after {:.0f}\n", 100 * done_over, done_after);
    if (window == options_.windows.front())
      curves_.push_back({name + (warm ? " warm" : ""), half == Half::kTest, std::move(mean)});
  }

  const std::vector<SpaceTable>& tables_;
  const Options& options_;
  std::vector<NamedCurve> curves_;
  std::map<std::pair<const SpaceTable*, uint64_t>, Log> logs_;
};

Status run(Options options) {
  TT_TRY_ASSIGN(const SpaceTables tables, read_tables(options.folder));
  for (const std::string& line : tables.left_out) fmt::print("left out: {}\n", line);
  if (tables.complete.empty())
    return Error(ErrorCode::kNotFound, options.folder + ": no complete table; run `spaces`");
  if (options.strategies.empty())
    for (const auto name : strategy_names()) options.strategies.emplace_back(name);
  if (options.windows.empty()) options.windows = {4};
  fmt::print(
      "Medians over {} seeds of the trials to within 10, 5, 2 and 1 % of the best; {} is "
      "never\n",
      options.seeds, kTrials + 1);
  Report report(tables.complete, options);
  for (const std::string& name : options.strategies) {
    for (const size_t window : options.windows) report.strategy(name, window, false);
    if (options.blind) continue;
    if (name == "bayes") report.strategy(name, options.windows.front(), true);
    report.networks(name);
  }
  if (options.svg.empty()) return ok_status();
  return write_file(options.svg, report.svg());
}

}  // namespace
}  // namespace tinytune::bench

int main(int argc, char** argv) {
  using namespace tinytune;
  bench::Options options;
  CLI::App app("Replays search strategies over measured spaces", "space_replay");
  app.add_option("--folder", options.folder, "where the tables are")->check(CLI::ExistingDirectory);
  app.add_option("--seeds", options.seeds, "runs of each strategy on each table")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--strategy", options.strategies, "only these; may be repeated");
  app.add_option("--window", options.windows, "proposals that are out; may be repeated [4]")
      ->check(CLI::Range(1, 64));
  app.add_option("--half", options.half, "only these tables")
      ->check(CLI::IsMember({"tuning", "test"}));
  app.add_flag("--blind", options.blind,
               "without defaults: start anywhere, as AutoTVM's tuners do");
  app.add_option("--svg", options.svg, "draw the regret there");
  CLI11_PARSE(app, argc, argv);
  const Status status = bench::run(std::move(options));
  if (status) return 0;
  fmt::print(stderr, "space_replay: {}\n", status.error().message());
  return 1;
}
