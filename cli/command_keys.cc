#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "rpc_device/fleet/keys.h"

namespace tinytune {
namespace {

using namespace options;

struct KeysArguments : Arguments {
  std::string directory;
  std::string party = "worker";            ///< holder of the keys
  std::string scope = "build,run,device";  ///< permissions
  bool token = false;                      ///< a token instead of a certificate
  uint64_t days = 365;                     ///< validity
};

int run_keys(const KeysArguments& arguments, const Context& context) {
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

}  // namespace

Command keys_command() {
  return {
      .name = "keys",
      .summary = "Make keys for workers on other machines, and for who looks at a fleet",
      .options = {{.names = "-o,--output",
                   .field = own(&KeysArguments::directory),
                   .value = "DIR",
                   .help = "Directory to write; an authority that is there already is used again",
                   .required = true},
                  {.names = "--name",
                   .field = own(&KeysArguments::party),
                   .value = "NAME",
                   .help = "Key set's name; written to DIR/NAME",
                   .otherwise = "worker"},
                  {.names = "--scope",
                   .field = own(&KeysArguments::scope),
                   .value = "LIST",
                   .help = "Rights that they give, of build, run (in simulators), device (boards), "
                           "view (tune fleet)",
                   .otherwise = "build,run,device"},
                  {.names = "--token",
                   .field = own(&KeysArguments::token),
                   .help =
                       "Make a token instead of a certificate; a line of tuner/tokens grants it"},
                  {.names = "--days",
                   .field = own(&KeysArguments::days),
                   .value = "N",
                   .help = "Validity in days",
                   .otherwise = "365",
                   .syntax = Syntax::kPositive}},
      .examples =
          "Examples:\n"
          "  tune keys -o keys/\n"
          "  tune keys -o keys/ --name lab3 --token --scope device --days 30\n"
          "Then: tune --model kws.tflite --device esp32c3 --listen 0.0.0.0:7000 --keys "
          "keys/tuner",
      .does = does<run_keys>()};
}

}  // namespace tinytune
