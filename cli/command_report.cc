#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "deploy/layouts.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

struct Comparison {
  RunReport tuned, by_default;
};

Result<Comparison> compare(const Arguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, {arguments.disabled_passes}));
  RunOptions options;
  options.verify = true;
  options.on_message = console.sink();
  Comparison comparison;
  RunOptions as_asked = options;
  as_asked.records = arguments.records;
  as_asked.limits = arguments.limits();
  as_asked.flash_front = true;
  TT_TRY_ASSIGN(as_asked.layout, parse_layout_policy(arguments.layout));
  TT_TRY_ASSIGN(comparison.tuned, run_model(model, arguments.device, as_asked));
  TT_TRY_ASSIGN(comparison.by_default, run_model(model, arguments.device, options));
  return comparison;
}

}  // namespace

int run_report(const Arguments& arguments, const Context& context) {
  const Result<Comparison> compared = compare(arguments, context.console);
  if (!compared) return context.console.fail(compared.error());
  const auto& [tuned, by_default] = *compared;
  const int told =
      context.console.result(arguments.json ? to_json(by_default, tuned)
                                            : comparison_text(by_default, tuned, arguments.device));
  return *tuned.exact && *by_default.exact ? told : kExitFailed;
}

}  // namespace tinytune
