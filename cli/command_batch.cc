// tune batch: a night's work, one summary, and an exit code that says whether anything got slower.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/night_file.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/tuning_options.h"
#include "cli/units.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uint64_t kLargestSummary = 16 << 20;

/// How one run ended.
struct Morning {
  std::string name;
  std::string failure;  ///< empty: it is exact, and has cycles
  std::optional<uint64_t> before;
  uint64_t cycles = 0, ram_bytes = 0, flash_bytes = 0, measured = 0;

  bool is_slower() const { return failure.empty() && before && cycles > *before; }
};

/// Cycles by run of the night before, from its summary.
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

Status do_run(const NightRun& run, const std::string& log, const Arguments& arguments,
              const Context& context, Morning& morning) {
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
  morning.measured = report->measured;
  RunOptions verify;
  verify.records = log;
  verify.verify = true;
  verify.layout = run.options.layout;
  verify.limits = run.options.limits;
  TT_TRY_ASSIGN(const RunReport ran, run_model(model, run.device, verify));
  if (!*ran.exact) return Error(ErrorCode::kFailed, "NOT exact: " + ran.difference);
  morning.cycles = ran.footprint.cycles;
  morning.ram_bytes = ran.footprint.ram_bytes();
  morning.flash_bytes = ran.footprint.flash_bytes;
  return ok_status();
}

std::string summary_json(const std::vector<Morning>& mornings) {
  Json runs = Json::array();
  for (const Morning& m : mornings) {
    Json run = {{"name", m.name}};
    if (m.failure.empty()) {
      run.update({{"cycles", m.cycles},
                  {"before", m.before ? Json(*m.before) : Json(nullptr)},
                  {"ram_bytes", m.ram_bytes},
                  {"flash_bytes", m.flash_bytes},
                  {"measured", m.measured}});
    } else {
      // The cycles of the last night that worked stay what the next one is compared with.
      run["failure"] = m.failure;
      if (m.before) run["cycles"] = *m.before;
    }
    runs.push_back(std::move(run));
  }
  return Json{{"runs", std::move(runs)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary_text(const std::vector<Morning>& mornings) {
  Table table({"run", "measured", "before", "cycles", "RAM", "flash", ""});
  for (const Morning& m : mornings) {
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

Result<std::vector<Morning>> do_all(const Arguments& arguments, const Context& context) {
  TT_TRY_ASSIGN(const Night night, read_night(arguments.night));
  std::error_code failed;
  fs::create_directories(night.directory, failed);
  if (failed) return Error(ErrorCode::kFailed, night.directory + ": " + failed.message());
  const std::string summary = night.directory + "/summary.json";
  const auto before = last_summary(summary);
  std::vector<Morning> mornings;
  for (const NightRun& run : night.runs) {
    Morning morning;
    morning.name = run.name;
    if (const auto at = before.find(run.name); at != before.end()) morning.before = at->second;
    context.console.message(MessageKind::kInfo, run.name);
    const Status done =
        do_run(run, night.directory + "/" + run.name + ".jsonl", arguments, context, morning);
    if (!done && done.error().code() == ErrorCode::kInterrupted) return done.error();
    if (!done) morning.failure = done.error().message();
    mornings.push_back(std::move(morning));
  }
  TT_TRY(write_file(summary, summary_json(mornings)));
  return mornings;
}

}  // namespace

int run_batch(const Arguments& arguments, const Context& context) {
  const Result<std::vector<Morning>> mornings = do_all(arguments, context);
  if (!mornings && mornings.error().code() == ErrorCode::kInterrupted)
    return context.console.fail(kExitInterrupted, "interrupted; to go on: " + context.line);
  if (!mornings) return context.console.fail(mornings.error());
  const int told =
      context.console.result(arguments.json ? summary_json(*mornings) : summary_text(*mornings));
  for (const Morning& morning : *mornings)
    if (morning.is_slower() || !morning.failure.empty()) return kExitFailed;
  return told;
}

}  // namespace tinytune
