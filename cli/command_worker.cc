#include "base/temporary_directory.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "rpc_device/fleet/staying_worker.h"
#include "rpc_device/fleet/worker.h"

namespace tinytune {
namespace {

using namespace options;

struct WorkerArguments : Arguments {
  std::string connect;       ///< the tuner's address
  std::string only;          ///< "build" or "run": only this duty; empty: both
  bool once = false;         ///< end with the tuner
  std::string power_switch;  ///< command of the board's power switch
  bool in_flash = false;     ///< measure kernels in flash
};

int work(const WorkerArguments& arguments, const Context& context) {
  sweep_temporary_directories();  // including those of a worker that this one replaces
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
    // A worker started by a run reports only problems.
    if (level == LogLevel::kDebug || (arguments.once && level == LogLevel::kInfo)) return;
    context.console.message(level == LogLevel::kInfo ? MessageKind::kInfo : MessageKind::kWarning,
                            line);
  };
  const Status status = arguments.once ? run_worker(options, log) : stay(options, log);
  return status ? 0 : context.console.fail(status.error());
}

}  // namespace

Command worker_command() {
  return {
      .name = "worker",
      .summary = "Build and run candidates for a tuner",
      .options = {{.names = "--connect",
                   .field = own(&WorkerArguments::connect),
                   .value = "unix:PATH|HOST:PORT",
                   .help = "Tuner's address",
                   .required = true},
                  device(),
                  keys("Keys of `tune keys`, its worker/, for a tuner that has some"),
                  choice("--only", own(&WorkerArguments::only), {"build", "run"},
                         "Restrict to building, or to running, where other workers do the rest",
                         "both"),
                  {.names = "--once",
                   .field = own(&WorkerArguments::once),
                   .help = "End with the tuner instead of waiting for the next"},
                  {.names = "--power-cycle",
                   .field = own(&WorkerArguments::power_switch),
                   .value = "COMMAND",
                   .help = "Command that switches the board off and on where a reset does not help",
                   .otherwise = "none"},
                  board_patience("no end; a board that is absent at the start is an error"),
                  {.names = "--in-flash",
                   .field = own(&WorkerArguments::in_flash),
                   .help = "Measure in flash, for a tuner with --fast-ram 0"}},
      .examples = "Example: tune worker --connect 192.168.1.7:9000 --device esp32c3",
      .does = does<work>(),
      .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
