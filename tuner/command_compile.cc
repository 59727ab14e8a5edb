#include <fmt/format.h>

#include "codegen/network.h"
#include "tinytune/deploy.h"
#include "tuner/arguments.h"
#include "tuner/commands.h"
#include "tuner/layouts.h"
#include "tuner/units.h"

namespace tinytune {

int run_compile(const CompileArguments& arguments, const Console& console) {
  const Result<Model> model = Model::load(arguments.model, {arguments.disabled_passes});
  if (!model) return console.fail(model.error());
  CompileOptions options;
  options.records = arguments.records;
  const Result<LayoutPolicy> layout = parse_layout_policy(arguments.layout);
  if (!layout) return console.fail(layout.error());
  options.layout = *layout;
  const std::optional<PackageFormat> format = parse_package_format(arguments.format);
  if (!format)
    return console.fail(
        kExitWrongInput,
        "--format is cmake, esp-idf, zephyr, arduino or mlf, not '" + arguments.format + "'");
  options.format = *format;
  const Result<MemoryLimits> limits =
      parse_limits(arguments.ram, arguments.flash, arguments.fast_ram);
  if (!limits) return console.fail(limits.error());
  options.limits = *limits;
  options.require_tuned = arguments.require_tuned;
  options.on_message = console.sink();
  const Result<CompileReport> report =
      compile_model(*model, arguments.device, arguments.directory, options);
  if (!report) return console.fail(report.error());
  console.result(fmt::format("{}: {} files, {} of {} layers tuned, arena {}\n", report->directory,
                             report->files.size(), report->layers_tuned, report->layers_tunable,
                             arena_text(report->arena_bytes, report->arena_lower_bound)));
  return 0;
}

}  // namespace tinytune
