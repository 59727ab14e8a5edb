// The row of every command; each is in the file of its name.
#pragma once

#include "cli/command.h"

namespace tinytune {

Command tune_command();
Command compile_command();
Command run_command();
Command report_command();
Command explain_command();
Command inspect_command();
Command op_command();
Command ops_command();
Command devices_command();
Command log_command();
Command watch_command();
Command batch_command();
Command advise_command();
Command compare_command();
Command check_command();
Command simulate_command();
Command worker_command();
Command completion_command();
Command manual_command();
Command firmware_command();
Command keys_command();
Command doctor_command();
Command fleet_command();
Command import_times_command();
Command calibrate_command();

}  // namespace tinytune
