#include <optional>

#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/run_options.h"
#include "cli/shared_options.h"
#include "cli/task_list.h"
#include "tinytune/explain.h"

namespace tinytune {
namespace {

using namespace options;

struct ExplainArguments : Arguments {
  std::optional<std::string> task;  ///< index in `tune inspect`; absent: the whole network
};

/// Refuses options of the network: a single kernel is measured by itself.
Status check_has_no_limits(const ExplainArguments& arguments) {
  const MemoryLimits limits = arguments.limits();
  const bool is_limited = limits.arena_bytes || limits.flash_bytes || limits.ram_bytes ||
                          limits.fast_ram_bytes || arguments.cores > 1 || arguments.portable ||
                          arguments.compress_weights || !arguments.arrival.empty() ||
                          !arguments.stream_input.empty();
  if (!is_limited) return ok_status();
  return Error(ErrorCode::kInvalidInput,
               "--task explains one kernel by itself; options of the network go without it");
}

Result<TaskExplanation> explain_one(const Model& model, const ExplainArguments& arguments,
                                    const Console& console) {
  TT_TRY(check_has_no_limits(arguments));
  if (!arguments.records)
    return Error(ErrorCode::kInvalidInput,
                 "--task needs --records LOG: without, there is no winner to explain");
  TT_TRY_ASSIGN(const std::vector<int> tasks,
                parse_task_list(*arguments.task, static_cast<int>(model.info().tasks.size())));
  if (tasks.size() != 1)
    return Error(ErrorCode::kInvalidInput, "--task takes one task, not '" + *arguments.task + "'");
  return explain_task(model, arguments.device, *arguments.records, tasks.front(), console.sink());
}

Result<NetworkExplanation> explain_all(const Model& model, const ExplainArguments& arguments,
                                       const Console& console) {
  TT_TRY_ASSIGN(const RunOptions options, run_options(arguments, console));
  return explain_network(model, arguments.device, options);
}

template <typename Explanation>
int tell(const Result<Explanation>& explanation, const ExplainArguments& arguments,
         const Console& console) {
  if (!explanation) return console.fail(explanation.error());
  return console.result(arguments.json ? to_json(*explanation) : to_text(*explanation));
}

int run_explain(const ExplainArguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Model> model = Model::load(arguments.model, arguments.loading());
  if (!model) return console.fail(model.error());
  return arguments.task ? tell(explain_one(*model, arguments, console), arguments, console)
                        : tell(explain_all(*model, arguments, console), arguments, console);
}

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .summary = "Say what was tried for the network, or why a task's kernel is the fastest",
          .options = all_of({{model(),
                              device(),
                              log(),
                              {.names = "--task",
                               .field = own(&ExplainArguments::task),
                               .value = "N",
                               .help = "Task, by its number in `tune inspect`; needs --records",
                               .otherwise = "all of the network"},
                              layout_of_activations()},
                             memory_limits(),
                             {stream_input()},
                             generating(),
                             loading(),
                             {json()}}),
          .examples =
              "Examples:\n"
              "  tune explain --model kws.tflite --device esp32c3 --arena 16K\n"
              "  tune explain --model kws.tflite --device esp32c3 --records "
              "kws.esp32c3.jsonl --task 2",
          .does = does<run_explain>()};
}

}  // namespace tinytune
