// tune log: operations on logs as files.
#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "devices/device.h"
#include "records/formats/formats.h"
#include "records/log.h"
#include "records/log_line.h"
#include "records/log_merge.h"

namespace tinytune {
namespace {

using namespace options;

struct LogArguments : Arguments {
  std::string action;  ///< "merge", "pick", …
  std::vector<std::string> logs;
  std::string output_file;
  std::string exchange = "csv";  ///< the format of an export
};

using Measurements = std::vector<Measurement>;

Error invalid(const std::string& message) { return Error(ErrorCode::kInvalidInput, message); }

/// Reads all logs, in order; skips damaged lines with a warning per log.
Result<Measurements> read_all(const LogArguments& arguments, const Console& console) {
  Measurements all;
  for (const std::string& path : arguments.logs) {
    TT_TRY_ASSIGN(LogContents contents, read_log(path));
    if (contents.skipped_lines > 0)
      console.message(MessageKind::kWarning,
                      fmt::format("{}: {} damaged line(s) left out (first: {})", path,
                                  contents.skipped_lines, contents.first_skipped));
    std::move(contents.measurements.begin(), contents.measurements.end(), std::back_inserter(all));
  }
  return all;
}

/// Writes a new file. Never overwrites one, because measurements take hours.
Status write_new(const std::string& path, const std::string& text) {
  struct stat status {};
  if (path.empty()) return invalid("name a new file with --to");
  if (stat(path.c_str(), &status) == 0) return invalid(path + ": exists; name a new file");
  return write_file(path, text);
}

std::string lines_of(const Measurements& measurements) {
  std::string text;
  for (const Measurement& m : measurements) text += to_log_line(m) + "\n";
  return text;
}

Result<std::string> write_log(const Measurements& measurements, const LogArguments& arguments,
                              size_t read) {
  TT_TRY(write_new(arguments.output_file, lines_of(measurements)));
  return fmt::format("{}: {} of {} records\n", arguments.output_file, measurements.size(), read);
}

std::string outcomes_text(const WorkloadTally& tally) {
  std::string text;
  for (const auto& [outcome, count] : tally.outcomes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(outcome));
  return text;
}

std::string or_dash(const std::optional<uint64_t>& cycles) {
  return cycles ? grouped(*cycles) : "-";
}

std::string statistics_text(const std::vector<WorkloadTally>& tallies) {
  Table table({"device", "trials", "first", "best", "gain", "seconds", "outcomes", "workload"});
  for (const WorkloadTally& t : tallies)
    table.add({t.device, std::to_string(t.trials), or_dash(t.first_cycles), or_dash(t.best_cycles),
               speedup_text(t.first_cycles, t.best_cycles), fmt::format("{:.1f}", t.seconds),
               outcomes_text(t), t.workload});
  return table.text();
}

std::string statistics_json(const std::vector<WorkloadTally>& tallies) {
  const auto or_null = [](const std::optional<uint64_t>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  auto all = nlohmann::ordered_json::array();
  for (const WorkloadTally& t : tallies) {
    nlohmann::ordered_json outcomes;
    for (const auto& [outcome, count] : t.outcomes) outcomes[std::string(name_of(outcome))] = count;
    all.push_back({{"device", t.device},
                   {"workload", t.workload},
                   {"trials", t.trials},
                   {"first_cycles", or_null(t.first_cycles)},
                   {"best_cycles", or_null(t.best_cycles)},
                   {"seconds", t.seconds},
                   {"outcomes", std::move(outcomes)}});
  }
  return nlohmann::ordered_json{{"workloads", std::move(all)}}.dump(
      2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string listing(const Measurements& measurements) {
  Table table({"device", "outcome", "cycles", "schedule", "workload"});
  for (const Measurement& m : measurements)
    table.add({m.device, std::string(name_of(m.outcome)), or_dash(m.median_cycles()), m.schedule,
               m.workload});
  return table.text();
}

/// Returns a lookup of the named device, or of the records' devices, that reads each only once.
DeviceOf devices_of(const LogArguments& arguments, std::map<std::string, Device>& known) {
  return [&](const std::string& name) -> Result<Device> {
    const auto at = known.find(name);
    if (at != known.end()) return at->second;
    TT_TRY_ASSIGN(const Device device,
                  load_device(arguments.device.empty() ? name : arguments.device));
    return known.emplace(name, device).first->second;
  };
}

Result<std::string> exported(const Measurements& measurements, const LogArguments& arguments) {
  if (arguments.exchange == "csv") return to_csv(measurements);
  std::map<std::string, Device> known;
  const DeviceOf device_of = devices_of(arguments, known);
  return arguments.exchange == "t4" ? to_t4(measurements, device_of)
                                    : to_autotvm(measurements, device_of);
}

Result<std::string> imported(const LogArguments& arguments) {
  Measurements all;
  std::map<std::string, Device> known;
  const DeviceOf device_of = devices_of(arguments, known);
  for (const std::string& path : arguments.logs) {
    TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMostLogBytes));
    TT_TRY_ASSIGN(Measurements found, looks_like_t4(text_of(bytes))
                                          ? from_t4(text_of(bytes), path, device_of)
                                          : from_autotvm(text_of(bytes), path));
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return write_log(without_repetitions(all), arguments, all.size());
}

/// Returns a line for each log with its numbers of records and damaged lines.
Result<std::string> checked(const LogArguments& arguments, bool& sound) {
  std::string text;
  for (const std::string& path : arguments.logs) {
    TT_TRY_ASSIGN(const LogContents contents, read_log(path));
    text += fmt::format("{}: {} records, {} damaged lines{}\n", path, contents.measurements.size(),
                        contents.skipped_lines,
                        contents.skipped_lines > 0 ? " (" + contents.first_skipped + ")" : "");
    sound = sound && contents.skipped_lines == 0;
  }
  return text;
}

Result<std::string> done(const LogArguments& arguments, const Console& console, bool& sound) {
  const std::string& action = arguments.action;
  if (action == "check") return checked(arguments, sound);
  if (action == "import") return imported(arguments);
  TT_TRY_ASSIGN(const Measurements all, read_all(arguments, console));
  if (action == "merge") return write_log(without_repetitions(all), arguments, all.size());
  if (action == "pick") return write_log(best_of_each_workload(all), arguments, all.size());
  if (action == "show") return arguments.json ? lines_of(all) : listing(all);
  if (action == "stats") {
    const auto tallies = tallies_of(all);
    return arguments.json ? statistics_json(tallies) : statistics_text(tallies);
  }
  TT_TRY_ASSIGN(const std::string text, exported(all, arguments));
  if (arguments.output_file.empty()) return text;
  TT_TRY(write_new(arguments.output_file, text));
  return fmt::format("{}: {} records as {}\n", arguments.output_file, all.size(),
                     arguments.exchange);
}

int run_log(const LogArguments& arguments, const Context& context) {
  bool sound = true;
  const Result<std::string> text = done(arguments, context.console, sound);
  if (!text) return context.console.fail(text.error());
  const int told = context.console.result(*text);
  return sound ? told : kExitFailed;
}

}  // namespace

Command log_command() {
  Option action = choice("ACTION", own(&LogArguments::action),
                         {"merge", "pick", "stats", "show", "check", "export", "import"},
                         "Action on the logs", "");
  action.value.clear();
  action.required = true;
  return {.name = "log",
          .summary = "Join, reduce, check, show and convert tuning logs",
          .options = {action,
                      {.names = "LOG",
                       .field = own(&LogArguments::logs),
                       .help = "Logs; of import, a file of the other format",
                       .required = true},
                      {.names = "-o,--to",
                       .field = own(&LogArguments::output_file),
                       .value = "FILE",
                       .help = "File to write; it must not exist",
                       .otherwise = "stdout, of an export"},
                      choice("--as,--format", own(&LogArguments::exchange),
                             {"csv", "autotvm", "t4"}, "Format of an export", "csv"),
                      optional(device(), "the devices that records name"),
                      json()},
          .examples =
              "  merge   all records of several logs, each once          (needs --to)\n"
              "  pick    the fastest record of each workload             (needs --to)\n"
              "  stats   what became of the candidates of each workload\n"
              "  show    every record, a line each\n"
              "  check   every line's checksum; exit code 1 if one is damaged\n"
              "  export  as CSV, AutoTVM 0.2 or Kernel Tuner's T4 1.0.0\n"
              "  import  records of an AutoTVM or a T4 export            (needs --to)\n"
              "\n"
              "Examples:\n"
              "  tune log merge monday.jsonl tuesday.jsonl --to week.jsonl\n"
              "  tune log pick week.jsonl --to best.jsonl\n"
              "  tune log export best.jsonl --as autotvm --to best.tune",
          .does = does<run_log>()};
}

}  // namespace tinytune
