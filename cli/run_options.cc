#include "cli/run_options.h"

#include "deploy/selection/layouts.h"

namespace tinytune {

Result<RunOptions> run_options(const Arguments& arguments, const Console& console) {
  RunOptions options;
  options.records = arguments.records;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.limits = arguments.limits();
  options.input = arguments.input();
  options.portable = arguments.portable;
  options.cores = arguments.core_count();
  options.compress_weights = arguments.compress_weights;
  options.arrival = arguments.arrival;
  options.on_message = console.sink();
  return options;
}

}  // namespace tinytune
