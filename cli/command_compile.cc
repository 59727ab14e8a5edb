#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/next_command.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/units.h"
#include "codegen/packages/package.h"
#include "deploy/layouts.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

Result<CompileReport> compile(const Arguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  CompileOptions options;
  options.records = arguments.records;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.format = parse_package_format(arguments.format).value_or(PackageFormat::kCmake);
  options.limits = arguments.limits();
  options.input = arguments.input();
  options.require_tuned = arguments.require_tuned;
  options.portable = arguments.portable;
  options.bench = arguments.bench;
  options.on_message = console.sink();
  return compile_model(model, arguments.device, arguments.directory, options);
}

}  // namespace

int run_compile(const Arguments& arguments, const Context& context) {
  const Result<CompileReport> report = compile(arguments, context.console);
  if (!report) return context.console.fail(report.error());
  if (arguments.json) return context.console.result(to_json(*report));
  std::string text =
      fmt::format("{}: {} files, {} of {} layers tuned, arena {}\n", report->directory,
                  report->files.size(), report->layers_tuned, report->layers_tunable,
                  arena_text(report->arena_bytes, report->arena_lower_bound));
  if (report->footprint) text += to_text(*report->footprint, report->clock_hz);
  if (report->exact)
    text += *report->exact ? "exact: one inference, every byte as the reference's\n"
                           : "NOT exact: `tune run --verify` says where\n";
  if (report->footprint)  // else nothing here can run it
    text += "next: " + next_command(context.program, "run", arguments, arguments.device,
                                    arguments.records, {"--verify"});
  const int told = context.console.result(text);
  return report->exact.value_or(true) ? told : kExitFailed;
}

}  // namespace tinytune
