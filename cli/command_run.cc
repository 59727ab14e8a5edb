#include "base/files.h"
#include "cli/commands.h"
#include "cli/input_set_run.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/run_arguments.h"
#include "cli/run_options.h"
#include "cli/shared_options.h"
#include "cli/tensor_files.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

using namespace options;

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

/// Checks the number of outputs before the run, which may take minutes.
Status check_output_count(const Model& model, const RunArguments& arguments) {
  const size_t given = arguments.outputs.size(), has = model.info().outputs.size();
  if (given <= 1 || given == has) return ok_status();
  return Error(ErrorCode::kInvalidInput, "--output is given " + std::to_string(given) +
                                             " times, but the model has " + std::to_string(has) +
                                             " output(s)");
}

Result<RunReport> run(const RunArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  TT_TRY(check_output_count(model, arguments));
  TT_TRY_ASSIGN(RunOptions options, run_options(arguments, console));
  if (arguments.steps > kMostSteps)
    return Error(ErrorCode::kInvalidInput, "--steps is at most " + std::to_string(kMostSteps) +
                                               ", not " + std::to_string(arguments.steps));
  options.steps = static_cast<int>(arguments.steps);
  // The first window of frames is one more step of inputs.
  const int inferences = options.steps + (options.input == InputArrival::kFrames ? 1 : 0);
  TT_TRY_ASSIGN(options.inputs, read_inputs(model, arguments.inputs, inferences));
  options.verify = arguments.verify;
  options.on = arguments.on;
  options.arena_front = arguments.arena_front;
  options.dump_tensors = arguments.dump_directory.has_value();
  TT_TRY_ASSIGN(RunReport report, run_model(model, arguments.device, options));
  TT_TRY(write_outputs(model, arguments.outputs, report.outputs));
  if (arguments.dump_directory) TT_TRY(write_dump(*arguments.dump_directory, report, console));
  return report;
}

int run_run(const RunArguments& arguments, const Context& context) {
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

}  // namespace

Command run_command() {
  return {.name = "run",
          .summary = "Compile the network and run it in the simulator, or on a board as well",
          .options =
              all_of({{model(),
                       device(),
                       log(),
                       {.names = "--input",
                        .field = own(&RunArguments::inputs),
                        .value = "FILE|seed:N",
                        .help = "Raw tensor bytes, or seed:N; repeat for several inputs",
                        .otherwise = "seed:1"},
                       {.names = "--inputs",
                        .field = own(&RunArguments::input_set),
                        .value = "DIR|FILE",
                        .help = "Run many inputs: a file each, or all in one; raw bytes or .npy",
                        .otherwise = "none"},
                       {.names = "--labels",
                        .field = own(&RunArguments::labels),
                        .value = "FILE",
                        .help = "Print accuracy of --inputs: lines of CLASS, or of INPUT CLASS",
                        .otherwise = "none"},
                       {.names = "--reference",
                        .field = own(&RunArguments::reference),
                        .help = "Run --inputs by the reference operators, without compiling"},
                       {.names = "--output",
                        .field = own(&RunArguments::outputs),
                        .value = "FILE",
                        .help = "Write raw output bytes here; may be repeated",
                        .otherwise = "none"},
                       layout_of_activations()},
                      memory_limits(),
                      {stream_input(), arena_front()},
                      loading(),
                      {{.names = "--steps",
                        .field = own(&RunArguments::steps),
                        .value = "N",
                        .help = "Inferences in a row; --input has one step's bytes or all N steps'",
                        .otherwise = "1",
                        .syntax = Syntax::kPositive},
                       {.names = "--verify",
                        .field = own(&RunArguments::verify),
                        .help = "Compare with the reference operators, bit for bit"}},
                      generating(),
                      {{.names = "--on",
                        .field = own(&RunArguments::on),
                        .value = "BOARD",
                        .help = "Run it on this board as well: DEVICE@gdb:HOST:PORT",
                        .otherwise = "none"},
                       {.names = "--dump-tensors",
                        .field = own(&RunArguments::dump_directory),
                        .value = "DIR",
                        .help = "Write tensor_<id>.bin here",
                        .otherwise = "none"},
                       json()}}),
          .examples =
              "Examples:\n"
              "  tune run --model kws.tflite --device esp32c3 --verify\n"
              "  tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
              "--input x.bin --output y.bin\n"
              "  tune run --model kws.tflite --device esp32c3 --inputs x.npy --labels y.txt "
              "--verify\n"
              "  tune run --model kws.tflite --device stm32f7 --on stm32f7@gdb:localhost:3333 "
              "--verify",
          .does = does<run_run>()};
}

}  // namespace tinytune
