#include "cli/cli.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "cli/command_line.h"
#include "cli/interrupts.h"
#include "cli/shell_line.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {

int run_cli(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv, argv + argc);
  Result<CommandLine> line = parse_command_line(words);
  if (!line) {
    // Parsing stopped early and may not have read --json.
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    return Console(json, false).fail(line.error());
  }
  if (!line->text.empty()) return Console(false, false).result(line->text);
  Arguments& arguments = *line->arguments;
  // Names of logs and packages are derived from it.
  arguments.device = canonical_board_address(arguments.device);
  Context context{Console(arguments.json, arguments.quiet), words[0], shell_line(words), nullptr};
  if (line->command->interruption == Interruption::kEndsIt)
    return line->command->does.run(arguments, context);

  const bool finishes = line->command->interruption == Interruption::kIsFinished;
  const Interrupts interrupts(
      context.console,
      {finishes, finishes ? "interrupted; everything measured is in the log; to go "
                            "on: " +
                                context.line
                          : "interrupted"});
  context.cancel = interrupts.cancel();
  sweep_temporary_directories();  // left by earlier runs that were killed
  const int exit_code = line->command->does.run(arguments, context);
  interrupts.finished();
  return exit_code;
}

}  // namespace tinytune
