#include <cstdio>
#include <optional>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/shared_options.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"

namespace tinytune {
namespace {

using namespace options;

/// Runs the model on the device; nullopt if none is named or the model is unsupported.
Result<std::optional<RunReport>> on_device(const Arguments& arguments, const Inspection& inspection,
                                           const Console& console) {
  if (arguments.device.empty() || !inspection.unsupported.empty())
    return std::optional<RunReport>();
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  RunOptions options;
  options.records = arguments.records;
  options.limits = arguments.limits();
  options.on_message = console.sink();
  TT_TRY_ASSIGN(RunReport report, run_model(model, arguments.device, options));
  return std::optional<RunReport>(std::move(report));
}

int run_inspect(const Arguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Inspection> inspection = inspect_model(arguments.model, arguments.loading());
  if (!inspection) return console.fail(inspection.error());
  const auto report = on_device(arguments, *inspection, console);
  if (!report) return console.fail(report.error());
  std::string text = arguments.json ? to_json(*inspection, *report) : to_text(*inspection);
  if (*report && !arguments.json)
    text += "on " + arguments.device + "\n" + to_text((*report)->footprint, (*report)->clock_hz);
  const int told = console.result(text);
  if (inspection->refusal.empty()) return told;
  std::fprintf(stderr, "tune: %s\n", without_controls(inspection->refusal).c_str());
  return kExitWrongInput;
}

}  // namespace

Command inspect_command() {
  return {.name = "inspect",
          .summary = "List a model's operators and tuning tasks",
          .options = all_of({{{.names = "MODEL",
                               .field = &Arguments::model,
                               .help = "Network: a .tflite or .onnx file",
                               .required = true},
                              optional(device(), "the model alone"),
                              log()},
                             memory_limits(),
                             loading(),
                             {json()}}),
          .examples =
              "Examples:\n"
              "  tune inspect kws.tflite\n"
              "  tune inspect kws.tflite --device esp32c3     # and what it takes of one",
          .does = does<run_inspect>()};
}

}  // namespace tinytune
