#include "cli/tuning_options.h"

#include <filesystem>

namespace tinytune {

TuneOptions with_workers(TuneOptions options, const Arguments& arguments, const Context& context) {
  std::error_code unknown;  // if it fails, the library searches the PATH
  options.worker_program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  options.workers = arguments.workers;
  if (arguments.board_patience_seconds)
    options.board_patience_seconds = *arguments.board_patience_seconds;
  options.cancel = context.cancel;
  return options;
}

TuneOptions tuning_options(const Arguments& arguments, const Context& context, ProgressLine& line) {
  TuneOptions options = with_workers({}, arguments, context);
  options.trials = arguments.trials;
  options.budget_seconds = arguments.budget_seconds;
  options.early_stop = arguments.early_stop;
  options.tuner = arguments.tuner;
  options.seed = arguments.seed;
  options.window = arguments.window;
  options.limits = arguments.limits();
  options.on_message = [&](MessageKind kind, const std::string& text) {
    line.finish();
    context.console.message(kind, text);
  };
  if (!arguments.quiet)
    options.on_progress = [&](const TuneProgress& progress) { line.show(progress); };
  return options;
}

}  // namespace tinytune
