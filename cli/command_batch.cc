// tune batch: many runs, one summary, and an exit code that shows whether any result got slower.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/batch_file.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/tuning_options.h"
#include "cli/units.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

using namespace options;

struct BatchArguments : Arguments {
  std::string batch;  ///< a file of runs
};

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uint64_t kLargestSummary = 16 << 20;

/// Result of one run.
struct BatchResult {
  std::string name;
  std::string failure;  ///< empty: the network is exact and has cycles
  std::optional<uint64_t> before;
  uint64_t cycles = 0, ram_bytes = 0, flash_bytes = 0, measured = 0;

  bool is_slower() const { return failure.empty() && before && cycles > *before; }
};

/// Returns the cycles of each run of the previous batch, from its summary.
std::map<std::string, uint64_t> last_summary(const std::string& path) {
  std::map<std::string, uint64_t> cycles;
  const auto bytes = read_file(path, kLargestSummary);
  if (!bytes) return cycles;
  const Json json = Json::parse(bytes->begin(), bytes->end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("runs") || !json["runs"].is_array()) return cycles;
  for (const Json& run : json["runs"])
    if (run.is_object() && run.contains("name") && run["name"].is_string() &&
        run.contains("cycles") && run["cycles"].is_number_unsigned())
      cycles[run["name"].get<std::string>()] = run["cycles"].get<uint64_t>();
  return cycles;
}

Status do_run(const BatchRun& run, const std::string& log, const BatchArguments& arguments,
              const Context& context, BatchResult& result) {
  TT_TRY_ASSIGN(const Model model, Model::load(run.model));
  TuneOptions options = with_workers(run.options, arguments, context);
  options.records = log;
  ProgressLine line;
  options.on_message = [&](MessageKind kind, const std::string& text) {
    if (*context.cancel) return;
    line.finish();
    context.console.message(kind, run.name + ": " + text);
  };
  if (!arguments.quiet)
    options.on_progress = [&](const TuneProgress& progress) { line.show(progress); };
  const Result<TuneReport> report = tune_model(model, run.device, options);
  line.finish();
  if (!report) return report.error();
  result.measured = report->measured;
  RunOptions verify;
  verify.records = log;
  verify.verify = true;
  verify.layout = run.options.layout;
  verify.limits = run.options.limits;
  TT_TRY_ASSIGN(const RunReport ran, run_model(model, run.device, verify));
  if (!*ran.exact) return Error(ErrorCode::kFailed, "NOT exact: " + ran.difference);
  result.cycles = ran.footprint.cycles;
  result.ram_bytes = ran.footprint.ram_bytes();
  result.flash_bytes = ran.footprint.flash_bytes;
  return ok_status();
}

std::string summary_json(const std::vector<BatchResult>& results) {
  Json runs = Json::array();
  for (const BatchResult& m : results) {
    Json run = {{"name", m.name}};
    if (m.failure.empty()) {
      run.update({{"cycles", m.cycles},
                  {"before", m.before ? Json(*m.before) : Json(nullptr)},
                  {"ram_bytes", m.ram_bytes},
                  {"flash_bytes", m.flash_bytes},
                  {"measured", m.measured}});
    } else {
      // Keeps the cycles of the last successful run, for comparison with the next batch.
      run["failure"] = m.failure;
      if (m.before) run["cycles"] = *m.before;
    }
    runs.push_back(std::move(run));
  }
  return Json{{"runs", std::move(runs)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary_text(const std::vector<BatchResult>& results) {
  Table table({"run", "measured", "before", "cycles", "RAM", "flash", ""});
  for (const BatchResult& m : results) {
    const std::string before = m.before ? grouped(*m.before) : "-";
    if (!m.failure.empty()) {
      table.add({m.name, "-", before, "-", "-", "-", "FAILED: " + m.failure});
      continue;
    }
    table.add({m.name, std::to_string(m.measured), before, grouped(m.cycles), grouped(m.ram_bytes),
               grouped(m.flash_bytes),
               m.is_slower()                      ? "SLOWER"
               : m.before && m.cycles < *m.before ? "faster"
                                                  : "exact"});
  }
  return table.text();
}

Result<std::vector<BatchResult>> do_all(const BatchArguments& arguments, const Context& context) {
  TT_TRY_ASSIGN(const Batch batch, read_batch(arguments.batch));
  std::error_code failed;
  fs::create_directories(batch.directory, failed);
  if (failed) return Error(ErrorCode::kFailed, batch.directory + ": " + failed.message());
  const std::string summary = batch.directory + "/summary.json";
  const auto before = last_summary(summary);
  std::vector<BatchResult> results;
  for (const BatchRun& run : batch.runs) {
    BatchResult result;
    result.name = run.name;
    if (const auto at = before.find(run.name); at != before.end()) result.before = at->second;
    context.console.message(MessageKind::kInfo, run.name);
    const Status done =
        do_run(run, batch.directory + "/" + run.name + ".jsonl", arguments, context, result);
    if (!done && done.error().code() == ErrorCode::kInterrupted) return done.error();
    if (!done) result.failure = done.error().message();
    results.push_back(std::move(result));
  }
  TT_TRY(write_file(summary, summary_json(results)));
  return results;
}

int run_batch(const BatchArguments& arguments, const Context& context) {
  const Result<std::vector<BatchResult>> results = do_all(arguments, context);
  if (!results && results.error().code() == ErrorCode::kInterrupted)
    return context.console.fail(kExitInterrupted, "interrupted; to go on: " + context.line);
  if (!results) return context.console.fail(results.error());
  const int told =
      context.console.result(arguments.json ? summary_json(*results) : summary_text(*results));
  for (const BatchResult& result : *results)
    if (result.is_slower() || !result.failure.empty()) return kExitFailed;
  return told;
}

}  // namespace

Command batch_command() {
  return {.name = "batch",
          .summary = "Tune models on devices overnight; tell what got slower",
          .options = {{.names = "NIGHT",
                       .field = own(&BatchArguments::batch),
                       .help = "TOML file: models, devices, directory, [[settings]]",
                       .required = true},
                      workers(),
                      board_patience(),
                      json(),
                      quiet()},
          .examples =
              "night.toml:\n"
              "  models = [\"kws.tflite\", \"vww.tflite\"]\n"
              "  devices = [\"esp32c3\", \"cortex-m4\"]\n"
              "  directory = \"night\"        # logs, and summary.json\n"
              "  budget = \"20m\"             # of each run; or trials, early_stop\n"
              "  [[settings]]                # optional; each with every model and device\n"
              "  name = \"auto\"\n"
              "  layout = \"auto\"            # also ram, arena, flash, fast_ram, tuner, seed\n"
              "\n"
              "Resumes an earlier batch. Exit code 1 when a run failed, is not "
              "exact, or is\n"
              "slower than the summary had it.\n"
              "\n"
              "Example: tune batch night.toml",
          .does = does<run_batch>(),
          .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
