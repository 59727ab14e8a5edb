#include "tinytune/model.h"
#include "tuner/commands.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"

namespace tinytune {

int run_inspect(const std::string& path, const Console& console) {
  const Result<Model> model = Model::load(path);
  if (!model) return console.fail(model.error());
  console.result(console.json() ? to_json(model->info(), {}) : to_text(model->info()));
  return 0;
}

}  // namespace tinytune
