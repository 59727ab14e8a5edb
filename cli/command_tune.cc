#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/network_cycles.h"
#include "cli/next_command.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/shared_options.h"
#include "cli/task_list.h"
#include "cli/tuning_options.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/layouts.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/tinytune.h"
#include "tuner/prescreen.h"

namespace tinytune {
namespace {

using namespace options;

struct TuneArguments : Arguments {
  std::vector<std::string> priors;   ///< paths of logs
  std::optional<std::string> tasks;  ///< indices of `tune inspect`
  std::string prescreen;             ///< "simulator"; empty: none
  std::string listen;                ///< address for workers
  bool insecure = false;             ///< listen to other machines without keys
};

/// Returns "kws" for "models/kws.tflite".
std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// Returns the name of model and device, "kws.esp32c3".
std::string name_of(const TuneArguments& arguments) {
  return stem_of(arguments.model) + "." + stem_of(device_part(arguments.device));
}

/// Returns the log's path; the default is in this directory even if the device is a file's path.
std::string log_of(const TuneArguments& arguments) {
  return arguments.records.value_or(name_of(arguments) + ".jsonl");
}

struct Tuned {
  TuneReport report;
  Result<std::optional<NetworkCycles>> network;
};

Result<Tuned> tune(const TuneArguments& arguments, const Context& context) {
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

int run_tune(const TuneArguments& arguments, const Context& context) {
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

}  // namespace

Command tune_command() {
  return {
      .name = "",
      .summary = "Finds the fastest exact int8 kernels for a neural network on a microcontroller.",
      .options = all_of(
          {{model(), device(),
            records("Log to continue or create", "MODEL.DEVICE.jsonl in this directory")},
           searching(),
           {{.names = "--prior",
             .field = own(&TuneArguments::priors),
             .value = "LOG",
             .help = "Log of this network or others, whose records of this device a new log begins "
                     "with (may be repeated)",
             .otherwise = "none"},
            {.names = "--tasks",
             .field = own(&TuneArguments::tasks),
             .value = "LIST",
             .help = "Tune only these tasks of `tune inspect`: 0,2-5",
             .otherwise = "all"},
            layout("Layouts to tune kernels for; auto is both"),
            choice("--prescreen", own(&TuneArguments::prescreen), {"simulator"},
                   "Search there, and measure the best of each task on the board", "no")},
           memory_limits(),
           loading(),
           {workers(),
            board_patience(),
            {.names = "--listen",
             .field = own(&TuneArguments::listen),
             .value = "unix:PATH|HOST:PORT",
             .help = "Address at which workers dial in",
             .otherwise = "a private socket"},
            keys("Keys of `tune keys`, its tuner/: links are encrypted, strangers refused"),
            {.names = "--insecure",
             .field = own(&TuneArguments::insecure),
             .help = "Listen to other machines without keys"},
            json(),
            quiet()}}),
      .examples =
          "Without a subcommand it tunes; `tune SUBCOMMAND --help` describes the others.\n"
          "\n"
          "Examples:\n"
          "  tune --model kws.tflite --device esp32c3\n"
          "  tune compile --model kws.tflite --device esp32c3 --records "
          "kws.esp32c3.jsonl -o kws/\n"
          "  tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
          "--verify\n"
          "\n"
          "Exit codes: 0 done, 1 the work failed, 2 wrong command line or input, 130 "
          "interrupted.",
      .does = does<run_tune>(),
      .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
