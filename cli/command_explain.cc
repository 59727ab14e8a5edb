#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/shared_options.h"
#include "cli/task_list.h"
#include "tinytune/explain.h"

namespace tinytune {
namespace {

using namespace options;

struct ExplainArguments : Arguments {
  std::string task;  ///< its number in `tune inspect`
};

Result<TaskExplanation> explain(const ExplainArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  TT_TRY_ASSIGN(const std::vector<int> tasks,
                parse_task_list(arguments.task, static_cast<int>(model.info().tasks.size())));
  if (tasks.size() != 1) {
    return Error(ErrorCode::kInvalidInput, "--task takes one task, not '" + arguments.task + "'");
  }
  return explain_task(model, arguments.device, *arguments.records, tasks.front(), console.sink());
}

int run_explain(const ExplainArguments& arguments, const Context& context) {
  const Result<TaskExplanation> explanation = explain(arguments, context.console);
  if (!explanation) return context.console.fail(explanation.error());
  return context.console.result(arguments.json ? to_json(*explanation) : to_text(*explanation));
}

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .summary = "Say why the fastest kernel of a task is the fastest",
          .options = all_of({{model(),
                              device(),
                              required(log()),
                              {.names = "--task",
                               .field = own(&ExplainArguments::task),
                               .value = "N",
                               .help = "Task, by its number in `tune inspect`",
                               .required = true}},
                             loading(),
                             {json()}}),
          .examples =
              "Example: tune explain --model kws.tflite --device esp32c3 --records "
              "kws.esp32c3.jsonl --task 2",
          .does = does<run_explain>()};
}

}  // namespace tinytune
