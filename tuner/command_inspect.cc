#include <cstdio>

#include "tinytune/model.h"
#include "tuner/commands.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"

namespace tinytune {

int run_inspect(const InspectArguments& arguments, const Console& console) {
  const Result<Inspection> inspection = inspect_model(arguments.model, {arguments.disabled_passes});
  if (!inspection) return console.fail(inspection.error());
  console.result(console.json() ? to_json(*inspection) : to_text(*inspection));
  if (inspection->unsupported.empty()) return 0;
  std::fprintf(stderr, "tune: %s: %s\n", arguments.model.c_str(),
               unsupported_text(*inspection).c_str());
  return kExitWrongInput;
}

}  // namespace tinytune
