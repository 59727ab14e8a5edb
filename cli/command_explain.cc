#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/task_list.h"
#include "tinytune/explain.h"

namespace tinytune {
namespace {

Result<TaskExplanation> explain(const Arguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  TT_TRY_ASSIGN(const std::vector<int> tasks,
                parse_task_list(*arguments.tasks, static_cast<int>(model.info().tasks.size())));
  if (tasks.size() != 1) {
    return Error(ErrorCode::kInvalidInput, "--task takes one task, not '" + *arguments.tasks + "'");
  }
  return explain_task(model, arguments.device, *arguments.records, tasks.front(), console.sink());
}

}  // namespace

int run_explain(const Arguments& arguments, const Context& context) {
  const Result<TaskExplanation> explanation = explain(arguments, context.console);
  if (!explanation) return context.console.fail(explanation.error());
  return context.console.result(arguments.json ? to_json(*explanation) : to_text(*explanation));
}

}  // namespace tinytune
