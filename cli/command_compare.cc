// tune compare: search strategies on one model, with several seeds each.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/tuning_options.h"
#include "cli/units.h"
#include "deploy/selection/layouts.h"
#include "search/strategy.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

using namespace options;

struct CompareArguments : Arguments {
  std::string tuners = "xgb,random,grid";  ///< strategies to compare
  uint64_t seeds = 5;                      ///< per strategy
  std::string directory;
};

/// Results of one strategy over all seeds.
struct Results {
  std::string tuner;
  std::vector<uint64_t> best_cycles;  ///< sorted
  std::optional<uint64_t> default_cycles;
  double seconds = 0;

  uint64_t median() const { return best_cycles[(best_cycles.size() - 1) / 2]; }
};

Result<std::vector<std::string>> tuners_of(const std::string& list) {
  const auto known = strategy_names();
  std::vector<std::string> tuners;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      return Error(ErrorCode::kInvalidInput, "--tuners: no strategy '" + word + "'");
    tuners.push_back(word);
  }
  if (tuners.empty()) return Error(ErrorCode::kInvalidInput, "--tuners names no strategy");
  return tuners;
}

Result<TuneReport> one_run(const Model& model, const CompareArguments& arguments,
                           const Context& context, const std::string& tuner, uint64_t seed) {
  TuneOptions options = with_workers({}, arguments, context);
  options.records = fmt::format("{}/{}.{}.jsonl", arguments.directory, tuner, seed);
  options.trials = arguments.trials;
  options.tuner = tuner;
  options.seed = seed;
  options.window = arguments.window;
  options.on_message = [&](MessageKind kind, const std::string& line) {
    if (kind == MessageKind::kWarning) context.console.message(kind, line);
  };
  return tune_model(model, arguments.device, options);
}

Result<std::vector<Results>> compare(const CompareArguments& arguments, const Context& context) {
  TT_TRY_ASSIGN(const auto tuners, tuners_of(arguments.tuners));
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  std::error_code failed;
  std::filesystem::create_directories(arguments.directory, failed);
  if (failed) return Error(ErrorCode::kFailed, arguments.directory + ": " + failed.message());
  std::vector<Results> all;
  for (const std::string& tuner : tuners) {
    Results results{tuner, {}, {}, 0};
    for (uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
      TT_TRY_ASSIGN(const TuneReport report, one_run(model, arguments, context, tuner, seed));
      if (!report.best_cycles)
        return Error(ErrorCode::kFailed,
                     tuner + ": not every layer has a valid candidate; raise --trials");
      results.best_cycles.push_back(*report.best_cycles);
      results.default_cycles = report.default_cycles;
      results.seconds += report.seconds;
      if (!arguments.quiet)
        context.console.message(
            MessageKind::kInfo,
            fmt::format("{} seed {}: {} cycles", tuner, seed, grouped(*report.best_cycles)));
    }
    std::sort(results.best_cycles.begin(), results.best_cycles.end());
    all.push_back(std::move(results));
  }
  return all;
}

std::string to_text(const std::vector<Results>& all) {
  Table table({"tuner", "seeds", "best", "median", "worst", "gain of the median"});
  for (const Results& r : all)
    table.add({r.tuner, std::to_string(r.best_cycles.size()), grouped(r.best_cycles.front()),
               grouped(r.median()), grouped(r.best_cycles.back()),
               speedup_text(r.default_cycles, r.median())});
  return table.text();
}

std::string to_json(const std::vector<Results>& all) {
  auto tuners = nlohmann::ordered_json::array();
  for (const Results& r : all)
    tuners.push_back({{"tuner", r.tuner},
                      {"best_cycles", r.best_cycles},
                      {"median_cycles", r.median()},
                      {"seconds", r.seconds}});
  return nlohmann::ordered_json{{"tuners", std::move(tuners)}}.dump(2);
}

int run_compare(const CompareArguments& arguments, const Context& context) {
  const Result<std::vector<Results>> all = compare(arguments, context);
  if (!all) return context.console.fail(all.error());
  return context.console.result(arguments.json ? to_json(*all) : to_text(*all));
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "Compare search strategies on a model, with several seeds each",
          .options = {model(),
                      device(),
                      {.names = "--tuners",
                       .field = own(&CompareArguments::tuners),
                       .value = "LIST",
                       .help = "Strategies, separated by commas",
                       .otherwise = "xgb,random,grid"},
                      {.names = "--seeds",
                       .field = own(&CompareArguments::seeds),
                       .value = "N",
                       .help = "Runs of each, with the seeds 1 to N",
                       .otherwise = "5",
                       .syntax = Syntax::kPositive},
                      {.names = "-o,--output",
                       .field = own(&CompareArguments::directory),
                       .value = "DIR",
                       .help = "Directory of the logs, which a later call continues",
                       .required = true},
                      trials(),
                      window(),
                      disable_pass(),
                      workers(),
                      board_patience(),
                      json(),
                      quiet()},
          .examples =
              "Example: tune compare --model kws.tflite --device esp32c3 --tuners xgb,random "
              "--seeds 5 -o "
              "compared/",
          .does = does<run_compare>(),
          .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
