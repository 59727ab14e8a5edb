#include <fmt/format.h>

#include "cli/commands.h"
#include "rpc_device/fleet/keys.h"

namespace tinytune {

int run_keys(const Arguments& arguments, const Context& context) {
  KeyOptions options;
  options.days = static_cast<int>(arguments.days);
  options.name = arguments.party;
  options.token = arguments.token;
  const auto scope = parse_scope(arguments.scope);
  if (!scope) return context.console.fail(scope.error().within("--scope"));
  options.scope = *scope;
  const std::string& folder = arguments.directory;
  const Status written = write_keys(folder, options);
  if (!written) return context.console.fail(written.error());
  return context.console.result(
      fmt::format("{0}/tuner: for tune --listen HOST:PORT --keys {0}/tuner\n"
                  "{0}/{1}: copy it there, for tune {2} --connect HOST:PORT --keys {0}/{1}\n"
                  "{0}/ca.key: makes more of them; keep it here\n",
                  folder, options.name, options.scope.view ? "fleet" : "worker"));
}

}  // namespace tinytune
