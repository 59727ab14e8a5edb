#include "tinytune/explain.h"
#include "tuner/arguments.h"
#include "tuner/commands.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"

namespace tinytune {

int run_explain(const ExplainArguments& arguments, const Console& console) {
  const Result<Model> model = Model::load(arguments.model, {arguments.disabled_passes});
  if (!model) return console.fail(model.error());
  const auto tasks = parse_task_list(arguments.task, static_cast<int>(model->info().tasks.size()));
  if (!tasks) return console.fail(tasks.error());
  if (tasks->size() != 1)
    return console.fail(kExitWrongInput, "--task takes one task, not '" + arguments.task + "'");
  const Result<TaskExplanation> explanation =
      explain_task(*model, arguments.device, arguments.records, tasks->front(), console.sink());
  if (!explanation) return console.fail(explanation.error());
  console.result(console.json() ? to_json(*explanation) : to_text(*explanation));
  return 0;
}

}  // namespace tinytune
