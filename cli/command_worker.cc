#include "base/temporary_directory.h"
#include "cli/commands.h"
#include "rpc_device/fleet/staying_worker.h"
#include "rpc_device/fleet/worker.h"

namespace tinytune {

int run_worker(const Arguments& arguments, const Context& context) {
  sweep_temporary_directories();  // of a worker that this one replaces, among others
  WorkerOptions options;
  options.connect = arguments.connect;
  options.device = arguments.device;
  options.keys = arguments.keys.value_or("");
  options.in_flash = arguments.in_flash;
  options.power_switch = arguments.power_switch;
  if (arguments.board_patience_seconds)
    options.board_patience =
        std::chrono::milliseconds(static_cast<int64_t>(*arguments.board_patience_seconds * 1000));
  options.doctor = {"/proc/self/exe", "doctor", "--device", arguments.device};
  options.builds = arguments.only != "run";
  options.runs = arguments.only != "build";
  const LogSink log = [&](LogLevel level, const std::string& line) {
    // One that a run started itself has nothing to tell but trouble.
    if (level == LogLevel::kDebug || (arguments.once && level == LogLevel::kInfo)) return;
    context.console.message(level == LogLevel::kInfo ? MessageKind::kInfo : MessageKind::kWarning,
                            line);
  };
  const Status status = arguments.once ? run_worker(options, log) : stay(options, log);
  return status ? 0 : context.console.fail(status.error());
}

}  // namespace tinytune
