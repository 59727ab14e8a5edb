#include "cli/shell_commands.h"

namespace tinytune {

Command completion() {
  return {.name = "completion",
          .summary = "Print a shell's completion script",
          .options = {{.names = "SHELL",
                       .field = &Arguments::action,
                       .help = "Shell: bash, zsh or fish",
                       .syntax = Syntax::kChoice,
                       .choices = {"bash", "zsh", "fish"},
                       .required = true}},
          .examples =
              "Examples:\n"
              "  source <(tune completion bash)\n"
              "  tune completion fish > ~/.config/fish/completions/tune.fish",
          .run = run_completion,
          .interruption = Interruption::kEndsIt};
}

Command manual() {
  return {.name = "manual",
          .summary = "Print the manual page",
          .options = {},
          .examples = "Example: tune manual | man -l -",
          .run = run_manual,
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
