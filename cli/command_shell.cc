// tune completion, tune manual: completion scripts for shells, and the manual page.
#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

struct CompletionArguments : Arguments {
  std::string shell;
};

int run_completion(const CompletionArguments& arguments, const Context& context) {
  std::vector<std::string> devices;
  for (const DeviceInfo& device : list_devices()) devices.push_back(device.name);
  const auto print = arguments.shell == "fish"  ? fish_completion
                     : arguments.shell == "zsh" ? zsh_completion
                                                : bash_completion;
  return context.console.result(print(command_table(), devices));
}

int run_manual(const Arguments&, const Context& context) {
  return context.console.result(manual_page(command_table(), version()));
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "Print a shell's completion script",
          .options = {{.names = "SHELL",
                       .field = own(&CompletionArguments::shell),
                       .help = "Shell: bash, zsh or fish",
                       .syntax = Syntax::kChoice,
                       .choices = {"bash", "zsh", "fish"},
                       .required = true}},
          .examples =
              "Examples:\n"
              "  source <(tune completion bash)\n"
              "  tune completion fish > ~/.config/fish/completions/tune.fish",
          .does = does<run_completion>(),
          .interruption = Interruption::kEndsIt};
}

Command manual_command() {
  return {.name = "manual",
          .summary = "Print the manual page",
          .options = {},
          .examples = "Example: tune manual | man -l -",
          .does = does<run_manual>(),
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
