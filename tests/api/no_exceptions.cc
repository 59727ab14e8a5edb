// Includes and uses every public header in a translation unit without exceptions and RTTI.
#include "tinytune/deploy.h"
#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tinytune.h"
#include "tinytune/tinytune_c.h"
#include "tinytune/tuning.h"

tinytune::Result<uint64_t> best_cycles_without_exceptions(const std::string& model_path,
                                                          const std::string& log) {
  TT_TRY_ASSIGN(const tinytune::Model model, tinytune::Model::load(model_path));
  tinytune::TuneOptions options;
  options.records = log;
  options.on_progress = [](const tinytune::TuneProgress&) {};
  TT_TRY_ASSIGN(const tinytune::TuneReport report, tinytune::tune_model(model, "esp32c3", options));
  TT_TRY(tinytune::compile_model(model, "esp32c3", log + ".out", {}));
  return report.best_cycles.value_or(0);
}
