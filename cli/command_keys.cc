#include "cli/commands.h"
#include "rpc_device/fleet/keys.h"

namespace tinytune {

int run_keys(const Arguments& arguments, const Context& context) {
  KeyOptions options;
  options.may_build = arguments.only != "run";
  options.may_run = arguments.only != "build";
  options.days = static_cast<int>(arguments.days);
  const std::string& folder = arguments.directory;
  const Status written = write_keys(folder, options);
  if (!written) return context.console.fail(written.error());
  return context.console.result(
      folder + "/tuner: for tune --listen HOST:PORT --keys " + folder + "/tuner\n" + folder +
      "/worker: copy it to the workers, for tune worker --connect "
      "HOST:PORT --keys " +
      folder + "/worker\n" + folder + "/ca.key: makes more of them; keep it here\n");
}

}  // namespace tinytune
