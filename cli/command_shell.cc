// tune completion, tune manual: what shells and `man` know of the program.
#include "cli/command_table.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "tinytune/tinytune.h"

namespace tinytune {

int run_completion(const Arguments& arguments, const Context& context) {
  std::vector<std::string> devices;
  for (const DeviceInfo& device : list_devices()) devices.push_back(device.name);
  const auto print = arguments.action == "fish"  ? fish_completion
                     : arguments.action == "zsh" ? zsh_completion
                                                 : bash_completion;
  return context.console.result(print(command_table(), devices));
}

int run_manual(const Arguments&, const Context& context) {
  return context.console.result(manual_page(command_table(), version()));
}

}  // namespace tinytune
