#include "cli/report_page_inputs.h"

#include <filesystem>
#include <optional>

#include "cli/library_counts.h"
#include "cli/network_figures.h"
#include "cli/report_page_data.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/layouts.h"
#include "tuner/strip_tasks.h"

namespace tinytune {
namespace {

using std::filesystem::path;

Result<std::string> page_data_with(const Model& model, const std::vector<Task>& tasks,
                                   const ReportArguments& arguments, bool live,
                                   const NetworkFigures* network, const MessageSink& sink) {
  TT_TRY_ASSIGN(const Ground ground,
                load_ground(arguments.device, arguments.limits(), arguments.records, sink));
  LibraryCounts library;
  if (arguments.library) {
    const Target& target = ground.device.target;
    TT_TRY_ASSIGN(library, read_library_counts(*arguments.library, path(arguments.model).stem(),
                                               target.isa + " " + target.cpu));
  }
  if (arguments.library && library.empty() && sink)
    sink(MessageKind::kWarning, *arguments.library + ": no row is of this model and core");
  return page_data({.model = model,
                    .ground = ground,
                    .tasks = tasks,
                    .log = path(*arguments.records).filename(),
                    .network = network,
                    .library = library,
                    .live = live});
}

}  // namespace

Result<std::vector<Task>> page_tasks(const Model& model, const ReportArguments& arguments) {
  TT_TRY_ASSIGN(const LayoutPolicy layout, parse_layout_policy(arguments.layout));
  TT_TRY_ASSIGN(const Ground ground,
                load_ground(arguments.device, arguments.limits(), std::nullopt, {}));
  return deployed_tasks(model, ground.device, arguments.limits(), layout);
}

Result<std::string> page_data_of_log(const Model& model, const std::vector<Task>& tasks,
                                     const ReportArguments& arguments, bool live) {
  return page_data_with(model, tasks, arguments, live, nullptr, {});
}

Result<std::string> page_data_of_network(const Model& model, const std::vector<Task>& tasks,
                                         const ReportArguments& arguments,
                                         const MessageSink& sink) {
  TT_TRY_ASSIGN(const NetworkFigures figures, survey_variants(model, arguments, sink));
  return page_data_with(model, tasks, arguments, /*live=*/false, &figures, {});
}

}  // namespace tinytune
