#include "cli/command_table.h"

#include <vector>

#include "cli/commands.h"

namespace tinytune {

std::span<const Command> command_table() {
  static const std::vector<Command> kTable = {
      tune_command(),     compile_command(),    run_command(),    report_command(),
      explain_command(),  inspect_command(),    op_command(),     ops_command(),
      devices_command(),  log_command(),        watch_command(),  batch_command(),
      advise_command(),   compare_command(),    check_command(),  simulate_command(),
      worker_command(),   completion_command(), manual_command(), firmware_command(),
      keys_command(),     doctor_command(),     fleet_command(),  import_times_command(),
      calibrate_command()};
  return kTable;
}

}  // namespace tinytune
