#include "base/files.h"
#include "cli/commands.h"
#include "cli/input_set_run.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/tensor_files.h"
#include "deploy/selection/layouts.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

Status write_dump(const std::string& directory, const RunReport& report, const Console& console) {
  for (const TensorDump& tensor : report.tensors)
    TT_TRY(write_file(directory + "/tensor_" + std::to_string(tensor.id) + ".bin",
                      text_of(tensor.bytes)));
  if (!report.fused_tensors.empty()) {
    std::string ids;
    for (int id : report.fused_tensors) ids += (ids.empty() ? "t" : ", t") + std::to_string(id);
    console.message(MessageKind::kInfo, "fused away, so not dumped: " + ids);
  }
  return ok_status();
}

constexpr uint64_t kMostSteps = 1'000'000;

/// Before anything is run: a network may take minutes.
Status check_output_count(const Model& model, const Arguments& arguments) {
  const size_t given = arguments.outputs.size(), has = model.info().outputs.size();
  if (given <= 1 || given == has) return ok_status();
  return Error(ErrorCode::kInvalidInput, "--output is given " + std::to_string(given) +
                                             " times, but the model has " + std::to_string(has) +
                                             " output(s)");
}

Result<RunReport> run(const Arguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  TT_TRY(check_output_count(model, arguments));
  RunOptions options;
  options.records = arguments.records;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.limits = arguments.limits();
  options.input = arguments.input();
  if (arguments.steps > kMostSteps)
    return Error(ErrorCode::kInvalidInput, "--steps is at most " + std::to_string(kMostSteps) +
                                               ", not " + std::to_string(arguments.steps));
  options.steps = static_cast<int>(arguments.steps);
  // The first window of frames is a step more.
  const int inferences = options.steps + (options.input == InputArrival::kFrames ? 1 : 0);
  TT_TRY_ASSIGN(options.inputs, read_inputs(model, arguments.inputs, inferences));
  options.verify = arguments.verify;
  options.portable = arguments.portable;
  options.cores = arguments.core_count();
  options.compress_weights = arguments.compress_weights;
  options.arrival = arguments.arrival;
  options.on = arguments.on;
  options.arena_front = arguments.arena_front;
  options.dump_tensors = arguments.dump_directory.has_value();
  options.on_message = console.sink();
  TT_TRY_ASSIGN(RunReport report, run_model(model, arguments.device, options));
  TT_TRY(write_outputs(model, arguments.outputs, report.outputs));
  if (arguments.dump_directory) TT_TRY(write_dump(*arguments.dump_directory, report, console));
  return report;
}

}  // namespace

int run_run(const Arguments& arguments, const Context& context) {
  const Console& console = context.console;
  if (arguments.input_set) return run_input_set(arguments, context);
  if (arguments.labels || arguments.reference)
    return console.fail(kExitWrongInput, "--labels and --reference go with --inputs");
  const Result<RunReport> report = run(arguments, console);
  if (!report) return console.fail(report.error());
  const int told = console.result(arguments.json ? to_json(*report) : to_text(*report));
  if (report->exact == false)
    console.message(MessageKind::kWarning, "differs from the reference: " + report->difference);
  const bool board_differs = report->board && report->board->exact == false;
  if (board_differs)
    console.message(MessageKind::kWarning,
                    "differs from the reference on the board: " + report->board->difference);
  return report->exact == false || board_differs ? kExitFailed : told;
}

}  // namespace tinytune
