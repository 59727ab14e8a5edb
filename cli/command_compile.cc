#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/units.h"
#include "codegen/packages/package.h"
#include "deploy/layouts.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

Result<CompileReport> compile(const Arguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, {arguments.disabled_passes}));
  CompileOptions options;
  options.records = arguments.records;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.format = parse_package_format(arguments.format).value_or(PackageFormat::kCmake);
  options.limits = arguments.limits();
  options.require_tuned = arguments.require_tuned;
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
  return context.console.result(text);
}

}  // namespace tinytune
