#include "tinytune/deploy.h"
#include "tuner/arguments.h"
#include "tuner/commands.h"
#include "tuner/layouts.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"

namespace tinytune {

int run_report(const ReportArguments& arguments, const Console& console) {
  const Result<Model> model = Model::load(arguments.model, {arguments.disabled_passes});
  if (!model) return console.fail(model.error());
  RunOptions options;
  options.verify = true;
  options.on_message = console.sink();
  options.records = arguments.records;
  const Result<LayoutPolicy> layout = parse_layout_policy(arguments.layout);
  if (!layout) return console.fail(layout.error());
  options.layout = *layout;
  const Result<MemoryLimits> limits =
      parse_limits(arguments.ram, arguments.flash, arguments.fast_ram);
  if (!limits) return console.fail(limits.error());
  options.limits = *limits;
  const Result<RunReport> tuned = run_model(*model, arguments.device, options);
  if (!tuned) return console.fail(tuned.error());
  options.records.reset();
  options.layout = LayoutPolicy::kNhwc;
  options.limits = {};
  const Result<RunReport> by_default = run_model(*model, arguments.device, options);
  if (!by_default) return console.fail(by_default.error());
  console.result(console.json() ? to_json(*by_default, *tuned)
                                : comparison_text(*by_default, *tuned, arguments.device));
  return *tuned->exact && *by_default->exact ? 0 : kExitFailed;
}

}  // namespace tinytune
