#include "base/files.h"
#include "cli/commands.h"
#include "cli/live_report.h"
#include "cli/network_figures.h"
#include "cli/report_arguments.h"
#include "cli/report_json.h"
#include "cli/report_page.h"
#include "cli/report_page_inputs.h"
#include "cli/report_text.h"
#include "cli/shared_options.h"

namespace tinytune {
namespace {

using namespace options;

Status check_options(const ReportArguments& arguments) {
  const auto wrong = [](const char* why) { return Error(ErrorCode::kInvalidInput, why); };
  if (arguments.live && arguments.html)
    return wrong("--live serves the page, --html writes it: give one");
  if (arguments.live && arguments.json)
    return wrong("--live serves its data as data.json; it has no --json");
  if (arguments.port > 65535) return wrong("--port must be from 1 to 65535");
  if (arguments.port != 0 && !arguments.live) return wrong("--port is for --live");
  if (arguments.library && !arguments.html && !arguments.live)
    return wrong("--library is for the page: add --html FILE");
  return ok_status();
}

int tell(const Model& model, const ReportArguments& arguments, const Console& console) {
  const Result<NetworkFigures> compared = compare_variants(model, arguments, console.sink());
  if (!compared) return console.fail(compared.error());
  const RunReport &tuned = compared->tuned, &by_default = compared->by_default;
  const int told =
      console.result(arguments.json ? to_json(by_default, tuned)
                                    : comparison_text(by_default, tuned, arguments.device));
  return *tuned.exact && *by_default.exact ? told : kExitFailed;
}

int write_page(const Model& model, const ReportArguments& arguments, const Console& console) {
  const Result<std::vector<Task>> tasks = page_tasks(model, arguments);
  if (!tasks) return console.fail(tasks.error());
  const Result<std::string> data = page_data_of_network(model, *tasks, arguments, console.sink());
  if (!data) return console.fail(data.error());
  if (const Status written = write_file(*arguments.html, page_of(*data)); !written)
    return console.fail(written.error());
  if (!page_has_charts())
    console.message(MessageKind::kWarning,
                    "this build has no charting library, so the page has tables only; install npm "
                    "and build again");
  return console.result(arguments.json ? *data : "wrote " + *arguments.html);
}

int run_report(const ReportArguments& arguments, const Context& context) {
  const Console& console = context.console;
  if (const Status usable = check_options(arguments); !usable) return console.fail(usable.error());
  const Result<Model> model = Model::load(arguments.model, arguments.loading());
  if (!model) return console.fail(model.error());
  if (arguments.live) return serve_live_report(*model, arguments, context);
  return arguments.html ? write_page(*model, arguments, console) : tell(*model, arguments, console);
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary = "Compare default and tuned kernels, layer by layer",
      .options =
          all_of({{model(), device(), required(log()),
                   layout("Layout of the tuned variant; auto by layer")},
                  memory_limits(),
                  {arena_front()},
                  loading(),
                  {{.names = "--html",
                    .field = own(&ReportArguments::html),
                    .value = "FILE",
                    .help = "Write the report as a page: figures of the search and the network",
                    .otherwise = "none"},
                   {.names = "--library",
                    .field = own(&ReportArguments::library),
                    .value = "CSV",
                    .help = "Instructions of hand-written libraries by layer, for the page",
                    .otherwise = "none"},
                   {.names = "--live",
                    .field = own(&ReportArguments::live),
                    .help = "Serve the page to this machine while a run goes on"},
                   {.names = "--port",
                    .field = own(&ReportArguments::port),
                    .value = "N",
                    .help = "Port of --live",
                    .otherwise = "any that is free",
                    .syntax = Syntax::kPositive},
                   json()}}),
      .examples =
          "Examples:\n"
          "  tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl\n"
          "  tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
          "--html report.html\n"
          "  tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl --live",
      .does = does<run_report>(),
      .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
