#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/network_cycles.h"
#include "cli/next_command.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/task_list.h"
#include "cli/tuning_options.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/layouts.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/tinytune.h"
#include "tuner/prescreen.h"

namespace tinytune {
namespace {

/// "models/kws.tflite" → "kws".
std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// "kws.esp32c3": of the model for that device.
std::string name_of(const Arguments& arguments) {
  return stem_of(arguments.model) + "." + stem_of(device_part(arguments.device));
}

/// A device named by the path of its file still gives a log in this directory.
std::string log_of(const Arguments& arguments) {
  return arguments.records.value_or(name_of(arguments) + ".jsonl");
}

struct Tuned {
  TuneReport report;
  Result<std::optional<NetworkCycles>> network;
};

Result<Tuned> tune(const Arguments& arguments, const Context& context) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  ProgressLine line;
  TuneOptions options = tuning_options(arguments, context, line);
  options.records = log_of(arguments);
  options.priors = arguments.priors;
  options.listen = arguments.listen;
  options.keys = arguments.keys.value_or("");
  options.insecure = arguments.insecure;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  if (arguments.tasks) {
    const size_t count = tasks_in(model.state().tasks, options.layout).size();
    TT_TRY_ASSIGN(options.tasks, parse_task_list(*arguments.tasks, static_cast<int>(count)));
  }
  Result<TuneReport> report = arguments.prescreen.empty()
                                  ? tune_model(model, arguments.device, options)
                                  : tune_prescreened(model, arguments.device, options);
  line.finish();
  if (!report) return report.error();
  auto network = network_cycles(model, arguments, report->records);
  return Tuned{std::move(*report), std::move(network)};
}

}  // namespace

int run_tune(const Arguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Tuned> tuned = tune(arguments, context);
  if (!tuned && tuned.error().code() == ErrorCode::kInterrupted) {
    return console.fail(kExitInterrupted, tuned.error().message() + "; to go on: " + context.line);
  }
  if (!tuned) return console.fail(tuned.error());
  const auto& [report, whole] = *tuned;
  if (report.measured == 0) {
    console.message(
        MessageKind::kInfo,
        "nothing left to measure: " + report.records + " already holds this run; " +
            (report.exhausted ? "no task is worth another trial" : "raise --trials to go on"));
  } else if (report.stopped_early) {
    console.message(MessageKind::kInfo, "ended early: the last " +
                                            std::to_string(*arguments.early_stop) +
                                            " trials made no task faster");
  } else if (report.exhausted) {
    console.message(MessageKind::kInfo,
                    "no task is worth another trial: none is expected to become faster");
  }
  if (!whole)
    console.message(MessageKind::kWarning, "the network as a whole: " + whole.error().message());
  const std::optional<NetworkCycles> network = whole ? *whole : std::nullopt;
  if (arguments.json) return console.result(to_json(report, network));
  return console.result(to_text(report, network) + "next: " +
                        next_command(context.program, "compile", arguments,
                                     device_part(arguments.device), report.records,
                                     {"-o", name_of(arguments) + "/"}));
}

}  // namespace tinytune
