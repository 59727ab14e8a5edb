#include "rpc_device/worker.h"
#include "tinytune/tinytune.h"
#include "tuner/commands.h"

namespace tinytune {

int run_worker(const WorkerArguments& arguments, const Console& console) {
  WorkerOptions options;
  options.connect = arguments.connect;
  options.device = arguments.device;
  options.tool = std::string("tinytune ") + version();
  const Status status = run_worker(options, [&](LogLevel level, const std::string& line) {
    if (level == LogLevel::kDebug) return;
    console.message(level == LogLevel::kInfo ? MessageKind::kInfo : MessageKind::kWarning, line);
  });
  return status ? 0 : console.fail(status.error());
}

}  // namespace tinytune
