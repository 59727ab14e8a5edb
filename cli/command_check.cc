// tune check: measures a log's best kernels again and compares the cycles.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/tuning_options.h"
#include "cli/units.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/layouts.h"
#include "devices/device.h"
#include "records/log.h"
#include "records/log_merge.h"
#include "rpc_device/boards/open_board.h"
#include "tuner/remeasure.h"

namespace tinytune {
namespace {

using namespace options;

struct CheckArguments : Arguments {
  std::string against;                      ///< log to check
  std::optional<double> tolerance_percent;  ///< accepted increase of cycles
};

/// Tolerance if weights differ from the record's: kernels branch on clamped results.
constexpr double kOtherConstantsPercent = 5;

struct Verdict {
  Remeasured measured;
  std::optional<uint64_t> cycles;  ///< of the new measurement
  double change = 0;               ///< 0.1: 10 % slower
  bool holds = false;
};

Verdict verdict_on(Remeasured measured, double tolerance) {
  Verdict verdict{std::move(measured), {}, 0, false};
  const MeasureResult& now = verdict.measured.now;
  if (now.outcome != Outcome::kOk || now.cycles.empty()) return verdict;
  verdict.cycles = median_of(now.cycles);
  const auto before = static_cast<double>(*verdict.measured.before.median_cycles());
  verdict.change = static_cast<double>(*verdict.cycles) / before - 1;
  verdict.holds = verdict.change <= tolerance;
  return verdict;
}

Result<std::vector<Verdict>> check(const CheckArguments& arguments, const Context& context) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(arguments.device));
  TT_TRY_ASSIGN(const Device device, load_device(address.device));
  const Fidelity fidelity = address.is_simulator() ? Fidelity::kSimulate : Fidelity::kBoard;
  TT_TRY_ASSIGN(const LogContents contents, read_log(arguments.against));
  const Records records =
      applicable_records(contents, arguments.against, device, fidelity, context.console.sink());
  const std::vector<Measurement> best = best_of_each_workload(records.all());
  if (best.empty())
    return Error(ErrorCode::kFailed, arguments.against + ": 0 of " +
                                         std::to_string(contents.measurements.size()) +
                                         " records can be checked on " + device.name);
  std::vector<Task> known;
  if (!arguments.model.empty()) {
    TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
    known = tasks_in(model.state().tasks, LayoutPolicy::kAuto);
  }
  TuneOptions options = with_workers({}, arguments, context);
  options.on_message = context.console.sink();
  TT_TRY_ASSIGN(const auto measured, remeasure(best, known, device, arguments.device, options));
  const double tolerance =
      arguments.tolerance_percent.value_or(known.empty() ? kOtherConstantsPercent : 0) / 100;
  std::vector<Verdict> verdicts;
  for (const Remeasured& one : measured) verdicts.push_back(verdict_on(one, tolerance));
  return verdicts;
}

std::string to_text(const std::vector<Verdict>& verdicts) {
  Table table({"was", "is", "change", "outcome", "", "workload"});
  size_t broken = 0;
  for (const Verdict& v : verdicts) {
    broken += v.holds ? 0 : 1;
    table.add({grouped(*v.measured.before.median_cycles()), v.cycles ? grouped(*v.cycles) : "-",
               v.cycles ? fmt::format("{:+.2f} %", 100 * v.change) : "-",
               std::string(name_of(v.measured.now.outcome)), v.holds ? "holds" : "BROKEN",
               v.measured.before.workload});
  }
  return table.text() + fmt::format("{} of {} hold\n", verdicts.size() - broken, verdicts.size());
}

std::string to_json(const std::vector<Verdict>& verdicts) {
  auto all = nlohmann::ordered_json::array();
  for (const Verdict& v : verdicts)
    all.push_back({{"workload", v.measured.before.workload},
                   {"schedule", v.measured.before.schedule},
                   {"was", *v.measured.before.median_cycles()},
                   {"is", v.cycles ? nlohmann::ordered_json(*v.cycles) : nullptr},
                   {"outcome", std::string(name_of(v.measured.now.outcome))},
                   {"holds", v.holds}});
  return nlohmann::ordered_json{{"records", std::move(all)}}.dump(2);
}

int run_check(const CheckArguments& arguments, const Context& context) {
  const Result<std::vector<Verdict>> verdicts = check(arguments, context);
  if (!verdicts) return context.console.fail(verdicts.error());
  const int told = context.console.result(arguments.json ? to_json(*verdicts) : to_text(*verdicts));
  for (const Verdict& verdict : *verdicts)
    if (!verdict.holds) return kExitFailed;
  return told;
}

}  // namespace

Command check_command() {
  return {
      .name = "check",
      .summary = "Measure a log's best kernels again; fail where they are slower or wrong",
      .options = {device(),
                  {.names = "--against",
                   .field = own(&CheckArguments::against),
                   .value = "LOG",
                   .help = "Log whose best record of each workload is checked",
                   .required = true},
                  optional(model(), "weights are generated"),
                  {.names = "--tolerance",
                   .field = own(&CheckArguments::tolerance_percent),
                   .value = "PERCENT",
                   .help = "Slowdown in per cent that still holds",
                   .otherwise = "0 with --model: simulators are exact; else 5",
                   .syntax = Syntax::kPercent},
                  workers(),
                  board_patience(),
                  json()},
      .examples = "Example: tune check --model kws.tflite --device esp32c3 --against best.jsonl",
      .does = does<run_check>(),
      .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
