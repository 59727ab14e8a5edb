#include <cstdio>
#include <filesystem>
#include <vector>

#include "tinytune/tinytune.h"
#include "tuner/arguments.h"
#include "tuner/commands.h"
#include "tuner/layouts.h"
#include "tuner/model_state.h"
#include "tuner/progress.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"

namespace tinytune {
namespace {

Result<TuneOptions> options_of(const TuneArguments& arguments, const Model& model) {
  TuneOptions options;
  std::error_code unknown;  // then the library looks on the PATH
  options.worker_program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  options.tuner = arguments.tuner;
  options.workers = arguments.workers;
  options.listen = arguments.listen;
  // A device named by the path of its file still gives a log in this directory.
  options.records = arguments.records.value_or(stem_of(arguments.model) + "." +
                                               stem_of(arguments.device) + ".jsonl");
  if (arguments.trials) {
    TT_TRY_ASSIGN(options.trials, parse_count("--trials", *arguments.trials));
  }
  if (arguments.seed) {
    TT_TRY_ASSIGN(options.seed, parse_count("--seed", *arguments.seed));
  }
  if (arguments.budget) {
    TT_TRY_ASSIGN(options.budget_seconds, parse_duration(*arguments.budget));
  }
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  TT_TRY_ASSIGN(options.limits, parse_limits(arguments.ram, arguments.flash));
  if (arguments.tasks) {
    const size_t count = tasks_in(model.state().tasks, options.layout).size();
    TT_TRY_ASSIGN(options.tasks, parse_task_list(*arguments.tasks, static_cast<int>(count)));
  }
  return options;
}

std::string next_command(const TuneArguments& arguments, const std::string& records,
                         const Invocation& invocation) {
  std::vector<std::string> words = {invocation.program,
                                    "compile",
                                    "--model",
                                    arguments.model,
                                    "--device",
                                    arguments.device,
                                    "--records",
                                    records,
                                    "-o",
                                    stem_of(arguments.model) + "/"};
  if (arguments.layout != "nhwc") words.insert(words.end(), {"--layout", arguments.layout});
  if (arguments.ram) words.insert(words.end(), {"--ram", *arguments.ram});
  if (arguments.flash) words.insert(words.end(), {"--flash", *arguments.flash});
  for (const std::string& pass : arguments.disabled_passes)
    words.insert(words.end(), {"--disable-pass", pass});
  return shell_line(words);
}

}  // namespace

int run_tune(const TuneArguments& arguments, const Invocation& invocation, const Console& console) {
  const Result<Model> model = Model::load(arguments.model, {arguments.disabled_passes});
  if (!model) return console.fail(model.error());
  Result<TuneOptions> options = options_of(arguments, *model);
  if (!options) return console.fail(options.error());

  ProgressLine line;
  options->cancel = invocation.cancel;
  options->on_message = [&](MessageKind kind, const std::string& text) {
    line.finish();
    console.message(kind, text);
  };
  if (!console.quiet())
    options->on_progress = [&](const TuneProgress& progress) { line.show(progress); };
  const Result<TuneReport> report = tune_model(*model, arguments.device, *options);
  line.finish();
  if (!report && report.error().code() == ErrorCode::kInterrupted) {
    return console.fail(kExitInterrupted,
                        report.error().message() + "; to go on: " + invocation.line);
  }
  if (!report) return console.fail(report.error());

  if (report->measured == 0) {
    console.message(MessageKind::kInfo, "nothing left to measure: " + report->records +
                                            " already holds this run; raise --trials to go on");
  } else if (report->exhausted) {
    console.message(MessageKind::kInfo, "every schedule of these tasks is measured");
  }
  console.result(console.json() ? to_json(*report) : to_text(*report));
  const std::string next = next_command(arguments, report->records, invocation);
  if (!console.json()) console.result("next: " + next);
  return 0;
}

}  // namespace tinytune
