#include <cstdio>

#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "tinytune/model.h"

namespace tinytune {

int run_inspect(const Arguments& arguments, const Context& context) {
  const Result<Inspection> inspection = inspect_model(arguments.model, {arguments.disabled_passes});
  if (!inspection) return context.console.fail(inspection.error());
  const int told =
      context.console.result(arguments.json ? to_json(*inspection) : to_text(*inspection));
  if (inspection->unsupported.empty()) return told;
  std::fprintf(stderr, "tune: %s: %s\n", arguments.model.c_str(),
               unsupported_text(*inspection).c_str());
  return kExitWrongInput;
}

}  // namespace tinytune
